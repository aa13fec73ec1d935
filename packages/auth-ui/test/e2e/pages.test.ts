import { AxeBuilder } from '@axe-core/playwright'
import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { appServer, type AppServer } from '../support/app-server.ts'
import { SAMPLES } from '../support/sample-models.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'
import { settingsAnswers, sixtyClients } from '../support/settings-samples.ts'

const MAX_PAGE_BYTES = 50_000
const LOOKS = [
  { colorScheme: 'light', locale: 'en' },
  { colorScheme: 'dark', locale: 'fr' },
] as const

describe('every page, in a browser', function () {
  this.timeout(60_000)
  let pages: SampleServer
  let settings: AppServer
  let many: AppServer
  let browser: Browser

  before(async function () {
    needsChromium(this)
    pages = await sampleServer()
    settings = await appServer({ folder: appFolders.settings, answers: settingsAnswers() })
    many = await appServer({
      folder: appFolders.settings,
      answers: settingsAnswers(sixtyClients()),
    })
    browser = await launchChromium({ port: pages.port, domains: [] })
  })
  after(async () => {
    await browser?.close()
    await Promise.all([pages, settings, many].map((server) => server?.close()))
  })

  const all: readonly (readonly [name: string, url: () => string])[] = [
    ...Object.keys(SAMPLES).map((name) => [name, () => `${pages.origin}/${name}?`] as const),
    ['settings: apps', () => `${settings.origin}/?x=#clients`],
    ['settings: sessions', () => `${settings.origin}/?x=#sessions`],
    ['settings: sixty apps', () => `${many.origin}/?x=`],
  ]

  for (const [name, url] of all) {
    it(`${name}: no accessibility fault, in both themes and languages`, async () => {
      for (const { colorScheme, locale } of LOOKS) {
        const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
        const page = await open(context, withLocale(url(), locale))
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(faultText), `${colorScheme} ${locale}`).to.deep.equal([])
        await context.close()
      }
    })

    it(`${name}: fits 320 px and weighs at most 50 kB, in the longest language too`, async () => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 } })
      for (const locale of ['en', 'en-XA']) {
        const page = await context.newPage()
        const bytes = countBytes(page)
        const reports = collectViolations(page)
        await visit(page, withLocale(url(), locale))
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, `pixels beyond the edge in ${locale}`).to.be.at.most(0)
        expect(await cutOff(page), `cut off in ${locale}`).to.deep.equal([])
        expect(await smallTargets(page), 'lower than 44 px').to.deep.equal([])
        expect(await bytes(), 'bytes with style and script').to.be.at.most(MAX_PAGE_BYTES)
        expect(await reports()).to.deep.equal([])
        await page.close()
      }
      await context.close()
    })
  }

  it('can be walked with the keyboard, focus visible', async () => {
    const context = await browser.newContext()
    const page = await open(context, `${pages.origin}/consent`)
    const seen: string[] = []
    for (let step = 0; step < 5; step += 1) {
      await page.keyboard.press('Tab')
      seen.push(
        await page.evaluate(() => {
          const { activeElement: element } = document
          if (!(element instanceof HTMLElement)) return 'nothing'
          const { outlineStyle } = getComputedStyle(element)
          return `${element.innerText.trim()} (${outlineStyle})`
        }),
      )
    }
    expect(seen.slice(0, 4)).to.deep.equal([
      'Technical details (solid)',
      'Privacy policy of the app (solid)',
      'Allow access (solid)',
      'Refuse (solid)',
    ])
    await context.close()
  })

  it('shows an embedder’s colours without an accessibility fault', async () => {
    const themed = await sampleServer({
      theme: {
        name: 'Acme Cloud',
        accent: '#7a1fa2',
        radius: '4px',
        links: [{ label: 'Help', href: 'https://help.example.com/' }],
      },
    })
    try {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ colorScheme })
        const page = await open(context, `${themed.origin}/login`)
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(faultText)).to.deep.equal([])
        expect(await page.getByRole('contentinfo').innerText()).to.include('Acme Cloud')
        await context.close()
      }
    } finally {
      await themed.close()
    }
  })
})

async function open(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await visit(page, url)
  return page
}

/** Goes to a page; an app's is there when its content is. */
async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  const isApp = (await page.locator('#content').count()) > 0
  if (isApp) await page.locator('#content[aria-busy=false]').waitFor()
}

function withLocale(url: string, locale: string): string {
  const parsed = new URL(url)
  parsed.searchParams.set('locale', locale)
  return parsed.href
}

function faultText(fault: { id: string; nodes: readonly { target: unknown }[] }): string {
  return `${fault.id}: ${fault.nodes.map(({ target }) => String(target)).join(' ')}`
}

/** Bytes of the bodies of everything a page loads, as they are sent. */
function countBytes(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (!response.url().includes('/settings/'))
      sizes.push(
        response.body().then(
          (body) => body.length,
          () => 0,
        ),
      )
  })
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** What the browser refused because of the content security policy, and scripts that failed. */
function collectViolations(page: Page): () => Promise<string[]> {
  const found: string[] = []
  page.on('pageerror', (error) => found.push(String(error)))
  page.on('console', (message) => {
    // A page with a status of failure is said to be one; that is no report.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      found.push(message.text())
  })
  return async () => found
}

/** Elements whose text does not fit and is hidden. */
async function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('h1, h2, p, button, a, label, summary, li')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .filter(
        (element) => element.clientWidth > 1 && getComputedStyle(element).display !== 'inline',
      )
      .map((element) => element.outerHTML.slice(0, 120)),
  )
}

/** Controls lower than 44 px, links within sentences left out. */
async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, .button, summary, .check, .field__box')]
      .filter((element) => element.getBoundingClientRect().height > 0)
      .filter((element) => element.matches('.field__toggle') === false)
      .filter((element) => element.getBoundingClientRect().height < 44)
      .map((element) => element.outerHTML.slice(0, 120)),
  )
}
