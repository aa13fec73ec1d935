import type { HttpError, Instance } from '@svc/oauth-core'
import type { LoginMethod } from './session/session.ts'

/** A system mail; the owner of the instance is its only recipient. @see decision D50 */
export type SystemMail =
  | {
      readonly template: 'onboarding'
      readonly variables: { readonly url: string }
    }
  | {
      readonly template: 'new_connection'
      readonly variables: {
        /** Milliseconds since the epoch. */
        readonly time: number
        readonly address: string
        /** Absent when unknown. */
        readonly browser?: string
        /** Absent when unknown. */
        readonly os?: string
        /** Such as `Lyon, France`; absent without a geo database. */
        readonly place?: string
        /** Where everything about it can be done: sessions, passphrase, second factor. */
        readonly url: string
      }
    }
  | {
      readonly template: 'login_throttled'
      readonly variables: {
        /** Milliseconds since the epoch. */
        readonly time: number
        readonly address: string
        readonly url: string
      }
    }

/** Sends system mails. The host connects it, usually to `@svc/notify`. */
export interface Mailer {
  /** Resolves when the mail is accepted for sending; rejects when it cannot be sent. */
  send(instance: Instance, mail: SystemMail): Promise<void>
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
  /** After the passphrase was right, before the session exists. A thrown {@link HttpError} refuses the log-in. */
  onLogin?(attempt: LoginAttempt): Promise<void> | void
  /** A session was opened. */
  onLoggedIn?(login: LoginAttempt & { readonly sessionId: string }): Promise<void> | void
  /** A wrong passphrase, or too many. `code` is that of the answer. */
  onLoginFailed?(
    attempt: Omit<LoginAttempt, 'method'> & { readonly code: HttpError['code'] },
  ): Promise<void> | void
  /** Sessions ended; other packages close what hangs on them. */
  onSessionsEnded?(end: {
    readonly instance: Instance
    readonly sessionIds: readonly string[]
    readonly reason: SessionEnd
  }): Promise<void> | void
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
