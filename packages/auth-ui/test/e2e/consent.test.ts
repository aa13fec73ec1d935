import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const SCREEN = { width: 390, height: 844 }
/** Where the seven permissions of the sample belong. */
const GROUPS = ['files', 'files', 'people', 'money', 'apps', 'account', 'other']
const PER_SCREEN = { one: 1.4, seven: 1.4, forty: 2 }

describe('consent page, in a browser', function () {
  this.timeout(30_000)
  let browser: Browser
  let server: SampleServer
  let page: Page

  before(async function () {
    needsChromium(this)
    server = await sampleServer()
    browser = await launchChromium({ port: server.port, domains: [] })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: SCREEN })
    await page.goto(`${server.origin}/consent`)
  })
  afterEach(() => page.close())

  const primary = (on = page): Locator => on.locator('#consent [type=submit]')
  const box = (name: string, on = page): Locator => on.locator(`[name=${name}]`)
  const open = (group: string, on = page): Promise<void> =>
    on.locator('summary').filter({ hasText: group }).click()

  /** What a form of this page sends. */
  async function sent(on: Page): Promise<Record<string, string>> {
    const request = on.waitForRequest((each) => each.method() === 'POST')
    await primary(on).click()
    return Object.fromEntries(new URLSearchParams((await request).postData() ?? ''))
  }

  /** Rights that stay: their own box and that of the group are there. */
  const rights = (fields: Record<string, string>): string[] =>
    Object.keys(fields).filter((name) => {
      const [field, place, right] = name.split('-')
      return field === 'permission' && `group-${GROUPS[Number(place)]}-${right}` in fields
    })

  const SAMPLES: readonly (readonly [name: string, count: keyof typeof PER_SCREEN])[] = [
    ['consent-one', 'one'],
    ['consent', 'seven'],
    ['consent-forty', 'forty'],
  ]
  for (const [name, count] of SAMPLES) {
    it(`shows who asks, for what, where the answer goes, and both answers at once: ${count}`, async () => {
      for (const locale of ['en', 'fr', 'de', 'es', 'en-XA', 'ar-XB']) {
        await page.goto(`${server.origin}/${name}?locale=${locale}`)
        const answer = await page.locator('.answer').boundingBox()
        const top = answer?.y ?? 0
        expect(top + (answer?.height ?? 0), locale).to.be.at.most(SCREEN.height)
        expect(answer?.height, locale).to.be.at.most(88)
        // Of forty permissions, where the answer goes may be below in the longest language.
        const parts = count === 'forty' ? ['h1', '#could'] : ['h1', '#could', '.target']
        for (const part of parts) {
          const seen = await page.locator(part).boundingBox()
          expect((seen?.y ?? top) + (seen?.height ?? 0), `${part} ${locale}`).to.be.at.most(top)
        }
        const [yes, no] = await page.locator('.answer > *').all()
        const [one, other] = [await yes?.boundingBox(), await no?.boundingBox()]
        expect(one?.width).to.be.closeTo(other?.width ?? 0, 1)
        expect(one?.y).to.equal(other?.y)
      }
    })

    it(`is short while it is folded: ${count}`, async () => {
      await page.goto(`${server.origin}/${name}`)
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      expect(height / SCREEN.height).to.be.at.most(PER_SCREEN[count])
    })
  }

  it('stands at the end of the page where there is no room for it', async () => {
    await page.setViewportSize({ width: 844, height: 390 })
    const style = await page.locator('.answer').evaluate((bar) => getComputedStyle(bar).position)
    expect(style).to.equal('static')
  })

  it('keeps what has focus above the answer', async () => {
    await page.locator('summary').filter({ hasText: 'Details' }).focus()
    const focus = await page.locator('summary:focus').boundingBox()
    const answer = await page.locator('.answer').boundingBox()
    expect((focus?.y ?? 0) + (focus?.height ?? 0)).to.be.at.most(answer?.y ?? 0)
  })

  const labels: readonly (readonly [span: string, label: string])[] = [
    ['1h', 'Allow for 1 hour'],
    ['1d', 'Allow for 1 day'],
    ['30d', 'Allow for 30 days'],
    ['until_revoked', 'Allow'],
  ]
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'
    describe(`${how} script`, () => {
      let own: Page
      beforeEach(async () => {
        const context = await browser.newContext({ javaScriptEnabled, viewport: SCREEN })
        own = await context.newPage()
        await own.goto(`${server.origin}/consent`)
      })
      afterEach(() => own.context().close())

      it('says on its button what will happen', async () => {
        for (const [span, label] of labels) {
          await own.getByLabel('Access expires').selectOption(span)
          await own.getByRole('button', { name: label, exact: true }).waitFor()
        }
      })

      it('sends the same rights for the same boxes', async () => {
        await box('group-other-delete', own).uncheck()
        await open('Files and photos', own)
        await box('permission-0-delete', own).uncheck()
        const fields = await sent(own)
        expect(fields).to.include({ choice: '2', duration: '30d' })
        expect(rights(fields)).to.deep.equal([
          'permission-0-read',
          'permission-0-change',
          'permission-1-read',
          'permission-1-change',
          'permission-6-read',
          'permission-4-change',
          'permission-2-read',
          'permission-3-read',
          'permission-5-read',
        ])
      })
    })
  }

  it('ticks and unticks the kinds of a group, and shows what is mixed', async () => {
    await open('Files and photos')
    await box('group-files-change').uncheck()
    expect(await box('permission-0-change').isChecked()).to.equal(false)
    expect(await box('permission-1-change').isChecked()).to.equal(false)
    await box('permission-1-change').check()
    const group = box('group-files-change')
    expect(await group.isChecked()).to.equal(true)
    expect(await group.evaluate((input: HTMLInputElement) => input.indeterminate)).to.equal(true)
    await page.getByText('1 of 11 left out').waitFor({ state: 'attached' })
  })

  it('sends nothing when nothing is ticked, and says why', async () => {
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url())
    })
    await page.getByRole('button', { name: 'Untick all' }).click()
    await primary().click()
    const alert = page.getByText('Tick at least one thing, or choose “Don’t allow”.')
    await alert.waitFor()
    expect(await alert.evaluate((element) => element === document.activeElement)).to.equal(true)
    expect(posts).to.deep.equal([])
    await box('group-people-read').check()
    expect(await alert.count()).to.equal(0)
    expect(rights(await sent(page))).to.deep.equal(['permission-2-read'])
  })

  it('takes no answer from Enter on a box, nor from a click that came too soon', async () => {
    server.posted.length = 0
    await box('group-files-read').focus()
    await page.keyboard.press('Enter')
    await page.evaluate(() => {
      dispatchEvent(new Event('focus'))
      document.querySelector('form')?.requestSubmit()
    })
    expect(server.posted).to.have.lengthOf(0)
    expect(await primary().getAttribute('aria-disabled')).to.equal('true')
  })

  it('takes no press as soon as it is drawn, before its script is there', async () => {
    await page.route('**/consent.js*', () => {})
    await page.goto(`${server.origin}/consent`, { waitUntil: 'commit' })
    await primary().waitFor()
    // What is sent is counted and goes nowhere; the time that the button has been in sight is set back, and stands still.
    await primary().evaluate((button: HTMLElement) => {
      const { dataset } = document.documentElement
      dataset['sent'] = '0'
      addEventListener('submit', (event) => {
        event.preventDefault()
        dataset['sent'] = String(Number(dataset['sent']) + 1)
      })
      button.style.animation = 'none'
      button.getBoundingClientRect()
      button.style.animation = ''
      for (const each of button.getAnimations()) {
        each.pause()
        each.currentTime = 590
      }
    })
    const press = async (): Promise<string | undefined> => {
      const { x = 0, y = 0 } = (await primary().boundingBox()) ?? {}
      await page.mouse.click(x + 20, y + 20)
      return page.evaluate(() => document.documentElement.dataset['sent'])
    }
    expect(await press()).to.equal('0')
    await primary().evaluate((button) => {
      for (const each of button.getAnimations()) each.finish()
    })
    expect(await press()).to.equal('1')
  })

  it('is not closed again by a script or a file that comes late', async () => {
    const late: (() => Promise<void>)[] = []
    await page.route(/\/(?:consent|once)\.js/u, (route) => {
      late.push(() => route.continue())
    })
    await page.goto(`${server.origin}/consent`, { waitUntil: 'commit' })
    await page.waitForFunction(() => {
      const [drawn] = performance.getEntriesByName('first-contentful-paint')
      return drawn !== undefined && performance.now() > drawn.startTime + 600
    })
    await primary().evaluate((button) => {
      const { dataset } = document.documentElement
      dataset['closed'] = '0'
      new MutationObserver((changes) => {
        dataset['closed'] = String(Number(dataset['closed']) + changes.length)
      }).observe(button, { attributeFilter: ['aria-disabled'] })
    })
    for (const send of late) await send()
    await page.waitForLoadState('load')
    expect(await page.locator('html').getAttribute('data-closed')).to.equal('0')
    const closedAgain = await page.evaluate(async () => {
      dispatchEvent(new Event('focus'))
      document.dispatchEvent(new Event('visibilitychange'))
      await Promise.resolve()
      return document.documentElement.dataset['closed']
    })
    expect(closedAgain, 'for a window, and for a tab').to.equal('2')
  })

  it('leads to the answer, past the list', async () => {
    const skip = page.getByRole('link', { name: 'Skip to Allow or Don’t allow' })
    await skip.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await primary().evaluate((button) => button === document.activeElement)).to.equal(true)
  })

  it('keeps the raw scope one tap away', async () => {
    await page.locator('summary').filter({ hasText: 'Details' }).click()
    const rule = page.getByText('io.svc.photos.albums:GET,POST,PUT,PATCH')
    expect(await rule.isVisible()).to.equal(true)
  })
})
