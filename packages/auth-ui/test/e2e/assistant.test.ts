import { axeFaults, launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const PHONE = { width: 360, height: 760 }
const DESKTOP = { width: 1280, height: 760 }

describe('the assistants’ page, in a browser', function () {
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
    server.posted.length = 0
    page = await browser.newPage({ viewport: PHONE })
    await page.goto(`${server.origin}/assistant-writes`)
  })
  afterEach(() => page.close())

  const primary = (on = page): Locator => on.locator('#consent [type=submit]').first()

  for (const viewport of [PHONE, DESKTOP]) {
    it(`has no accessibility fault at ${viewport.width} px, light and dark, folded and open`, async () => {
      await page.setViewportSize(viewport)
      for (const sample of ['assistant-step-up', 'assistant-registered']) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await page.goto(`${server.origin}/${sample}`)
          for (const summary of await page.locator('summary').all()) await summary.click()
          expect(await axeFaults(page), `${sample} ${colorScheme}`).to.deep.equal([])
        }
      }
    })

    it(`shows who asks and both answers at once at ${viewport.width} px, in every language`, async () => {
      await page.setViewportSize(viewport)
      for (const sample of ['assistant', 'assistant-writes', 'assistant-registered']) {
        for (const locale of ['en', 'fr', 'de', 'es', 'en-XA', 'ar-XB']) {
          await page.goto(`${server.origin}/${sample}?locale=${locale}`)
          const answer = await page.locator('.answer').boundingBox()
          const top = answer?.y ?? 0
          expect(top + (answer?.height ?? 0), locale).to.be.at.most(viewport.height)
          expect(answer?.height, `${sample} ${locale}`).to.be.at.most(88)
          for (const part of ['h1', '.who']) {
            const seen = await page.locator(part).boundingBox()
            expect((seen?.y ?? top) + (seen?.height ?? 0), `${part} ${locale}`).to.be.at.most(top)
          }
        }
      }
    })
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'
    it(`says on its button what will happen, and sends what is ticked: ${how} script`, async () => {
      const context = await browser.newContext({ javaScriptEnabled, viewport: PHONE })
      const own = await context.newPage()
      await own.goto(`${server.origin}/assistant-writes`)
      const button = (name: string): Promise<void> =>
        own.getByRole('button', { name, exact: true }).waitFor()
      await button('Let it read for 24 hours')
      await own.getByLabel('1 hour').check()
      await button('Let it read for 1 hour')
      await own.getByLabel('Add and change: Notes').check()
      await button('Let it read and change for 1 hour')
      await own.getByLabel('Read: People and calendar').uncheck()
      const request = own.waitForRequest((each) => each.method() === 'POST')
      await primary(own).click()
      const sent = Object.fromEntries(new URLSearchParams((await request).postData() ?? ''))
      expect(sent).to.include({
        choice: '2',
        duration: '1h',
        'permission-1-read': 'on',
        'group-files-read': 'on',
        'permission-1-change': 'on',
        'group-files-change': '1',
      })
      expect(sent).to.not.have.any.keys(
        'answer',
        'group-people-read',
        'permission-1-delete',
        'permission-0-change',
      )
      await context.close()
    })
  }

  it('is refused at once, and by its own button alone', async () => {
    const request = page.waitForRequest((each) => each.method() === 'POST')
    await page.getByRole('button', { name: 'Don’t allow' }).click()
    const sent = new URLSearchParams((await request).postData() ?? '')
    expect(sent.get('answer')).to.equal('refuse')
  })

  it('is walked with the keyboard: reading, writing, time, details, answer', async () => {
    const reached: string[] = []
    for (let at = 0; at < 12; at += 1) {
      await page.keyboard.press('Tab')
      reached.push(
        await page.evaluate(() => {
          const { activeElement: element } = document
          if (element instanceof HTMLInputElement) return `${element.name} ${element.value}`
          return element instanceof HTMLElement ? (element.innerText.split('\n')[0] ?? '') : ''
        }),
      )
    }
    expect(reached).to.deep.equal([
      'Skip to Allow or Don’t allow',
      'Files and photos',
      'group-files-read on',
      'People and calendar',
      'group-people-read on',
      'permission-0-change on',
      'permission-1-change on',
      'permission-1-delete on',
      'duration 1d',
      'Details',
      'Let it read for 24 hours',
      'Don’t allow',
    ])
    // Arrows change the time; Enter on a tick or on the time sends nothing.
    await page.getByLabel('24 hours').focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByLabel('30 days').isChecked()).to.equal(true)
    await page.keyboard.press('Enter')
    expect(server.posted).to.have.length(0)
  })

  it('is never sent by its script, nor by a click that comes too soon', async () => {
    await page.evaluate(() => {
      dispatchEvent(new Event('focus'))
      document.querySelector('form')?.requestSubmit()
    })
    expect(await primary().getAttribute('aria-disabled')).to.equal('true')
    await page.locator('#consent [type=submit]:not([aria-disabled])').first().waitFor()
    expect(server.posted).to.have.length(0)
  })

  it('sends nothing when nothing is ticked, and says why', async () => {
    await page.getByLabel('Read: Files and photos').uncheck()
    await page.getByLabel('Read: People and calendar').uncheck()
    await primary().click()
    await page.getByText('Tick at least one thing, or choose “Don’t allow”.').waitFor()
    expect(server.posted).to.have.length(0)
  })
})
