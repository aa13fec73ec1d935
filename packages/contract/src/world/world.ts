import { randomBytes } from 'node:crypto'
import { Browser, requireAnswer } from '../drivers/browser.ts'
import type { Driver } from '../drivers/driver.ts'
import type { HttpDriver } from '../drivers/http-driver.ts'
import type { Ability } from '../model/ability.ts'
import type { Capability } from '../model/check.ts'
import type { Answered } from '../model/evidence.ts'
import type { Profile } from '../model/profile.ts'
import type { Budget } from '../net/budget.ts'
import type { Secrets } from '../net/secrets.ts'
import type { Wire } from '../net/wire.ts'
import type { Journal, Made } from '../journal/journal.ts'
import type { Mail } from '../mailbox/mailbox.ts'
import type { Beside } from './beside.ts'
import { Clients } from './clients.ts'
import { type Endpoints, readEndpoints } from './endpoints.ts'
import type { Call, Ground } from './ground.ts'

const PASSCODE = /(?:^|\s)(\d{6})(?:[\s.]|$)/

export interface WorldOptions {
  readonly base: URL
  readonly run: string
  readonly profile: Profile
  readonly wire: Wire
  readonly secrets: Secrets
  readonly budget: Budget
  readonly journal: Journal
  /** Reads pages and fills their fields. */
  readonly driver: HttpDriver
  /** What needs the owner. @defaultValue `driver` */
  readonly agent?: Driver
  /** Cookies of the owner, who came with a session: it is not ended. */
  readonly session?: string
  /** What the run has beside the server. */
  readonly surroundings: Beside<World>
  /** Begins the labels of what is asked for whoever needs it. @defaultValue none */
  readonly prefix?: string
}

/** What scenarios work with: one server, one owner, one run. */
export class World implements Ground {
  readonly base: URL
  readonly run: string
  readonly profile: Profile
  readonly budget: Budget
  readonly journal: Journal
  readonly driver: HttpDriver
  readonly agent: Driver
  readonly secrets: Secrets
  readonly wire: Wire
  readonly clients: Clients
  readonly notes: Record<string, string>
  readonly prefix: string
  readonly #surroundings: Beside<World>
  readonly #session: string | undefined
  #endpoints: Promise<Endpoints> | undefined
  #owner: Promise<Browser> | undefined

  constructor(options: WorldOptions) {
    this.base = options.base
    this.run = options.run
    this.profile = options.profile
    this.budget = options.budget
    this.journal = options.journal
    this.driver = options.driver
    this.agent = options.agent ?? options.driver
    this.#session = options.session
    this.secrets = options.secrets
    this.wire = options.wire
    this.prefix = options.prefix ?? ''
    this.#surroundings = options.surroundings
    this.notes = options.surroundings.notes
    this.clients = new Clients(this)
  }

  has(capability: Capability): boolean {
    return this.profile.has.includes(capability)
  }

  /** Whether the server, or what the run has beside it, is enough. */
  can(need: Capability | Ability): boolean {
    return (
      this.#surroundings.abilities.some((ability) => ability === need) ||
      this.profile.has.some((one) => one === need)
    )
  }

  /** An instance that was made for the run, with an owner of its own. @throws Error without an operator */
  fresh(): Promise<World> {
    return this.#surroundings.fresh(this)
  }

  /** The next mail of the owner that this accepts; empty when none comes in time. */
  mail(label: string, accepts: (mail: Mail) => boolean): Promise<Mail> {
    return this.#surroundings.mail(label, this.base.host, accepts)
  }

  /** A passcode that was mailed; empty when none comes in time. */
  async passcode(label: string): Promise<string> {
    const { text } = await this.mail(label, (mail) => PASSCODE.test(mail.text))
    const [, code = ''] = PASSCODE.exec(text) ?? []
    this.secrets.learn('passcode', code)
    return code
  }

  /** An account type that leads to the provider of the run. @returns its name */
  accountType(): Promise<string> {
    return this.#surroundings.accountType()
  }

  /** Lets time pass at the server. */
  advanceClock(seconds: number): Promise<void> {
    return this.#surroundings.advanceClock(seconds)
  }

  /** An address below the base. */
  url(path: string): string {
    return new URL(path, this.base).href
  }

  /** Sends what a program sends: no cookies, nothing that a browser adds. @throws Error when no answer comes */
  async send(label: string, url: string, call: Call = {}): Promise<Answered> {
    const { method = 'GET', headers = {}, moreHeaders = [], json, form } = call
    const body =
      call.body ??
      (json !== undefined
        ? JSON.stringify(json)
        : form !== undefined
          ? new URLSearchParams(form).toString()
          : undefined)
    const type =
      json !== undefined
        ? { 'Content-Type': 'application/json', Accept: 'application/json' }
        : form !== undefined
          ? { 'Content-Type': 'application/x-www-form-urlencoded' }
          : {}
    const sent = Object.entries({ Accept: 'application/json', ...type, ...headers })
    return requireAnswer(
      await this.wire.send(label, {
        method,
        url: new URL(url, this.base).href,
        headers: [...sent.filter(([, value]) => value !== ''), ...moreHeaders],
        ...(body !== undefined && { body }),
      }),
    )
  }

  browser(): Browser {
    return new Browser(this.wire)
  }

  endpoints(): Promise<Endpoints> {
    const label = this.prefix === '' ? 'met.document' : `${this.prefix}document`
    this.#endpoints ??= this.send(label, '/.well-known/oauth-authorization-server').then(
      (document) => readEndpoints(document, this.base),
    )
    return this.#endpoints
  }

  /** The owner's browser, logged in once where pages of a login exist. */
  owner(): Promise<Browser> {
    this.#owner ??= this.#logIn()
    return this.#owner
  }

  /** The owner's sessions are over. */
  forgetOwner(): void {
    this.#owner = undefined
  }

  /** Notes a value for the checks. */
  note(name: string, value: string): void {
    this.notes[name] = value
  }

  stop(reason: string): void {
    this.wire.stop(reason)
  }

  /** A value that nobody else has. */
  random(bytes = 16): string {
    return randomBytes(bytes).toString('base64url')
  }

  /** The scope that is asked for where nothing depends on it. */
  get scope(): string {
    return this.profile.resource?.scope ?? `${this.profile.namespace}.contacts:GET`
  }

  async #logIn(): Promise<Browser> {
    const browser = this.browser()
    if (this.#session !== undefined) {
      const { hostname, href } = this.base
      for (const pair of this.#session.split(';').map((one) => one.trim())) {
        // Apps on subdomains are shown it, too.
        const domain = pair.startsWith('__Host-') ? '' : `; Domain=${hostname}`
        await browser.jar.setCookie(`${pair}; Path=/${domain}`, href, { loose: true })
      }
      const home = this.profile.apps?.home
      if (home !== undefined && this.has('apps')) {
        const token = await this.agent.appToken(`${this.prefix}owner.app`, browser, home)
        this.secrets.learn('app_token', token)
      }
    } else if (this.has('pages')) {
      const made = this.journal.making('session', 'login of the runner')
      await this.agent.login(`${this.prefix}owner`, browser)
      await this.keepSession(made, browser, `${this.prefix}owner.app`)
    }
    return browser
  }

  /** Writes down how a session is ended. @returns the token of the home app; empty where there are no apps */
  async keepSession(made: Made, browser: Browser, label: string = 'owner.app'): Promise<string> {
    const { apps } = this.profile
    if (apps === undefined || !this.has('apps')) return ''
    const token = await this.agent.appToken(label, browser, apps.home)
    this.secrets.learn('app_token', token)
    this.journal.made(made, {
      method: 'DELETE',
      url: this.url('/auth/login'),
      headers: {
        Authorization: `Bearer ${token}`,
        Cookie: await browser.jar.getCookieString(this.base.href),
      },
    })
    return token
  }
}
