import type { Browser } from './browser.ts'

export type Choice = 'accept' | 'refuse'

/** How the question for a client ended. */
export interface Consent {
  /** Where the browser is sent, at the client. */
  readonly location: string
}

/**
 * What needs the owner. What was asked and answered is recorded: a question as `<label>.page` and `<label>.submit`, a
 * confirmation as `<label>.page` and `<label>.confirm`.
 */
export interface Driver {
  /** Logs the owner in, in this browser. @throws Error when that fails */
  login(label: string, browser: Browser): Promise<void>
  /** Answers the question for a client. @throws Error when no form is found */
  consent(label: string, browser: Browser, url: string, choice: Choice): Promise<Consent>
  /** Confirms with the passphrase. @returns where the browser is sent @throws Error when no form is found */
  confirm(label: string, browser: Browser, url: string): Promise<string>
  /** The token of an app's page. @throws Error when there is none */
  appToken(label: string, browser: Browser, slug: string): Promise<string>
  close(): Promise<void>
}
