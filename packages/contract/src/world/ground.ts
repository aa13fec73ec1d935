import type { Browser } from '../drivers/browser.ts'
import type { Driver } from '../drivers/driver.ts'
import type { Answered } from '../model/evidence.ts'
import type { Profile } from '../model/profile.ts'
import type { Secrets } from '../net/secrets.ts'
import type { Journal } from '../journal/journal.ts'
import type { Endpoints } from './endpoints.ts'

export interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Several fields of one name; sent after `headers`. */
  readonly moreHeaders?: readonly (readonly [string, string])[]
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>> | URLSearchParams
  /** Sent as it is. */
  readonly body?: string
}

/** What clients are registered and asked for with. */
export interface Ground {
  readonly run: string
  /** Begins the labels of what is asked for whoever needs it. */
  readonly prefix: string
  readonly profile: Profile
  readonly journal: Journal
  /** What needs the owner. */
  readonly agent: Driver
  readonly secrets: Secrets
  /** The scope that is asked for where nothing depends on it. */
  readonly scope: string
  send(label: string, url: string, call?: Call): Promise<Answered>
  endpoints(): Promise<Endpoints>
  owner(): Promise<Browser>
  random(bytes?: number): string
  /** Ends the run: nothing more is sent. */
  stop(reason: string): void
}
