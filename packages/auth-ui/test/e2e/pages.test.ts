import { axeFaults, launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { appServer, type AppServer } from '../support/app-server.ts'
import { SAMPLES } from '../support/sample-models.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'
import { settingsAnswers, sixtyClients } from '../support/settings-samples.ts'

const MAX_PAGE_BYTES = 50_000
/** Of a section of the settings that is opened at once, instead of after the first one (0464). */
const MAX_SECTION_BYTES = 60_000
const FORGOT = 'Forgot your passphrase?'
const BY_PASSKEY = 'Log in with a passkey'
const LINK_BY_MAIL = 'Email me a login link'
const TRUST = 'two-factor-generate-trusted-device-token'
/** In turns: each page is looked at in both themes, and in two of the languages. */
const LOCALES = ['en', 'fr', 'de', 'es'] as const

/** What a page may weigh with style and script. */
function mostBytes(name: string): number {
  return name.startsWith('settings: ') && name !== 'settings: overview'
    ? MAX_SECTION_BYTES
    : MAX_PAGE_BYTES
}

/** A folded group of the consent page: its line, then its boxes. */
function group(name: string, key: string, ...rights: readonly string[]): readonly string[] {
  return [name, ...rights.map((right) => `group-${key}-${right}`)]
}

/** What Tab reaches on each page, in this order; the first is where focus is when the page opens. */
const WALKS: readonly (readonly [name: string, stops: readonly string[]])[] = [
  [
    'login-magic',
    ['passphrase', 'Show', 'long-run-session', 'Log in', BY_PASSKEY, LINK_BY_MAIL, FORGOT],
  ],
  ['passcode', ['two-factor-passcode', TRUST, 'Log in', 'Email me a new code (', 'Start again']],
  ['passcode-wrong', ['two-factor-passcode', TRUST, 'Log in']],
  [
    'passcode-all',
    [
      'Use your passkey',
      'two-factor-passcode',
      TRUST,
      'Log in',
      'Use a recovery code',
      'Email me a new code (',
      'Start again',
    ],
  ],
  ['passcode-expired', ['Start again']],
  ['magic-open', ['Log in']],
  ['magic-passphrase', ['passphrase', 'Show', 'Log in', FORGOT]],
  ['confirm-app', ['passphrase', 'Show', 'Confirm', 'Cancel', 'Confirm with a passkey']],
  ['passkey-offer', ['', 'Add a passkey', 'Not now', 'Don’t ask again']],
  ['renew', ['passphrase', 'Show', 'hint', 'Set the new passphrase', 'Back to login']],
  ['choose', ['passphrase', 'Show', 'hint', 'Set passphrase and open my space']],
  ['reset', ['', 'Email me my reminder', 'Email me the link', 'Back to login']],
  ['passkey', ['', 'label', 'Create the passkey', 'Cancel']],
  ['mail-sent-magic', ['', 'Back to login']],
  ['activation-bad-token', ['', 'Email me a new link']],
  ['cookies-blocked', ['', 'Try again']],
  ['error-link-used', ['', 'Ask for a new link']],
  [
    'consent',
    [
      '',
      'Skip to Allow or Don’t allow',
      ...group('Files and photos', 'files', 'read', 'change', 'delete'),
      ...group('Other data', 'other', 'read', 'delete'),
      ...group('Apps and devices', 'apps', 'change'),
      ...group('People and calendar', 'people', 'read'),
      ...group('Money', 'money', 'read'),
      ...group('Your account', 'account', 'read'),
      'Untick all',
      'Tick all',
      'When I remove it',
      'Details',
      'Allow for 30 days',
      'Don’t allow',
    ],
  ],
]

describe('every page, in a browser', function () {
  this.timeout(60_000)
  let pages: SampleServer
  let settings: AppServer
  let many: AppServer
  let browser: Browser
  /** One window for all looks at all pages: opening one takes longer than looking. */
  let looking: BrowserContext
  /** The same for their widths and weights. */
  let narrow: BrowserContext
  /** The pages on a host where passkeys work. */
  let secure: string

  before(async function () {
    needsChromium(this)
    pages = await sampleServer()
    settings = await appServer({ folder: appFolders.settings, answers: settingsAnswers() })
    many = await appServer({
      folder: appFolders.settings,
      answers: settingsAnswers(sixtyClients()),
    })
    browser = await launchChromium({ port: pages.port, domains: ['alice.localhost'] })
    looking = await browser.newContext({ reducedMotion: 'reduce' })
    narrow = await browser.newContext({ viewport: { width: 320, height: 640 } })
    secure = `http://alice.localhost:${pages.port}`
  })
  after(async () => {
    await browser?.close()
    await Promise.all([pages, settings, many].map((server) => server?.close()))
  })

  const all: readonly (readonly [name: string, url: () => string])[] = [
    ...Object.keys(SAMPLES).map((name) => [name, () => `${pages.origin}/${name}?`] as const),
    ['settings: overview', () => `${settings.origin}/?x=`],
    ['settings: profile', () => `${settings.origin}/?x=#/profile`],
    ['settings: security', () => `${settings.origin}/?x=#/security`],
    ['settings: passphrase', () => `${settings.origin}/?x=#/security/passphrase`],
    ['settings: devices', () => `${settings.origin}/?x=#/devices`],
    ['settings: apps', () => `${settings.origin}/?x=#/apps/c1`],
    ['settings: sixty apps', () => `${many.origin}/?x=#/apps`],
  ]

  for (const [at, [name, url]] of all.entries()) {
    it(`${name}: no accessibility fault, in both themes`, async () => {
      const page = await looking.newPage()
      for (const [turn, colorScheme] of (['light', 'dark'] as const).entries()) {
        const locale = LOCALES[(at + turn) % LOCALES.length] ?? 'en'
        await page.emulateMedia({ colorScheme })
        await visit(page, withLocale(url(), locale))
        // Only colours depend on the theme.
        const faults = await axeFaults(page, { onlyColours: colorScheme === 'dark' })
        expect(faults, `${colorScheme} ${locale}`).to.deep.equal([])
      }
      await page.close()
    })

    it(`${name}: fits 320 px and weighs no more than it may, in a language longer than any`, async () => {
      const page = await narrow.newPage()
      // Everything is fetched each time, and weighed.
      const session = await narrow.newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.setCacheDisabled', { cacheDisabled: true })
      const reports = collectViolations(page)
      const bytes = countBytes(page)
      await visit(page, withLocale(url(), 'en-XA'))
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow, 'pixels beyond the edge').to.be.at.most(0)
      expect(await cutOff(page), 'cut off').to.deep.equal([])
      expect(await smallTargets(page), 'lower than 44 px').to.deep.equal([])
      expect(await stuckHeadings(page), 'nothing between heading and text').to.deep.equal([])
      expect(await bytes(), 'bytes with style and script').to.be.at.most(mostBytes(name))
      expect(await reports()).to.deep.equal([])
      await page.close()
    })
  }

  for (const [name, stops] of WALKS) {
    it(`${name}: can be walked with the keyboard, focus visible`, async () => {
      const context = await browser.newContext({ reducedMotion: 'reduce' })
      const page = await open(context, `${secure}/${name}`)
      const reached: string[] = []
      const unseen: string[] = []
      for (const [at, stop] of stops.entries()) {
        if (at > 0) await page.keyboard.press('Tab')
        const { said, isVisible } = await focused(page)
        // A countdown goes on in the label of a button: its first words are enough.
        reached.push(stop !== '' && said.startsWith(stop) ? stop : said)
        if (said !== '' && !isVisible) unseen.push(said)
      }
      expect(reached).to.deep.equal(stops)
      expect(unseen, 'focus that cannot be seen').to.deep.equal([])
      await context.close()
    })
  }

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
        expect(await axeFaults(page)).to.deep.equal([])
        expect(await page.getByRole('contentinfo').innerText()).to.include('Acme Cloud')
        await context.close()
      }
    } finally {
      await themed.close()
    }
  })
})

/** The name or the words of what has focus, empty when nothing has; and whether that can be seen. */
async function focused(page: Page): Promise<{ said: string; isVisible: boolean }> {
  return page.evaluate(() => {
    const { activeElement: element } = document
    if (!(element instanceof HTMLElement) || element === document.body) {
      return { said: '', isVisible: false }
    }
    // A field's ring is drawn around its box, which has the button to show it in it.
    const ring = element.matches('.field__input') ? element.closest('.field__box') : element
    // The script takes the name of a passphrase away.
    const said =
      element instanceof HTMLInputElement ? element.name || element.id : element.innerText.trim()
    return { said, isVisible: getComputedStyle(ring ?? element).outlineStyle !== 'none' }
  })
}

async function open(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await visit(page, url)
  return page
}

/** Goes to a page; an app's is there when its content is. */
async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  // What judges a new passphrase comes after the page, and is part of its weight.
  if ((await page.locator('#choose-passphrase').count()) > 0) {
    await page.waitForLoadState('networkidle')
  }
  const isApp = (await page.locator('#content').count()) > 0
  if (isApp) await page.locator('#content[aria-busy=false]').waitFor()
}

function withLocale(url: string, locale: string): string {
  const parsed = new URL(url)
  parsed.searchParams.set('locale', locale)
  return parsed.href
}

/** Bytes of the bodies of everything a page loads, as they are sent: files come compressed, pages do not. */
function countBytes(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = []
  const count = (request: Request): void => {
    if (!request.url().includes('/settings/'))
      sizes.push(
        request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        ),
      )
  }
  page.on('requestfinished', count)
  return async () => {
    page.off('requestfinished', count)
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(total, 'something was counted').to.be.above(1000)
    return total
  }
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

/** Headings of pages with less than 8 px between them and what follows. */
async function stuckHeadings(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.card h1')].flatMap((heading) => {
      const { bottom } = heading.getBoundingClientRect()
      // Beside an app's picture the next line is its fine print.
      if (heading.closest('.asks__text') !== null) return []
      const below = [...(heading.parentElement?.children ?? [])]
        .map((element) => element.getBoundingClientRect())
        .find(({ top, height }) => height > 0 && top >= bottom)
      const gap = below === undefined ? 8 : below.top - bottom
      return gap < 8 ? [`${heading.innerText}: ${gap} px`] : []
    }),
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
