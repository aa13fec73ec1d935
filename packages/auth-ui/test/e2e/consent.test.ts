import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

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
    page = await browser.newPage()
    await page.goto(`${server.origin}/consent`)
  })
  afterEach(() => page.close())

  const primary = () => page.locator('#consent [type=submit]')

  const labels: readonly [span: string, label: string][] = [
    ['1 hour', 'Allow for 1 hour'],
    ['1 day', 'Allow for 1 day'],
    ['30 days', 'Allow for 30 days'],
    ['Until I end it', 'Allow access'],
  ]
  it('says on its button what will happen', async () => {
    for (const [span, label] of labels) {
      await page.getByLabel(span, { exact: true }).check()
      expect(await primary().innerText()).to.equal(label)
    }
  })

  it('sends nothing when nothing is ticked, and says why beside the boxes', async () => {
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url())
    })
    const boxes = page.getByRole('checkbox')
    for (const box of await boxes.all()) await box.uncheck()
    await primary().click()
    const alert = page.getByText('Leave at least one permission ticked, or refuse.')
    await alert.waitFor()
    expect(await alert.evaluate((element) => element === document.activeElement)).to.equal(true)
    expect(posts).to.deep.equal([])
    await boxes.first().check()
    expect(await alert.count()).to.equal(0)
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await primary().click()
    const body = new URLSearchParams((await sent).postData() ?? '')
    expect(Object.fromEntries(body)).to.include({ choice: '1', 'permission-0': '1' })
    expect(body.has('permission-1')).to.equal(false)
  })

  it('keeps the raw scope one tap away', async () => {
    await page.getByText('Technical details').click()
    expect(await page.getByText('io.svc.photos.albums:GET,POST,PUT,PATCH').isVisible()).to.equal(
      true,
    )
  })
})
