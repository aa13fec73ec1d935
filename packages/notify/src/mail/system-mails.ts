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

/** How long a code or link works, whole minutes. */
interface Lifetime {
  readonly minutes: number
}

/** What a mailed passcode is asked for. */
export type PasscodePurpose =
  | 'login'
  | 'confirm'
  | 'flagship'
  | 'session_code'
  | 'passphrase'
  | 'move'
  | 'auth_mode'

/** What happened to the second step of logins. */
export type AuthModeChange =
  | 'two_factor_on'
  | 'two_factor_off'
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_codes_created'
  | 'recovery_code_used'

/** A mail this server sends by itself, with its variables. @see docs/mails.md; decision D50, login.md 8 */
export type SystemMail =
  /** A space waits for its owner. */
  | { readonly template: 'onboarding'; readonly variables: Action }
  /** A login from a browser or place not seen before. */
  | { readonly template: 'new_connection'; readonly variables: Action & RequestFacts }
  | { readonly template: 'passphrase_changed'; readonly variables: Action & RequestFacts }
  /** The failure limit was reached. */
  | { readonly template: 'login_throttled'; readonly variables: Action & RequestFacts }
  /** The code of the second step. */
  | {
      readonly template: 'two_factor'
      readonly variables: {
        readonly passcode: string
        readonly purpose: PasscodePurpose
      } & Lifetime &
        RequestFacts
    }
  /** The code that turns mailed codes on. */
  | {
      readonly template: 'two_factor_mail_confirmation'
      readonly variables: { readonly code: string } & Lifetime & RequestFacts
    }
  | { readonly template: 'magic_link'; readonly variables: Action & Lifetime & RequestFacts }
  | {
      readonly template: 'passphrase_reset'
      readonly variables: Action &
        Lifetime &
        RequestFacts & {
          /** Whether a new passphrase leaves stored secrets unreadable. */
          readonly losesVault: boolean
        }
    }
  /** What the owner wrote to remember the passphrase by. `url` is the login page. */
  | {
      readonly template: 'passphrase_hint'
      readonly variables: Action & {
        /** Shown as written, up to 1 024 characters. */
        readonly hint: string
      }
    }
  | {
      readonly template: 'auth_mode_changed'
      readonly variables: Action &
        RequestFacts & {
          readonly change: AuthModeChange
          readonly factor: 'mail' | 'totp' | 'passkey' | 'recovery'
          /** Recovery codes that still work. */
          readonly left?: number
        }
    }
  /** The code that makes an app the trusted one. */
  | {
      readonly template: 'confirm_flagship'
      readonly variables: { readonly code: string } & Lifetime & RequestFacts
    }
  /** Proves that the owner reads the new address. */
  | {
      readonly template: 'update_email'
      readonly variables: Action &
        Lifetime &
        RequestFacts & {
          /** The new, not yet proven address; without it nothing is sent. @see docs/decisions/0085 */
          readonly recipient?: string
        }
    }
  /** More apps are connected than the space may have. */
  | {
      readonly template: 'oauth_clients_limit'
      readonly variables: Action & { readonly clientName: string; readonly limit: number }
    }
  /** The space is nearly full. */
  | { readonly template: 'disk_quota'; readonly variables: Action }

export type SystemMailName = SystemMail['template']

/** How a mail is laid out: its texts are `<name>.<part>` of the catalogue, or `<name>.<variant>.<part>`. */
export interface MailLayout {
  /** Keys `<name>.body.<n>`, before what to act on. */
  readonly paragraphs: number
  /** Keys `<name>.notice.<n>`, at the end: what to do if it was not you. */
  readonly notices: number
  /**
   * Where the facts stand: `above` the button when they are the news, `below` the code or button that was asked for.
   * Absent: there are none.
   */
  readonly facts?: 'above' | 'below'
  /** Whether somebody else may read it: no name, and of the facts only the time. */
  readonly isForUnprovenAddress?: true
}

/** Layouts of all system mails. */
export const SYSTEM_MAILS: Readonly<Record<SystemMailName, MailLayout>> = {
  onboarding: { paragraphs: 1, notices: 2 },
  new_connection: { paragraphs: 1, notices: 2, facts: 'above' },
  passphrase_changed: { paragraphs: 1, notices: 1, facts: 'above' },
  login_throttled: { paragraphs: 2, notices: 1, facts: 'above' },
  two_factor: { paragraphs: 1, notices: 2, facts: 'below' },
  two_factor_mail_confirmation: { paragraphs: 2, notices: 2, facts: 'below' },
  magic_link: { paragraphs: 1, notices: 2, facts: 'below' },
  passphrase_reset: { paragraphs: 1, notices: 2, facts: 'below' },
  passphrase_hint: { paragraphs: 1, notices: 2 },
  auth_mode_changed: { paragraphs: 1, notices: 2, facts: 'above' },
  confirm_flagship: { paragraphs: 2, notices: 2, facts: 'below' },
  update_email: { paragraphs: 1, notices: 2, facts: 'above', isForUnprovenAddress: true },
  oauth_clients_limit: { paragraphs: 2, notices: 1 },
  disk_quota: { paragraphs: 1, notices: 1 },
}
