import { existsSync } from 'node:fs'
import type { Browser as Chromium } from 'playwright-core'
import { requirePeer } from '../peer.ts'
import { Slots } from '../net/slots.ts'
import type { ConnectTo } from '../net/wire.ts'
import { readPage } from '../pages/html.ts'
import type { Browser } from './browser.ts'
import { ChromiumVisit } from './chromium-visit.ts'
import type { Choice, Consent, Driver } from './driver.ts'
import type { DriverOptions } from './driver-options.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const HOPS = 10

/**
 * Starts the machine's Chromium: `CHROMIUM_PATH`, or where systems have it.
 * @throws Error without playwright-core, without Chromium, and with `--ca`, which does not reach it
 */
export async function openChromium(options: DriverOptions): Promise<Driver> {
  if (options.passphrase === undefined) throw new Error('chromium logs in with the passphrase')
  if (options.ca !== undefined) {
    throw new Error('--ca does not reach Chromium: give the authority to the system')
  }
  const { chromium } = await requirePeer('playwright-core', () => import('playwright-core'))
  const places = [options.environment['CHROMIUM_PATH'] ?? '', ...PLACES]
  const executablePath = places.find((place) => place !== '' && existsSync(place))
  if (executablePath === undefined) throw new Error('there is no Chromium; set CHROMIUM_PATH')
  const started = await chromium.launch({
    executablePath,
    args: [
      `--host-resolver-rules=${resolverRules(options.connectTo ?? []).join(',')}`,
      '--disable-dev-shm-usage',
      // The sandbox of Chromium does not start for the superuser, such as in a container.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  return new ChromiumDriver(started, { ...options, passphrase: options.passphrase })
}

/** Clients of a run are nowhere; everything else is where `--connect-to` says. */
export function resolverRules(rules: readonly ConnectTo[]): readonly string[] {
  return [
    'MAP *.contract.example ~NOTFOUND',
    ...rules.map(({ host, port, toHost, toPort }) => {
      const name = host === '' ? '*' : host
      const from = port === '' ? name : `${name}:${port}`
      const address = toHost === '' ? name : toHost
      return `MAP ${from} ${toPort === '' ? address : `${address}:${toPort}`}`
    }),
  ]
}

/** Fills the fields of pages and presses their buttons in a real browser. */
class ChromiumDriver implements Driver {
  readonly #options: DriverOptions & { readonly passphrase: string }
  readonly #chromium: Chromium
  /** A page loads several files at a time: pages come one after another. */
  readonly #turns = new Slots(1)

  constructor(chromium: Chromium, options: DriverOptions & { readonly passphrase: string }) {
    this.#chromium = chromium
    this.#options = options
  }

  login(label: string, browser: Browser): Promise<void> {
    return this.#visit(browser, async (visit) => {
      await visit.open(`${label}.form`, new URL('/auth/login', this.#options.base).href)
      const { status } = await visit.submit(`${label}.submit`)
      if (await visit.showsLogin()) {
        throw await visit.stop(label, `the login was refused (${status})`)
      }
    })
  }

  consent(label: string, browser: Browser, url: string, choice: Choice): Promise<Consent> {
    return this.#visit(browser, async (visit) => {
      await visit.open(`${label}.page`, url)
      for (let hop = 0; hop < HOPS; hop++) {
        if (visit.left !== undefined) return { location: visit.left }
        if (choice === 'refuse' && !(await visit.asksPassphrase())) {
          return { location: await visit.refusal(label) }
        }
        await visit.submit(`${label}.submit`)
      }
      throw await visit.stop(label, 'the pages lead in a circle')
    })
  }

  confirm(label: string, browser: Browser, url: string): Promise<string> {
    return this.#visit(browser, async (visit) => {
      await visit.open(`${label}.page`, url)
      const { location } = await visit.submit(`${label}.confirm`)
      return location ?? visit.url
    })
  }

  appToken(label: string, browser: Browser, slug: string): Promise<string> {
    const { pages } = this.#options
    return this.#visit(browser, async (visit) => {
      const { body } = await visit.open(label, pages.appUrl(slug))
      const token = readPage(body).data[pages.tokenAttribute] ?? ''
      if (token === '') throw await visit.stop(label, `the app ${slug} has no token`)
      return token
    })
  }

  close(): Promise<void> {
    return this.#chromium.close()
  }

  #visit<T>(browser: Browser, use: (visit: ChromiumVisit) => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      const { base, wire, pages, passphrase } = this.#options
      const visit = await ChromiumVisit.begin(this.#chromium, browser.jar, {
        base,
        wire,
        pages,
        passphrase,
      })
      try {
        return await use(visit)
      } finally {
        await visit.end()
      }
    })
  }
}
