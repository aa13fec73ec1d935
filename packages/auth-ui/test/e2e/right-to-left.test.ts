import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other']
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

/** What the kit gives an app. */
interface Kit {
  readonly loadTexts: (
    app: string,
    wanted: string,
  ) => Promise<{ locale: string; t: (key: string, values?: { count: number }) => string }>
}

describe('texts of an app, in a browser', function () {
  this.timeout(60_000)
  let server: AppServer
  let browser: Browser
  let page: Page

  before(async function () {
    needsChromium(this)
    const folder = await mkdtemp(join(tmpdir(), 'svc-texts-'))
    await mkdir(join(folder, 'locales'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Texts</title>')
    await writeFile(join(folder, 'locales/en.json'), JSON.stringify({ n_one: 'one', n_other: 'n' }))
    await writeFile(
      join(folder, 'locales/ar.json'),
      JSON.stringify(
        Object.fromEntries(CATEGORIES.map((category) => [`n_${category}`, category] as const)),
      ),
    )
    server = await appServer({ folder, answers: {} })
    browser = await launchChromium({ port: server.port, domains: [] })
    page = await browser.newPage()
    await page.goto(server.origin)
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  async function said(
    wanted: string,
  ): Promise<{ locale: string; dir: string; forms: readonly string[] }> {
    return page.evaluate(
      async ({ tag, kit }) => {
        const { loadTexts } = (await import(kit)) as Kit // Our own file, as the apps load it.
        const { locale, t } = await loadTexts(location.href, tag)
        const forms = [0, 1, 2, 3, 11, 100].map((count) => t('n', { count }))
        return { locale, dir: document.documentElement.dir, forms }
      },
      { tag: wanted, kit: '/_kit/texts.js' },
    )
  }

  it('count in the six categories of Arabic', async () => {
    expect(await said('ar-EG')).to.deep.equal({ locale: 'ar', dir: 'rtl', forms: CATEGORIES })
  })

  for (const wanted of ['nl', 'nl_BE', '../locales/ar', '']) {
    it(`are English where there is no file for "${wanted}"`, async () => {
      const forms = ['n', 'one', 'n', 'n', 'n', 'n']
      expect(await said(wanted)).to.deep.equal({ locale: 'en', dir: 'ltr', forms })
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
