import { randomBytes } from 'node:crypto'
import { Browser, requireAnswer } from '../drivers/browser.ts'
import type { HttpDriver } from '../drivers/http-driver.ts'
import type { Capability } from '../model/check.ts'
import type { Answered } from '../model/evidence.ts'
import type { Profile } from '../model/profile.ts'
import type { Budget } from '../net/budget.ts'
import type { Secrets } from '../net/secrets.ts'
import type { Wire } from '../net/wire.ts'
import type { Journal, Made } from '../journal/journal.ts'
import { Clients } from './clients.ts'
import { type Endpoints, readEndpoints } from './endpoints.ts'
import type { Call, Ground } from './ground.ts'

export interface WorldOptions {
  readonly base: URL
  readonly run: string
  readonly profile: Profile
  readonly wire: Wire
  readonly secrets: Secrets
  readonly budget: Budget
  readonly journal: Journal
  readonly driver: HttpDriver
}

/** What scenarios work with: one server, one owner, one run. */
export class World implements Ground {
  readonly base: URL
  readonly run: string
  readonly profile: Profile
  readonly budget: Budget
  readonly journal: Journal
  readonly driver: HttpDriver
  readonly secrets: Secrets
  readonly wire: Wire
  readonly clients: Clients
  readonly notes: Record<string, string> = {}
  #endpoints: Promise<Endpoints> | undefined
  #owner: Promise<Browser> | undefined

  constructor(options: WorldOptions) {
    this.base = options.base
    this.run = options.run
    this.profile = options.profile
    this.budget = options.budget
    this.journal = options.journal
    this.driver = options.driver
    this.secrets = options.secrets
    this.wire = options.wire
    this.clients = new Clients(this)
  }

  has(capability: Capability): boolean {
    return this.profile.has.includes(capability)
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
    this.#endpoints ??= this.send('met.document', '/.well-known/oauth-authorization-server').then(
      (document) => readEndpoints(document, this.base),
    )
    return this.#endpoints
  }

  /** The owner's browser, logged in once where pages of a login exist. */
  owner(): Promise<Browser> {
    this.#owner ??= this.#logIn()
    return this.#owner
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
    if (this.has('pages')) {
      const made = this.journal.making('session', 'login of the runner')
      await this.driver.login('owner', browser)
      await this.keepSession(made, browser)
    }
    return browser
  }

  /** Writes down how a session is ended. @returns the token of the home app; empty where there are no apps */
  async keepSession(made: Made, browser: Browser, label: string = 'owner.app'): Promise<string> {
    const { apps } = this.profile
    if (apps === undefined || !this.has('apps')) return ''
    const token = await this.driver.appToken(label, browser, apps.home)
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
