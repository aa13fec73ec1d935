import type { Answered } from '../model/evidence.ts'
import type { Browser } from './browser.ts'

export type Choice = 'accept' | 'refuse'

/** How the question for a client ended. */
export interface Consent {
  /** Where the browser is sent, at the client. */
  readonly location: string
  /** The answer that sends it there. */
  readonly answer: Answered
}

/** What needs the owner. */
export interface Driver {
  /** Logs the owner in, in this browser. @throws Error when that fails */
  login(label: string, browser: Browser): Promise<Answered>
  /** Answers the question for a client. @throws Error when no form is found */
  consent(label: string, browser: Browser, url: string, choice: Choice): Promise<Consent>
  /** The token of an app's page. @throws Error when there is none */
  appToken(label: string, browser: Browser, slug: string): Promise<string>
}
