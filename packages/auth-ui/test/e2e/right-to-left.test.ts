import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { type AppServer, appServer } from '../support/app-server.ts'
import { SAMPLES } from '../support/sample-models.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'
import { settingsAnswers } from '../support/settings-samples.ts'

const LOCALE = 'ar-XB'
const PHONE = 390
const DESK = 1280
const SECTIONS = ['', 'profile', 'security', 'devices', 'apps', 'notifications']

/** @see owner.md 6.6 */
describe('in a language that is written from right to left', function () {
  this.timeout(60_000)
  let pages: SampleServer
  let settings: AppServer
  let browser: Browser
  let page: Page

  before(async function () {
    needsChromium(this)
    pages = await sampleServer()
    settings = await appServer({
      folder: appFolders.settings,
      locale: LOCALE,
      answers: settingsAnswers(),
    })
    browser = await launchChromium({ port: pages.port, domains: [] })
    page = await browser.newPage({ reducedMotion: 'reduce' })
  })
  after(async () => {
    await browser?.close()
    await Promise.all([pages, settings].map((server) => server?.close()))
  })

  for (const name of Object.keys(SAMPLES)) {
    it(`${name} starts at the right, and fits a phone`, async () => {
      await page.setViewportSize({ width: PHONE, height: 844 })
      await page.goto(`${pages.origin}/${name}?locale=${LOCALE}`)
      expect(await look(page)).to.deep.equal(STARTS_RIGHT)
    })
  }

  for (const section of SECTIONS) {
    it(`settings #/${section} start at the right, and fit a phone and a desk`, async () => {
      for (const width of [PHONE, DESK]) {
        await page.setViewportSize({ width, height: 844 })
        await page.goto(`${settings.origin}/?width=${width}#/${section}`)
        await page.locator('#content[aria-busy=false]').waitFor({ state: 'attached' })
        expect(await look(page), `at ${width}`).to.deep.equal(STARTS_RIGHT)
      }
    })
  }
})

interface Look {
  readonly dir: string
  readonly overflow: boolean
  readonly isHeadingRight: boolean
  readonly turned: readonly string[]
}

const STARTS_RIGHT: Look = { dir: 'rtl', overflow: false, isHeadingRight: true, turned: [] }

/** How the page is written, and addresses, codes and hosts that the language turned round. */
async function look(page: Page): Promise<Look> {
  return page.evaluate(() => {
    const root = document.documentElement
    const heading = document.querySelector('h1')
    const box = heading?.getBoundingClientRect()
    const words = document.createRange()
    if (heading) words.selectNodeContents(heading)
    const turned = [...document.querySelectorAll('bdi, code')]
      .filter((it) => /^[\w.:/@-]+$/u.test(it.textContent) && /[.:/@\d]/u.test(it.textContent))
      .filter((it) => getComputedStyle(it).direction !== 'ltr')
      .map((it) => it.textContent)
    return {
      dir: root.dir,
      overflow: root.scrollWidth > root.clientWidth,
      isHeadingRight: Math.abs((box?.right ?? 0) - words.getBoundingClientRect().right) <= 1,
      turned,
    }
  })
}
