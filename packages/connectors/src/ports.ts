import type { HttpError, Instance, RequestView, RouteContext } from '@svc/platform'
import type { Change } from '@svc/store'
import type { Context } from 'koa'
import type { AccountDocument } from './accounts/account.ts'

/** Where accounts are kept: the host's own documents, so that its data routes and quotas apply. */
export interface AccountStore {
  get(instance: Instance, id: string): Promise<AccountDocument | undefined>
  /**
   * Under the document's own `_id`.
   * @param also - changes of the same store that belong into the very write: the entry in the record of activity
   */
  create(
    instance: Instance,
    account: Omit<AccountDocument, '_rev'>,
    also?: readonly Change[],
  ): Promise<AccountDocument>
  /** Replaces the revision that `_rev` names; undefined when that is not the current one. `also`: as above. */
  update(
    instance: Instance,
    account: AccountDocument,
    also?: readonly Change[],
  ): Promise<AccountDocument | undefined>
  /** False when that revision is not the current one, or there is none. `also`: as above. */
  delete(instance: Instance, id: string, rev: string, also?: readonly Change[]): Promise<boolean>
  list(
    instance: Instance,
    page: { readonly limit?: number; readonly cursor?: string },
  ): Promise<{ readonly accounts: readonly AccountDocument[]; readonly cursor?: string }>
}

/** What connectors say about themselves that matters here. */
export interface ConnectorManifest {
  readonly slug: string
  /** Scopes to ask for; each entry is a space-separated list. @see connectors.md 12 */
  readonly oauth?: { readonly scope?: readonly string[] }
}

/** Which connectors an instance could have; asked by slug. */
export interface ConnectorManifests {
  manifestOf(instance: Instance, slug: string): Promise<ConnectorManifest | undefined>
}

/** Who is logged in; auth-ui's sessions satisfy it. */
export interface OwnerLogins {
  current(request: RequestView): Promise<{ readonly id: string } | undefined>
  /**
   * Uses up a one-time code for this very request: true when it was good. The browser is given a short session unless
   * it has one. @see connectors.md 4.1
   */
  admit(ctx: RouteContext, code: string): Promise<boolean>
}

/** The pages of the host that this package sends people to. */
export interface ConnectorPages {
  /** Answers an error as a page. */
  error(ctx: Context, error: HttpError): Promise<void>
}

/** What happened to an account. Never carries a secret. */
export interface AccountEvent {
  readonly instance: Instance
  readonly accountId: string
  readonly accountType: string
}

/** Handlers must not throw. @see connectors.md 13 */
export interface ConnectorEvents {
  /** An account got tokens of a provider: a new one, one that was connected again, or an imported one. */
  'account.connected': AccountEvent & { readonly how: 'create' | 'reconnect' | 'import' }
  /** The provider gave new tokens for an account. */
  'account.refreshed': AccountEvent
  /** The provider refuses the account's tokens until its owner connects it again. Once per transition. */
  'account.reconnect_required': AccountEvent & { readonly code: string }
  /** An account was removed. */
  'account.disconnected': AccountEvent
}
