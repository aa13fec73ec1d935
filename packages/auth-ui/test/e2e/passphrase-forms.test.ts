import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { deriveLoginValue } from '../../src/index.ts'
import { accept, type BrowserSteps, startBrowserSteps } from '../support/browser-steps.ts'
import { mailsOf } from '../support/reset.ts'
import { createAlice, PASSPHRASE, startUi, type UiServer } from '../support/ui-server.ts'

const COMPOSED = 'plume cadran hib\u00F4u tis\u00E1ne'
const DECOMPOSED = COMPOSED.normalize('NFD')

describe('passphrase forms against the server, in a browser', function () {
  this.timeout(60_000)
  let server: UiServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let origin: string
  let domain: string
  let onboardingUrl: string
  /** What the browser has sent. */
  let bodies: string[]

  before(async function () {
    needsChromium(this)
    server = await startUi({ stays: true })
    browser = await launchChromium({ port: server.port, domains: ['localhost'] })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  let count = 0
  beforeEach(async () => {
    count += 1
    domain = `alice${count}.localhost:${server.port}`
    origin = `http://${domain}`
    const email = 'alice@example.org'
    ;({ onboardingUrl } = await createAlice(server, { domain, email }, { isOnboarded: false }))
    context = await browser.newContext()
    page = await context.newPage()
    bodies = []
    page.on('request', (request) => bodies.push(request.postData() ?? ''))
  })
  afterEach(() => context.close())

  const field = () => page.locator('#passphrase')
  const isIn = () => page.waitForURL(`http://home.${domain}/**`)

  async function sendChosenNatively(): Promise<void> {
    const answered = page.waitForResponse((each) => each.request().method() === 'POST')
    await page.evaluate(sendNatively, 'choose-passphrase')
    await answered
    await page.waitForLoadState()
  }

  async function choose(passphrase: string): Promise<void> {
    await page.goto(onboardingUrl)
    await field().fill(passphrase)
    await page.locator('#choose-passphrase [type=submit]').click()
    await isIn()
    await context.clearCookies()
  }

  async function logIn(passphrase: string): Promise<void> {
    await page.goto(`${origin}/auth/login`)
    await field().fill(passphrase)
    await page.locator('#passphrase-form [type=submit]').click()
  }

  /** The mailed link for a new passphrase. */
  async function renewLink(): Promise<string> {
    await page.goto(`${origin}/auth/passphrase_reset`)
    await page.locator('form[action="/auth/passphrase_reset"] [type=submit]').click()
    await page.waitForURL('**/auth/login?msg=*')
    const urls = mailsOf(server, 'passphrase_reset').map(({ variables }) => variables.url)
    return urls.findLast((each) => each.startsWith(origin)) ?? ''
  }

  const chosen: readonly [name: string, open: () => Promise<string>][] = [
    ['onboarding', async () => onboardingUrl],
    [
      'renew',
      async () => {
        await choose('seven grey herons wait')
        return renewLink()
      },
    ],
  ]
  for (const [name, open] of chosen) {
    it(`${name}: words that were sent before the script came log the owner in`, async () => {
      const url = await open()
      await context.clearCookies()
      await page.route('**/choose-passphrase.js', (route) => route.abort())
      await page.goto(url)
      await field().fill(PASSPHRASE)
      await sendChosenNatively()
      await page.unrouteAll()
      await context.clearCookies()
      await logIn(PASSPHRASE)
      await isIn()
    })

    it(`${name}: another sender than the script sends no words, and the owner goes on`, async () => {
      await page.goto(await open())
      bodies.length = 0
      await field().fill(COMPOSED)
      await sendChosenNatively()
      expect(bodies.join('\n')).to.include('csrf_token=').and.not.include('cadran')
      await field().fill(COMPOSED)
      await page.locator('#choose-passphrase [type=submit]').click()
      await page.waitForURL(name === 'renew' ? `${origin}/auth/login` : `http://home.${domain}/**`)
      await context.clearCookies()
      await logIn(COMPOSED)
      await isIn()
      expect(bodies.join('\n')).not.to.include('cadran')
    })
  }

  for (const spelling of ['composed', 'decomposed']) {
    const typed = spelling === 'composed' ? COMPOSED : DECOMPOSED
    const other = spelling === 'composed' ? DECOMPOSED : COMPOSED
    it(`a passphrase chosen ${spelling} logs in in both spellings`, async () => {
      await choose(typed)
      for (const passphrase of [other, typed]) {
        await logIn(passphrase)
        await isIn()
        await context.clearCookies()
      }
    })
  }

  it('a passphrase that was stored decomposed logs in in both spellings', async () => {
    const salt = new URL(origin).hostname
    const passphrase = await deriveLoginValue(DECOMPOSED, `me@${salt}`, 50_000)
    const register_token = new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
    const fields = { register_token, passphrase, iterations: '50000' }
    expect((await server.browser(origin).post('/settings/passphrase', fields)).status).to.equal(302)
    for (const typed of [COMPOSED, DECOMPOSED]) {
      await logIn(typed)
      await isIn()
      await context.clearCookies()
    }
  })

  it('a wrong passphrase counts once for each of its spellings', async () => {
    await choose(COMPOSED)
    const refused = (): number => server.logged.filter(([event]) => event === 'login.failed').length
    for (const [typed, tries] of [
      ['nothing of that', 1],
      [`${COMPOSED} too`, 2],
    ] as const) {
      const before = refused()
      await logIn(typed)
      await page.getByText('Wrong passphrase. Try again.').waitFor()
      expect(refused() - before, typed).to.equal(tries)
    }
  })
})

describe('the field of a passphrase, in a browser', function () {
  this.timeout(60_000)
  let steps: BrowserSteps
  let page: Page

  before(async function () {
    needsChromium(this)
    steps = await startBrowserSteps()
  })
  beforeEach(async () => {
    steps.server.posted.length = 0
    page = await (await steps.browser.newContext()).newPage()
  })
  afterEach(() => page.context().close())
  after(() => steps?.close())

  const forms: readonly [name: string, id: string][] = [
    ['login', 'passphrase-form'],
    ['login-import', 'passphrase-form'],
    ['confirm', 'passphrase-form'],
    ['magic-passphrase', 'passphrase-form'],
    ['move', 'passphrase-form'],
    ['choose', 'choose-passphrase'],
    ['renew', 'choose-passphrase'],
  ]
  for (const [name, id] of forms) {
    const open = async (): Promise<void> => {
      await page.goto(`${steps.origin}/${name}`)
      await page.locator(`#${id} [type=submit]:enabled`).waitFor()
      await page.locator('#passphrase').fill(COMPOSED)
    }

    it(`${name}: is not part of a form that something else sends`, async () => {
      steps.answer = (ctx) => ctx.redirect('/blocked')
      await open()
      await page.evaluate(sendNatively, id)
      await page.waitForURL(`${steps.origin}/blocked`)
      expect(steps.server.posted).to.have.lengthOf(1)
      const [body] = steps.server.posted
      expect(body?.get('csrf_token')).to.equal('c'.repeat(32))
      expect(body?.get('passphrase') ?? '').to.equal('')
      expect([...(body?.values() ?? [])].join('\n')).not.to.include('cadran')
    })

    it(`${name}: keeps its value until the page is left after a success`, async () => {
      steps.answer = accept
      await open()
      await page.evaluate(() =>
        addEventListener('pagehide', () =>
          sessionStorage.setItem(
            'left',
            document.querySelector<HTMLInputElement>('#passphrase')?.value ?? '',
          ),
        ),
      )
      await page.locator('#passphrase').press('Enter')
      await page.waitForURL(`${steps.origin}/blocked`)
      expect(await page.evaluate(() => sessionStorage.getItem('left'))).to.equal(COMPOSED)
    })

    it(`${name}: is empty when the browser brings the page back from its cache`, async () => {
      await open()
      const value = await page.evaluate(() => {
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
        return document.querySelector<HTMLInputElement>('#passphrase')?.value
      })
      expect(value).to.equal('')
    })
  }
})

/** Sends a form as password managers do: no script of ours is asked. */
function sendNatively(id: string): void {
  const form = document.querySelector(`form#${id}`)
  HTMLFormElement.prototype.submit.call(form)
}
