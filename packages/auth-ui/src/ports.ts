import type { HttpError, Instance } from '@svc/platform'
import type { LoginMethod } from './session/session.ts'

/** When, from where and with what something was done. */
export interface RequestFacts {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly address: string
  /** Absent when unknown. */
  readonly browser?: string
  /** Absent when unknown. */
  readonly os?: string
  /** Such as `Lyon, France`; absent without a geo database. */
  readonly place?: string
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

/** Ways to pass the second step. @see decision D63 */
export type FactorKind = 'mail' | 'totp' | 'passkey' | 'recovery'

/** What happened to the second factor. */
export type FactorChange =
  | 'two_factor_on'
  | 'two_factor_off'
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_codes_created'
  | 'recovery_code_used'

interface Link {
  /** Where the one button leads. */
  readonly url: string
}

interface Lived {
  /** How long the code or link lives. */
  readonly minutes: number
}

/** A system mail; the owner of the instance is its only recipient. @see decision D50, login.md 8 */
export type SystemMail =
  | { readonly template: 'onboarding'; readonly variables: Link }
  | { readonly template: 'new_connection'; readonly variables: Link & RequestFacts }
  | { readonly template: 'passphrase_changed'; readonly variables: Link & RequestFacts }
  | { readonly template: 'login_throttled'; readonly variables: Link & RequestFacts }
  | {
      readonly template: 'two_factor'
      readonly variables: RequestFacts &
        Lived & { readonly passcode: string; readonly purpose: TwoFactorPurpose }
    }
  | {
      readonly template: 'two_factor_mail_confirmation'
      readonly variables: RequestFacts & Lived & { readonly code: string }
    }
  | {
      /** An app asks for everything: the owner certifies it with the code. */
      readonly template: 'confirm_flagship'
      readonly variables: RequestFacts & Lived & { readonly code: string }
    }
  | { readonly template: 'magic_link'; readonly variables: Link & RequestFacts & Lived }
  | {
      readonly template: 'passphrase_reset'
      readonly variables: Link & RequestFacts & Lived & { readonly losesVault: boolean }
    }
  | {
      readonly template: 'passphrase_hint'
      /** `url`: the login page. */
      readonly variables: Link & { readonly hint: string }
    }
  | {
      readonly template: 'auth_mode_changed'
      readonly variables: Link &
        RequestFacts & {
          readonly change: FactorChange
          readonly factor: FactorKind
          /** Recovery codes left. */
          readonly left?: number
        }
    }

/** Sends system mails. The host connects it, usually to `@svc/notify`. */
export interface Mailer {
  /** Resolves when the mail is accepted for sending; rejects when it cannot be sent. */
  send(instance: Instance, mail: SystemMail): Promise<void>
}

/** A change that subscribers of the instance hear about. */
export interface OwnerEvent {
  /** Doctype. */
  readonly type: string
  readonly id: string
  readonly doc?: Readonly<Record<string, unknown>>
}

/** Tells apps that listen, usually over the websocket of `@svc/realtime`. */
export interface EventSink {
  /** Resolves when subscribers of this process and the other processes were told; never rejects. */
  publish(
    instance: Instance,
    verb: 'CREATED' | 'UPDATED' | 'DELETED',
    event: OwnerEvent,
  ): Promise<void>
}

/** Where an address is, as far as a geo database knows. */
export interface Place {
  readonly city?: string
  readonly subdivision?: string
  readonly country?: string
}

/** Who logs in, and from where. Never holds a passphrase or a code. */
export interface LoginAttempt {
  readonly instance: Instance
  readonly method: LoginMethod
  readonly address: string
  readonly userAgent: string
}

/** What the host wants to know or to forbid. */
export interface HostHooks {
  /** After the passphrase was right, before the session exists. A thrown {@link HttpError} refuses the login. */
  onLogin?(attempt: LoginAttempt): Promise<void> | void
  /** A session was opened. */
  onLoggedIn?(login: LoginAttempt & { readonly sessionId: string }): Promise<void> | void
  /** A wrong passphrase or code of the second step, or too many. `code` is that of the answer. */
  onLoginFailed?(
    attempt: Omit<LoginAttempt, 'method'> & { readonly code: HttpError['code'] },
  ): Promise<void> | void
  /** Sessions ended; other packages close what hangs on them. */
  onSessionsEnded?(end: {
    readonly instance: Instance
    readonly sessionIds: readonly string[]
    readonly reason: SessionEnd
  }): Promise<void> | void
  /** The owner changed the passphrase; `reset`: with a mailed link, without knowing the old one. */
  onPassphraseChanged?(event: {
    readonly instance: Instance
    readonly how: 'settings' | 'reset' | 'host'
  }): Promise<void> | void
  /** What was sealed with the old passphrase cannot be opened any more. */
  onUnrecoverableVault?(event: { readonly instance: Instance }): Promise<void> | void
  /** The owner chose the first passphrase. */
  onOnboarded?(event: { readonly instance: Instance }): Promise<void> | void
  /** Vault keys were stored; opaque for this package. */
  onVaultKeys?(event: {
    readonly instance: Instance
    readonly key?: string
    readonly publicKey?: string
    readonly privateKey?: string
  }): Promise<void> | void
}

/** Why a session ended. */
export type SessionEnd = 'logout' | 'logout_others' | 'revoked' | 'replaced' | 'passphrase'

/** Where the owner can have the limit of connected clients raised; absolute, or undefined for none. */
export type RaiseLimitUrl = string | ((instance: Instance) => string | undefined)

/** How much an owner keeps, for the server that it moves to. Bytes. */
export interface DiskUsage {
  readonly used: number
  /** Absent: no end. */
  readonly quota?: number
}

/** Whose tokens end when the passphrase is reset without knowing the old one. @see login.md 7.1 */
export type RevokeOAuthOnReset = 'none' | 'flagship' | 'all'
