/** When, from where and with what something was done. */
export interface RequestFacts {
  /** Milliseconds since the epoch; shown in the owner's locale and time zone. */
  readonly time: number
  readonly address: string
  readonly browser?: string
  readonly os?: string
  /** Such as `Lyon, France`; absent without a geo database. */
  readonly place?: string
}

/** Where the one button leads; a URL of the instance or of one of its apps. */
interface Action {
  readonly url: string
}

/** A mail this server sends by itself, with its variables. @see decision D50, login.md 8 */
export type SystemMail =
  /** A space waits for its owner. */
  | { readonly template: 'onboarding'; readonly variables: Action }
  /** A log-in from a browser or place not seen before. */
  | { readonly template: 'new_connection'; readonly variables: Action & RequestFacts }
  | { readonly template: 'passphrase_changed'; readonly variables: Action & RequestFacts }
  /** The failure limit was reached. */
  | { readonly template: 'login_throttled'; readonly variables: Action & RequestFacts }

export type SystemMailName = SystemMail['template']

/** How a mail is laid out: its texts are `<name>.<part>` of the catalogue. */
export interface MailLayout {
  /** Keys `<name>.body.<n>`, before the facts. */
  readonly paragraphs: number
  /** Keys `<name>.notice.<n>`, after the button: what to do if it was not you. */
  readonly notices: number
}

/** Layouts of all system mails. */
export const SYSTEM_MAILS: Readonly<Record<SystemMailName, MailLayout>> = {
  onboarding: { paragraphs: 1, notices: 2 },
  new_connection: { paragraphs: 1, notices: 2 },
  passphrase_changed: { paragraphs: 1, notices: 1 },
  login_throttled: { paragraphs: 2, notices: 1 },
}
