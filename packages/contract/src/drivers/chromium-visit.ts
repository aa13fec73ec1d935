import type { Browser as Chromium, BrowserContext, Page, Request, Response } from 'playwright-core'
import type { CookieJar } from 'tough-cookie'
import type { Answer, Header } from '../model/exchange.ts'
import type { Wire } from '../net/wire.ts'
import { cookiesOf, keepCookies } from './chromium-cookies.ts'
import type { HttpDriver } from './http-driver.ts'

export interface ChromiumVisitOptions {
  readonly base: URL
  readonly wire: Wire
  readonly pages: HttpDriver
  readonly passphrase: string
}

/** What a page answered. */
interface Shown {
  readonly status: number
  readonly body: string
  /** Where it leads, as a whole address. */
  readonly location?: string
}

const STEP_MS = 30_000
/** What a page looks like is not asked. */
const UNSEEN: ReadonlySet<string> = new Set(['image', 'font', 'media', 'stylesheet'])

/** One window: from an address to where it leads. Its cookies are those of a jar. */
export class ChromiumVisit {
  readonly #context: BrowserContext
  readonly #page: Page
  readonly #jar: CookieJar
  readonly #options: ChromiumVisitOptions
  /** Answers of the window itself that nobody has looked at yet. */
  readonly #answers: Promise<Shown>[] = []
  readonly #posts: Promise<unknown>[] = []
  /** The last answers to scripts, by method and address. */
  readonly #bodies = new Map<string, string>()
  #label = ''
  #fault: unknown
  /** Where the window was sent off the server; absent as long as it is there. */
  left: string | undefined

  private constructor(
    context: BrowserContext,
    page: Page,
    jar: CookieJar,
    options: ChromiumVisitOptions,
  ) {
    this.#context = context
    this.#page = page
    this.#jar = jar
    this.#options = options
    page.setDefaultTimeout(STEP_MS)
    page.on('response', (response) => {
      const request = response.request()
      if (this.#isOfWindow(request)) this.#answers.push(this.#keep(response))
      // What a script posted for a form. A window that is closed in between ends the reading.
      else if (request.method() !== 'GET') this.#posts.push(this.#keep(response).catch(() => {}))
    })
    page.on('requestfailed', (request) => {
      // Clients are nowhere.
      if (this.#isOfWindow(request) && !this.#isOurs(request.url())) this.left = request.url()
    })
  }

  static async begin(
    chromium: Chromium,
    jar: CookieJar,
    options: ChromiumVisitOptions,
  ): Promise<ChromiumVisit> {
    const context = await chromium.newContext({ locale: 'en' })
    await context.addCookies(await cookiesOf(jar))
    const page = await context.newPage()
    const visit = new ChromiumVisit(context, page, jar, options)
    await visit.#readBeforeScripts()
    await page.route('**/*', async (route) => {
      const request = route.request()
      if (UNSEEN.has(request.resourceType()) || !visit.#mayAsk(request.method(), request.url())) {
        await route.abort()
      } else await route.continue()
    })
    return visit
  }

  /** A script that reads an answer may send the window on, and what the page was answered goes with the page. */
  async #readBeforeScripts(): Promise<void> {
    const session = await this.#context.newCDPSession(this.#page)
    const read = async (requestId: string, name: string): Promise<void> => {
      try {
        const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
        this.#bodies.set(name, Buffer.from(body, base64Encoded ? 'base64' : 'utf8').toString())
      } catch {
        // A redirect has none, and a window that is closed neither.
      }
      await session.send('Fetch.continueRequest', { requestId }).catch(() => {})
    }
    session.on('Fetch.requestPaused', ({ requestId, request }) => {
      void read(requestId, `${request.method} ${request.url}`)
    })
    await session.send('Fetch.enable', {
      patterns: [{ requestStage: 'Response', resourceType: 'Fetch' }],
    })
  }

  /** Goes to an address. @throws Error when no answer comes */
  async open(label: string, url: string): Promise<Shown> {
    return this.#step(label, () => this.#page.goto(url))
  }

  /** Where the window is. */
  get url(): string {
    return this.#page.url()
  }

  /** Whether the window shows a login. */
  async showsLogin(): Promise<boolean> {
    return new URL(this.#page.url()).pathname === '/auth/login' && (await this.asksPassphrase())
  }

  /** Whether the page asks for the passphrase. */
  async asksPassphrase(): Promise<boolean> {
    return (await this.#page.locator('input[type=password]').count()) > 0
  }

  /** Fills the passphrase where it is asked, and presses the first button that submits. */
  async submit(label: string): Promise<Shown> {
    const asked = this.#page.locator('form[method=post i]')
    const form = (await this.asksPassphrase())
      ? asked.filter({ has: this.#page.locator('input[type=password]') }).first()
      : asked.first()
    if ((await form.count()) === 0) throw await this.stop(label, 'a page has no form')
    if (await this.asksPassphrase()) {
      await form.locator('input[type=password]').first().fill(this.#options.passphrase)
    }
    const button = form
      .locator('button[type=submit], button:not([type]), input[type=submit]')
      .first()
    // A form is posted by the window, or by a script that then sends the window on.
    return this.#step(label, async () => {
      const loads = (request: Request): boolean => this.#isOfWindow(request)
      const moved = Promise.race([
        this.#page.waitForResponse((response) => loads(response.request())),
        this.#page.waitForEvent('requestfailed', loads),
      ])
      await Promise.all([moved, button.click()])
    })
  }

  /** Where the link of the page leads that refuses. */
  async refusal(label: string): Promise<string> {
    const link = this.#page.locator('a[href*="error="]').first()
    const href = (await link.count()) === 0 ? null : await link.getAttribute('href')
    if (href === null) throw await this.stop(label, 'a page has no way to refuse')
    return href
  }

  /** What went wrong, with the page that is shown. */
  async stop(label: string, what: string): Promise<Error> {
    return this.#options.pages.stopAt(label, what, await this.#page.content())
  }

  /** Closes the window; its cookies go back into the jar. */
  async end(): Promise<void> {
    await keepCookies(this.#jar, await this.#context.cookies(), this.#options.base.protocol)
    await this.#context.close()
  }

  /** @returns the first answer of the step */
  async #step(label: string, act: () => Promise<unknown>): Promise<Shown> {
    this.#label = label
    this.#answers.length = 0
    let failed: unknown
    try {
      await act()
      await this.#page.waitForLoadState('domcontentloaded')
    } catch (error) {
      // Clients are nowhere: the window that is sent to one fails to load.
      failed = error
    }
    await Promise.all(this.#posts.splice(0))
    const [shown, ...others] = await Promise.all(this.#answers)
    if (this.#fault !== undefined) throw this.#fault
    if (shown === undefined) {
      if (this.left === undefined) throw failed ?? new Error(`${label}: no answer`)
      return { status: 0, body: '', location: this.left }
    }
    const { location } = others.at(-1) ?? shown
    if (location !== undefined && !this.#isOurs(location)) this.left = location
    else if (failed !== undefined && this.left === undefined) throw failed
    return shown
  }

  #isOfWindow(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame()
  }

  #isOurs(url: string): boolean {
    const { hostname } = new URL(url)
    const { base, pages } = this.#options
    return hostname === base.hostname || pages.isAppHost(hostname)
  }

  #mayAsk(method: string, url: string): boolean {
    if (!this.#isOurs(url)) return true
    try {
      this.#options.wire.count({ method, url, headers: [] })
      return true
    } catch (error) {
      this.#fault ??= error
      return false
    }
  }

  async #keep(response: Response): Promise<Shown> {
    const request = response.request()
    const label =
      request.redirectedFrom() === null ? this.#label : this.#label.replace(/\.[^.]*$/, '.hop')
    const headersOf = (list: readonly { name: string; value: string }[]): Header[] =>
      list.map(({ name, value }) => [name, value])
    const body = request.postData()
    const sent = headersOf(await request.headersArray())
    const headers = headersOf(await response.headersArray())
    const answer: Answer = {
      status: response.status(),
      headers,
      // A redirect has none that can be read.
      body:
        this.#bodies.get(`${request.method()} ${request.url()}`) ??
        (await response.text().catch(() => '')),
    }
    this.#options.wire.keep({
      label,
      request: {
        method: request.method(),
        url: request.url(),
        headers: sent,
        ...(body !== null && { body }),
      },
      answer,
    })
    const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
    return {
      status: answer.status,
      body: answer.body,
      // Not parsed and written again: a client's address counts as it was sent.
      ...(location !== undefined && {
        location: /^https?:/.test(location) ? location : new URL(location, request.url()).href,
      }),
    }
  }
}
