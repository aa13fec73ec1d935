import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const DOMAIN = 'alice.localhost'

describe('home app, in a browser', function () {
  this.timeout(30_000)
  let host: TestHost
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let faults: string[]

  before(async function () {
    needsChromium(this)
    host = await startTestHost({}, DOMAIN)
    browser = await launchChromium({ port: host.host.port, domains: [DOMAIN] })
  })
  after(async () => {
    await browser?.close()
    await host?.stop()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    const { cookie } = await host.host.app.ui.owners.createSession(host.instance)
    await context.addCookies([
      { name: cookie.name, value: cookie.value, domain: `.${DOMAIN}`, path: '/' },
    ])
    page = await context.newPage()
    faults = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
  })
  afterEach(() => context.close())

  const open = (): Promise<unknown> => page.goto(`${host.app('home')}/`)
  const note = (text: string) => page.getByRole('listitem').filter({ hasText: text })

  it('keeps a note in the instance, shows it after the page is opened again, and removes it', async () => {
    const text = 'Train at 18:40 <b>platform 3</b>'
    await open()
    await page.getByText('No notes yet.').waitFor()
    await page.getByLabel('New note').fill(text)
    await page.getByRole('button', { name: 'Add' }).click()
    await note(text).waitFor()

    await open()
    await note(text).waitFor()
    await page.getByRole('button', { name: `Delete the note ${text}` }).click()
    await note(text).waitFor({ state: 'detached' })
    expect(faults).to.deep.equal([])
  })

  it('logs out: the login page comes, here and for whoever opens it again', async () => {
    await open()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${host.instance.origin}/auth/login`)
    await open()
    const { origin, pathname } = new URL(page.url())
    expect(origin + pathname).to.equal(`${host.instance.origin}/auth/login`)
    expect(faults).to.deep.equal([])
  })

  it('lets what it still reads be answered before it ends the session', async () => {
    await page.route('**/data/**', async (route) => {
      await page.getByRole('button', { name: 'Logging out' }).waitFor()
      await route.continue()
    })
    await open()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${host.instance.origin}/auth/login`)
    expect(faults).to.deep.equal([])
  })

  it('takes its shared files from the kit on its own host', async () => {
    const loaded: string[] = []
    page.on('response', (response) => {
      if (response.url().includes('/_kit/')) loaded.push(`${response.status()} ${response.url()}`)
    })
    await open()
    await page.getByRole('button', { name: 'Add' }).waitFor()
    const scripts = [
      'api.js',
      'app-origin.js',
      'connecting.js',
      'dates.js',
      'dom.js',
      'log-out.js',
      'realtime.js',
      'start-page.js',
      'texts.js',
    ]
    const sheets = ['base.css', 'frame.css', 'start-page.css', 'tokens.css']
    const names = [...scripts, ...sheets].sort()
    expect(loaded.sort()).to.deep.equal(names.map((name) => `200 ${host.app('home')}/_kit/${name}`))
    const colour = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--color-page').trim(),
    )
    expect(colour, 'a value of tokens.css').to.not.equal('')
  })
})
