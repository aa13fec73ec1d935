import type { Instance } from '@svc/platform'
import { accountContext, INFO } from './seal-context.ts'
import type { ConnectorsServices } from '../services.ts'
import type { TokenSet } from '../token-client/provider.ts'
import {
  type AccountCredentials,
  type AccountDocument,
  sequenceOf,
  type StoredOAuth,
  toInstant,
} from './account.ts'

/** Where a value stands: of which account, and under which clear name, such as `oauth.access_token`. */
export interface SealedPlace {
  readonly instance: Pick<Instance, 'id' | 'domain'>
  readonly accountId: string
  readonly field: string
}

/** What sealing needs. */
export type SealServices = Pick<ConnectorsServices, 'log' | 'namespace' | 'sealer'>

/** Seals a value for its one place: it opens at no other. @see connectors.md 7.3 */
export function sealValue(services: SealServices, place: SealedPlace, plain: string): string {
  return services.sealer.derive(place.instance.id, INFO).seal(plain, aadOf(services, place))
}

/** Undefined when it is not what was sealed for this place, or its key is gone; logged. */
export function openValue(
  services: SealServices,
  place: SealedPlace,
  sealed: string,
): string | undefined {
  const { sealer, log } = services
  const { instance, accountId, field } = place
  try {
    const opened = sealer.derive(instance.id, INFO).open(sealed, aadOf(services, place))
    return opened.toString('utf8')
  } catch {
    log.error('account.integrity_failed', { domain: instance.domain, accountId, field })
    return undefined
  }
}

/** Under the current key; undefined when it is so already, or does not open (logged). */
export function renewValue(
  services: SealServices,
  place: SealedPlace,
  sealed: string,
): string | undefined {
  if (services.sealer.derive(place.instance.id, INFO).isCurrent(sealed)) return undefined
  const plain = openValue(services, place, sealed)
  return plain === undefined ? undefined : sealValue(services, place, plain)
}

/** Every secret of an account; never throws. */
export function credentialsOf(
  services: SealServices,
  instance: Instance,
  account: AccountDocument,
): AccountCredentials {
  // The host's documents may hold anything.
  const oauth: Readonly<Record<string, unknown>> = { ...account.oauth }
  let isIntact = true

  function opened(field: string, sealed: unknown): string | undefined {
    if (sealed === undefined) return undefined
    const place = { instance, accountId: account._id, field }
    // Only a text can have been sealed: anything else is as good as a broken seal.
    const plain = openValue(services, place, typeof sealed === 'string' ? sealed : '')
    if (plain === undefined) isIntact = false
    return plain
  }

  const accessToken = opened('oauth.access_token', oauth['access_token_encrypted'])
  const refreshToken = opened('oauth.refresh_token', oauth['refresh_token_encrypted'])
  const clientSecret = opened('oauth.client_secret', oauth['client_secret_encrypted'])
  const query = opened('oauth.query', oauth['query_encrypted'])
  const results = opened('oauth_callback_results', account.oauth_callback_results_encrypted)
  return {
    ...(accessToken !== undefined && { accessToken }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(clientSecret !== undefined && { clientSecret }),
    // What opens is what we sealed.
    ...(query !== undefined && { query: JSON.parse(query) as Record<string, string[]> }),
    ...(results !== undefined && {
      callbackResults: JSON.parse(results) as Record<string, unknown>,
    }),
    isIntact,
  }
}

/** Whose tokens are to be sealed. */
export interface TokenOwner {
  readonly instance: Instance
  readonly accountId: string
}

/** Tokens as an account keeps them, sealed. Members that an answer says nothing of are absent. */
export function sealTokens(
  services: SealServices,
  { instance, accountId }: TokenOwner,
  tokens: TokenSet,
): Omit<StoredOAuth, 'status' | 'refresh_seq'> {
  const { accessToken, refreshToken, tokenType, expiresAt, refreshExpiresAt, scope } = tokens
  const sealed = (field: string, plain: string) =>
    sealValue(services, { instance, accountId, field }, plain)
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
  services: SealServices,
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
    ...sealTokens(services, owner, tokens),
    status: 'connected',
    refresh_seq: sequenceOf(before) + 1,
    refreshed_at: toInstant(now),
  }
}

function aadOf({ namespace }: SealServices, { instance, accountId, field }: SealedPlace): string {
  return accountContext(instance.id, `${namespace}.accounts`, accountId, field)
}
