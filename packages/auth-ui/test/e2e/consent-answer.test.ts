import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { Answer } from '../support/browser-steps.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

// What the script does with the owner's answer. @see decision D93
describe('the answer of a consent page, in a browser', function () {
  this.timeout(30_000)
  let browser: Browser
  let server: SampleServer
  let page: Page
  let answer: Answer
  let accepted: string[]

  before(async function () {
    needsChromium(this)
    server = await sampleServer({
      async answer(ctx) {
        accepted.push(ctx.get('Accept'))
        await answer(ctx)
      },
    })
    browser = await launchChromium({ port: server.port, domains: [] })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(async () => {
    accepted = []
    server.posted.length = 0
    page = await browser.newPage()
  })
  afterEach(() => page.close())

  const primary = () => page.locator('button[type=submit]:not([aria-disabled])').first()
  const open = (name: string) => page.goto(`${server.origin}/${name}`)
  const leadTo =
    (redirect: unknown): Answer =>
    (ctx) => {
      ctx.body = { redirect }
    }

  for (const name of ['consent', 'assistant-registered', 'sharing', 'sharing-client']) {
    it(`is sent as data by ${name}, once, and the page goes where it leads`, async () => {
      answer = leadTo(`${server.origin}/blocked`)
      await open(name)
      await primary().click()
      await page.waitForURL(`${server.origin}/blocked`)
      expect(accepted).to.deep.equal(['application/json'])
      expect(server.posted[0]?.get('csrf_token')).to.match(/^c+$/u)
    })
  }

  for (const redirect of [
    'javascript:document.title="ran"',
    'data:text/html,ran',
    'quillapp://done',
    'blocked',
    '',
    1,
  ]) {
    it(`does not lead to ${JSON.stringify(redirect)}`, async () => {
      answer = leadTo(redirect)
      await open('consent')
      await primary().click()
      await page.locator('form[data-sent=no]').waitFor()
      await page.locator('button[aria-busy]').waitFor({ state: 'detached' })
      expect(page.url()).to.equal(`${server.origin}/consent`)
      expect(server.posted).to.have.lengthOf(1)
    })
  }

  it('is posted by the form when the server has words for the owner, with what was pressed', async () => {
    answer = (ctx) => {
      ctx.status = 403
      if (accepted.length === 1) ctx.body = { error: 'client_limit' }
      else {
        ctx.type = 'html'
        ctx.body = '<h1>Too many apps</h1>'
      }
    }
    await open('assistant-registered')
    await page.getByRole('button', { name: 'Don’t allow' }).click()
    await page.getByRole('heading', { name: 'Too many apps' }).waitFor()
    const [asData, asForm] = server.posted.map((body) => [...body].sort())
    expect(asData).to.deep.equal(asForm)
    expect(server.posted[1]?.get('answer')).to.equal('refuse')
  })

  it('is posted by the form when it goes to a program of the device', async () => {
    answer = leadTo('/blocked')
    await open('consent-app')
    await primary().click()
    await page.getByText('"redirect"').waitFor()
    expect(accepted).to.have.lengthOf(1)
    expect(accepted[0]).to.include('text/html')
  })

  it('is not sent by the event of another script', async () => {
    answer = leadTo(`${server.origin}/blocked`)
    await open('consent')
    await primary().waitFor()
    const isPrevented = await page.evaluate(() => {
      const event = new SubmitEvent('submit', { cancelable: true, bubbles: true })
      return document.querySelector('form')?.dispatchEvent(event) === false
    })
    expect(isPrevented).to.equal(true)
    expect(server.posted).to.have.lengthOf(0)
    await primary().click()
    await page.waitForURL(`${server.origin}/blocked`)
  })
})
