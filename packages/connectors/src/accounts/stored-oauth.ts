import type { Instance } from '@svc/platform'
import type { TokenSet } from '../token-client/provider.ts'
import type { StoredOAuth } from './account.ts'
import type { AccountSeal } from './account-seal.ts'

/** Whose tokens are to be sealed. */
export interface TokenOwner {
  readonly instance: Instance
  readonly accountId: string
}

/** Tokens as an account keeps them, sealed. Members that an answer says nothing of are absent. */
export function sealTokens(
  seal: AccountSeal,
  { instance, accountId }: TokenOwner,
  tokens: TokenSet,
): Omit<StoredOAuth, 'status' | 'refresh_seq'> {
  const { accessToken, refreshToken, tokenType, expiresAt, refreshExpiresAt, scope } = tokens
  const sealed = (field: string, plain: string) => seal.seal({ instance, accountId, field }, plain)
  return {
    access_token_encrypted: sealed('oauth.access_token', accessToken),
    ...(refreshToken !== undefined && {
      refresh_token_encrypted: sealed('oauth.refresh_token', refreshToken),
    }),
    token_type: tokenType,
    ...(expiresAt !== undefined && { expires_at: toInstant(expiresAt) }),
    ...(refreshExpiresAt !== undefined && { refresh_expires_at: toInstant(refreshExpiresAt) }),
    ...(scope !== undefined && { scope }),
  }
}

/** What is kept after a refresh. @see connectors.md 8.2.7, 8.6 */
export function refreshedOAuth(
  seal: AccountSeal,
  owner: TokenOwner,
  before: StoredOAuth,
  tokens: TokenSet,
  now: number,
): StoredOAuth {
  // SPEC: 8.6 - an answer without expiry ends what was known of it.
  const { expires_at: _, last_error: _solved, refresh_expires_at, ...kept } = before
  return {
    ...kept,
    // The end of the old refresh token is not the end of a new one.
    ...(tokens.refreshToken === undefined && refresh_expires_at !== undefined
      ? { refresh_expires_at }
      : {}),
    ...sealTokens(seal, owner, tokens),
    status: 'connected',
    refresh_seq: sequenceOf(before) + 1,
    refreshed_at: toInstant(now),
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
