import type { Instance } from '../instances/instance.ts'

/** When, from where and with what something was done. */
export interface RequestFacts {
  /** Milliseconds since the epoch; shown in the owner's locale and time zone. */
  readonly time: number
  readonly address: string
  /** Absent when unknown. */
  readonly browser?: string
  /** Absent when unknown. */
  readonly os?: string
  /** Such as `Lyon, France`; absent without a geo database. */
  readonly place?: string
}

/** Where the one button leads; a URL of the instance or of one of its apps. */
interface Action {
  readonly url: string
}

/**
 * News of what was done to the space, with where to look; or a copy for an address that was the owner's until a moment
 * ago, with nothing to act on (owner.md 1.5).
 */
type News = RequestFacts &
  ((Action & { readonly isCopy?: never }) | (NoAction & { readonly isCopy: true }))

/** Nothing to act on. */
interface NoAction {
  readonly url?: never
}

/** How long a code or link works, whole minutes. */
interface Lifetime {
  readonly minutes: number
}

/** The address that mails are to go to, or went to; never whole. */
interface NewAddress {
  /** Such as `b…@example.com`. */
  readonly newAddress: string
}

/** What a passcode is for. @see login.md 3.4 */
export type TwoFactorPurpose =
  | 'login'
  | 'confirm'
  | 'flagship'
  | 'session_code'
  | 'passphrase'
  | 'move'
  | 'auth_mode'

/**
 * Ways to pass the second step: those of the packages, and `x-<name>` of the host.
 * @see decision D63
 * @example
 * const kind: FactorKind = 'x-counter-token'
 */
export type FactorKind = BuiltInFactorKind | `x-${string}`

/** Ways to pass the second step that come with the packages. */
export type BuiltInFactorKind = 'mail' | 'totp' | 'passkey' | 'recovery'

/** What happened to the second factor. */
export type FactorChange =
  | 'two_factor_on'
  | 'two_factor_off'
  | 'factor_added'
  | 'factor_removed'
  /** A passkey that logs in alone. */
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_created'
  | 'recovery_code_used'

/** Why an owner is told of an assistant: it is new, or it may write what it might not before. */
export type AssistantNews = 'first' | 'write'

/** Why the access of an assistant ended without its owner. @see assistants.md 2.9, 3.6 */
export type AssistantEnd = 'client_gone' | 'refresh_reuse' | 'weaker_authentication'

/**
 * A mail this server sends by itself, with its variables; the owner of the instance is its only recipient.
 * @see docs/mails.md; decision D50, login.md 8
 */
export type SystemMail =
  /** A space waits for its owner. */
  | { readonly template: 'onboarding'; readonly variables: Action }
  /** A login from a browser or place not seen before. */
  | { readonly template: 'new_connection'; readonly variables: News }
  | {
      readonly template: 'passphrase_changed'
      readonly variables: News & {
        /** The owner's names of the passkeys that still log in, where there are any. */
        readonly passkeys?: readonly string[]
      }
    }
  /** The failure limit was reached. */
  | { readonly template: 'login_throttled'; readonly variables: Action & RequestFacts }
  /** The code of the second step. */
  | {
      readonly template: 'two_factor'
      readonly variables: {
        readonly passcode: string
        readonly purpose: TwoFactorPurpose
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
      readonly variables: News & {
        readonly change: FactorChange
        /** `own`: one of the host. */
        readonly factor: BuiltInFactorKind | 'own'
        /** Recovery codes that still work. */
        readonly left?: number
      }
    }
  /** A passkey showed a counter of the past: it no longer logs in alone. */
  | {
      readonly template: 'passkey_suspended'
      readonly variables: Action &
        RequestFacts & {
          /** The owner's own name for the passkey. */
          readonly label: string
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
  /** Tells the present address that another one is to take its place. */
  | {
      readonly template: 'email_change_requested'
      readonly variables: Action & RequestFacts & NewAddress
    }
  /** Tells the address of before. With `url` it can take the change back; without, it is only told. */
  | {
      readonly template: 'email_changed'
      readonly variables: RequestFacts &
        NewAddress &
        (
          | (Action & { /** How long the link works, whole hours. */ readonly hours: number })
          | NoAction
        )
    }
  /** Tells both addresses that the change was taken back; `url` for the one that is the owner's again. */
  | {
      readonly template: 'email_undone'
      readonly variables: RequestFacts & NewAddress & (Action | NoAction)
    }
  /** More apps are connected than the space may have. */
  | {
      readonly template: 'oauth_clients_limit'
      readonly variables: Action & { readonly clientName: string; readonly limit: number }
    }
  /** What an app may do ends by itself in a few days. */
  | {
      readonly template: 'access_ending'
      /** When it ends, milliseconds since the epoch. */
      readonly variables: Action & { readonly clientName: string; readonly endsAt: number }
    }
  /** An assistant was allowed for the first time, or may change data for the first time. */
  | {
      readonly template: 'assistant_connected'
      readonly variables: Action &
        RequestFacts & {
          readonly clientName: string
          /** Where it comes from; absent: it registered, and nobody knows. */
          readonly host?: string
          /** It registered without a name; `clientName` says so. */
          readonly isUnnamed?: true
          readonly news: AssistantNews
          /** What it may do, in the owner's language. */
          readonly rights: readonly string[]
          /** Milliseconds since the epoch. */
          readonly endsAt: number
        }
    }
  /** What an assistant was allowed ended without the owner. */
  | {
      readonly template: 'assistant_ended'
      readonly variables: Action & { readonly clientName: string; readonly reason: AssistantEnd }
    }
  /** An assistant read many documents within an hour. */
  | {
      readonly template: 'assistant_busy'
      /** More than so many. */
      readonly variables: Action & { readonly clientName: string; readonly documents: number }
    }
  /** The space is nearly full, or full. */
  | {
      readonly template: 'disk_quota'
      readonly variables: Action & { readonly isFull?: boolean }
    }
  /** The space was put back from a backup. */
  | {
      readonly template: 'space_restored'
      /** When the backup was made, milliseconds since the epoch. */
      readonly variables: Action & { readonly backupAt: number }
    }

/** Sends system mails. The host connects it, usually to `@svc/notify`. */
export interface Mailer {
  /**
   * Resolves when the mail was accepted for sending; rejects when it cannot be sent. The only recipient is the owner's
   * address in the instance's settings; for `update_email` the address that is to become it.
   */
  send(instance: Instance, mail: SystemMail): Promise<void>
}
