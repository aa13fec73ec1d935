import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { launchChromium, type Listening, listen, needsChromium } from '../../src/index.ts'

describe('launchChromium', () => {
  let server: Listening
  let browser: Browser | undefined

  before(async function () {
    needsChromium(this)
    this.timeout(60_000)
    server = await listen((req, res) => {
      res.setHeader('content-type', 'text/html').end(`<h1>${req.headers.host}</h1>`)
    })
    browser = await launchChromium({
      port: server.port,
      domains: ['alice.localhost', 'alice.example.com'],
    })
  })

  after(async () => {
    await browser?.close()
    await server?.close()
  })

  const urls = [
    'http://alice.localhost:8080/',
    'http://home.alice.localhost:8080/',
    'http://alice.example.com/',
  ]
  for (const url of urls) {
    it(`reaches the loopback server as ${url}`, async () => {
      const page = await browser?.newPage()
      await page?.goto(url)
      expect(await page?.textContent('h1')).to.equal(new URL(url).host)
      await page?.close()
    })
  }
})
