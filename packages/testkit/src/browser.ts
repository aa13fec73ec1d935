import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Page as BrowserPage } from 'playwright-core'
import { loopbackPort, type LoopbackMap } from './loopback-request.ts'
import { type Skippable, skipUnless } from './skip-unless.ts'
import { timeBudget } from './time-budget.ts'

export interface ChromiumOptions extends LoopbackMap {
  /** Host names that only exist in the test; each, and every name below it, leads to its loopback port. */
  readonly domains: readonly string[]
  /** Whether it has to be the browser that people have, with windows of its own, not the one without. */
  readonly isWhole?: boolean
}

const WHOLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
/** The same engine without the browser's own windows: takes half the time. */
const SHELL = '/usr/bin/chromium-headless-shell'

/** Where Chromium is: `CHROMIUM_PATH`, else the system's; undefined when there is none. */
export function chromiumPath(isWhole = false): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  const system = isWhole ? WHOLE : [SHELL, ...WHOLE]
  return (named === undefined ? system : [named]).find((place) => existsSync(place))
}

/** Call in a `before` hook of suites with a real browser: without Chromium they are skipped, under CI they fail. */
export function needsChromium(context: Skippable): void {
  skipUnless(
    context,
    chromiumPath(true) !== undefined,
    'no Chromium; install the package chromium or set CHROMIUM_PATH',
  )
}

/**
 * Starts the system's Chromium, headless, with the test's host names leading to loopback. It speaks real HTTP(S) to
 * them: an https URL needs a server with TLS. `*.localhost` is a secure context over http, too.
 */
export async function launchChromium(options: ChromiumOptions): Promise<Browser> {
  const executablePath = chromiumPath(options.isWhole)
  if (executablePath === undefined) throw new Error('no Chromium on this machine')
  const named = Object.keys(options.hosts ?? {})
  const rules = [...named, ...options.domains].flatMap((domain) => {
    const target = `127.0.0.1:${loopbackPort(options, domain)}`
    return [`MAP ${domain} ${target}`, `MAP *.${domain} ${target}`]
  })
  // Loaded when used: most suites have no browser.
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    timeout: timeBudget(LAUNCH_MS),
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--disable-features=${UNSEEN_FEATURES.join(',')}`,
      `--host-resolver-rules=${[...rules, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1'].join(',')}`,
    ],
  })
  browser.on('context', (context) => context.setDefaultTimeout(timeBudget(STEP_MS)))
  return browser
}

/** What the start of a browser, and one step on a page, take at most on a quiet machine; milliseconds. */
const LAUNCH_MS = 30_000
const STEP_MS = 10_000

/**
 * Parts of the browser's own window, drawn as web pages: nobody sees them in headless mode, and they cost a fifth of the
 * time of each window (measured with Chromium 156). The names after the first line are those that playwright-core turns
 * off itself: a second `--disable-features` replaces its list.
 */
const UNSEEN_FEATURES = [
  'InitialWebUI',
  'InitialWebUISyncNavStartToCommit',
  'WebUIOmnibox',
  'WebUIOmniboxPopup',
  'WebUIReloadButton',
  'WebUIToolbar',
  'WebUIToolbarWebView',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Saves what a page shows as `<SVC_SHOTS>/<name>.png`; does nothing when the variable is unset. */
export async function takeShot(page: BrowserPage, name: string): Promise<void> {
  const folder = process.env['SVC_SHOTS']
  if (folder === undefined || folder === '') return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}
