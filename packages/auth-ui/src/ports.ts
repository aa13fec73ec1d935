import type { DocumentWrite } from '@svc/oauth-core'
import type { HttpError, Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import type { LoginMethod } from './session/session.ts'

export type {
  EventSink,
  FactorChange,
  BuiltInFactorKind,
  FactorKind,
  Mailer,
  OwnerEvent,
  RequestFacts,
  SystemMail,
  SystemText,
  Texter,
  TwoFactorPurpose,
} from '@svc/platform'

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

/** The owner's phone number, which the host keeps: texts of notifications go there, and nothing else does. */
export interface OwnerContacts {
  /** As it was set; undefined: none is known. */
  phone(instance: Instance): Promise<string | undefined>
  /** @param number - E.164, such as `+33612345678`, which the owner proved; absent: none any more */
  setPhone(instance: Instance, number?: string): Promise<void>
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
export type SessionEnd =
  | 'email_undone'
  | 'logout'
  | 'logout_others'
  | 'passphrase'
  | 'replaced'
  | 'revoked'

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

/** That a space was put back from a backup. */
export interface RestoredSpace {
  /** When the backup was made, milliseconds since the epoch. */
  readonly backupAt: number
  /** Names of clients that were removed after that, as far as it is known, and are there again. */
  readonly returned: readonly string[]
}

/** What the host knows of that. */
export interface RestoredSpaces {
  /** Undefined: it was not, or the owner has seen it. */
  find(instance: Instance): Promise<RestoredSpace | undefined>
  /** The owner has seen it. */
  forget(instance: Instance): Promise<void>
}

/** What an assistant changed or deleted, for as long as the version before is kept. */
export interface AssistantChange {
  /** Names it in addresses: letters, digits, `-` and `_`. */
  readonly id: string
  readonly clientId: string
  /** What the client called itself. */
  readonly clientName: string
  /** Milliseconds since the epoch. */
  readonly time: number
  /** Kind of data. */
  readonly type: string
  /** What the owner knows it by. */
  readonly title: string
  /** Whether it was deleted, not only changed. */
  readonly isDeleted: boolean
  /** Whether the owner put the version before back. */
  readonly isBack: boolean
}

/** What the host keeps of it. @see assistants.md 6.6 */
export interface AssistantChanges {
  /**
   * Of a client's writes, as the entries of its calls name them, those whose version before is kept: in their order.
   * At most 100.
   */
  find(
    instance: Instance,
    clientId: string,
    writes: readonly DocumentWrite[],
  ): Promise<readonly (AssistantChange | undefined)[]>
  /** Those of all clients, newest first. @throws TypeError for a malformed cursor */
  list(
    instance: Instance,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{ readonly changes: readonly AssistantChange[]; readonly cursor?: string }>
  /**
   * Puts the version before back, in one write with the other changes: of parallel calls one does it.
   * @param change - with `overwrites` also when somebody else changed the same thing since
   * @returns `changed_since`: somebody did; `gone`: there is no such version any more
   */
  putBack(
    instance: Instance,
    change: Pick<AssistantChange, 'clientId' | 'id'> & { readonly overwrites: boolean },
    also: (change: AssistantChange) => readonly Change[],
  ): Promise<'changed_since' | 'gone' | 'put_back'>
}

/** For a host that keeps nothing of it: nothing is offered. */
export const NO_ASSISTANT_CHANGES: AssistantChanges = {
  find: async () => [],
  list: async () => ({ changes: [] }),
  putBack: async () => 'gone',
}

/** For a host that tells owners itself. */
export const NO_RESTORED_SPACES: RestoredSpaces = {
  find: async () => undefined,
  forget: async () => {},
}
