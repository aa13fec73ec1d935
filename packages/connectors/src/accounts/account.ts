import { ConnectorError } from '../connector-error.ts'

/** Whether an account works. @see connectors.md 7.2 */
export type AccountStatus = 'connected' | 'refresh_failing' | 'reconnect_required' | 'disconnected'

/**
 * `oauth` of an account as it is stored: sealed values stand under `<name>_encrypted`. Times are RFC 3339, UTC.
 * @see connectors.md 7.2, 7.3
 */
export interface StoredOAuth {
  readonly access_token_encrypted?: string
  readonly refresh_token_encrypted?: string
  readonly token_type?: string
  /** Absent: unknown. */
  readonly expires_at?: string
  readonly scope?: string
  readonly refresh_expires_at?: string
  readonly subject?: string
  readonly status: AccountStatus
  readonly refresh_seq: number
  readonly refreshed_at?: string
  readonly last_error?: { readonly code: string; readonly at: string }
  /**
   * JSON of the callback query of a type without token endpoint (D38: only when the operator turned that on): it holds
   * the provider's code. Clear: `query`.
   */
  readonly query_encrypted?: string
  readonly client_id?: string
  readonly client_secret_encrypted?: string
}

/** An account of an owner at a provider, as the host keeps it: `<namespace>.accounts`. */
export interface AccountDocument {
  readonly _id: string
  readonly _rev: string
  /** Without context prefix. */
  readonly account_type: string
  readonly name: string
  readonly oauth?: StoredOAuth
  readonly oauth_callback_results_encrypted?: string
  /** Legacy login and password accounts; sealed as `oauth` is. */
  readonly auth?: Readonly<Record<string, unknown>>
  readonly [other: string]: unknown
}

/** Secrets of an account in the clear; live in memory only. Absent: not stored, or not to be opened. */
export interface AccountCredentials {
  readonly accessToken?: string
  readonly refreshToken?: string
  readonly callbackResults?: Readonly<Record<string, unknown>>
  /** Of a type without token endpoint. */
  readonly query?: Readonly<Record<string, readonly string[]>>
  /** Of a type without token endpoint. */
  readonly clientSecret?: string
  /** False: something is stored that does not open. @see connectors.md 7.3.4 */
  readonly isIntact: boolean
}

/** Name of an account's type: contexts are no part of it. Empty when the document says none. @see connectors.md 2.3 */
export function accountTypeName(account: Pick<AccountDocument, 'account_type'>): string {
  const type: unknown = account.account_type // The host's documents may hold anything.
  return typeof type === 'string' ? type.slice(type.lastIndexOf('/') + 1) : ''
}

const ACCOUNT_ID = /^[A-Za-z0-9][A-Za-z0-9._~@-]{0,127}$/

/** Whether a path segment can name an account: such ids are safe in keys and addresses. */
export function isAccountId(text: string): boolean {
  return ACCOUNT_ID.test(text)
}

export function hasRefreshToken({ oauth }: AccountDocument): boolean {
  return oauth?.refresh_token_encrypted !== undefined
}

/** @throws ConnectorError for an account whose tokens cannot be replaced. @see connectors.md 8.1 */
export function requireRefreshable(account: AccountDocument): void {
  if (account.oauth === undefined) {
    throw new ConnectorError('account_not_refreshable', {
      description: 'The account has no OAuth tokens.',
    })
  }
  if (!hasRefreshToken(account)) {
    throw new ConnectorError('oauth_refresh_unavailable', {
      description: 'The provider gave no refresh token for the account.',
    })
  }
}

/** Nobody refreshes so often: such a number was written by hand, and could not rise for long. */
const BEYOND_COUNTING = 1e15

/** How often an account's tokens were replaced. */
export function sequenceOf(oauth: StoredOAuth | undefined): number {
  const sequence: unknown = oauth?.refresh_seq // The host's documents may be older than this member.
  const isCount = typeof sequence === 'number' && Math.abs(sequence) < BEYOND_COUNTING
  return isCount && Number.isInteger(sequence) ? sequence : 0
}

/** RFC 3339, UTC. @param ms - since the epoch */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString()
}

/** Milliseconds since the epoch; undefined when there is none that can be read. */
export function fromInstant(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}
