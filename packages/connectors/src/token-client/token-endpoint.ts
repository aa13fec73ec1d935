import type { Logger, Outbound } from '@svc/platform'
import type { Clock } from '@svc/store'
import type { AccountType } from '../account-types/account-type.ts'
import type { CallFigures } from '../figures.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { callTokenEndpoint } from './call-token-endpoint.ts'
import { createDiscovery } from './discovery.ts'
import { readSubject } from './id-token.ts'
import { createCallLog } from './provider-calls.ts'
import { revokeToken } from './revoke.ts'
import type { ProviderMetadata, TokenClient, TokenResult } from './provider.ts'
import { exchangeRequest, refreshRequest } from './token-request.ts'

export interface TokenClientOptions {
  /** With the operator's trusted networks, for the types that may use them. */
  readonly outbound: Outbound
  readonly clock: Clock
  readonly log: Logger
  readonly lifetimes: Pick<Lifetimes, 'call' | 'connect' | 'lookup' | 'metadata'>
  /** Told of every call. @defaultValue nobody counts */
  readonly figures?: Pick<CallFigures, 'note'>
}

const NO_ENDPOINT: TokenResult = { ok: false, class: 'config', reason: 'no_token_endpoint' }
/** What the issuer would say is needed, and it says nothing. */
const NO_METADATA: TokenResult = { ok: false, class: 'unavailable', reason: 'no_metadata' }

/** @see connectors.md 6 */
export function createTokenClient(options: TokenClientOptions): TokenClient {
  const { outbound, clock, log, lifetimes } = options
  const calls = createCallLog(log, options.figures)
  const common = { outbound, clock, calls, connectMs: lifetimes.connect }
  // Shorter: an answer of the provider needs all three, one after the other.
  const lookUpMs = Math.min(lifetimes.lookup, lifetimes.call)
  const forDiscovery = { ...common, totalMs: lookUpMs, metadataMs: lifetimes.metadata }
  const discovery = createDiscovery(forDiscovery)
  const forTokens = { ...common, totalMs: lifetimes.call }

  async function discover(type: AccountType): Promise<ProviderMetadata | undefined> {
    const issuer = await discovery.find(type)
    return issuer?.metadata
  }

  async function tokenEndpointOf(type: AccountType): Promise<string | undefined> {
    return type.tokenEndpoint ?? (await discover(type))?.tokenEndpoint
  }

  async function withoutEndpoint(type: AccountType): Promise<TokenResult> {
    const isSilent = type.issuer !== undefined && (await discover(type)) === undefined
    return isSilent ? NO_METADATA : NO_ENDPOINT
  }

  async function revocationEndpointOf(type: AccountType): Promise<string | undefined> {
    return type.revocationEndpoint ?? (await discover(type))?.revocationEndpoint
  }

  return {
    exchange: async (type, input, about) => {
      const endpoint = await tokenEndpointOf(type)
      if (endpoint === undefined) return withoutEndpoint(type)
      const request = exchangeRequest(type, endpoint, input)
      return await callTokenEndpoint(forTokens, type, 'exchange', request, about)
    },
    refresh: async (type, refreshToken, about) => {
      const endpoint = type.refreshEndpoint ?? (await tokenEndpointOf(type))
      if (endpoint === undefined) return withoutEndpoint(type)
      const request = refreshRequest(type, endpoint, refreshToken)
      return await callTokenEndpoint(forTokens, type, 'refresh', request, about)
    },
    revoke: (type, token, hint, about) =>
      revokeToken({ outbound, calls, endpointOf: revocationEndpointOf }, type, token, hint, about),
    discover,
    subjectOf: (type, idToken, nonce) =>
      readSubject({ ...forDiscovery, discovery, log }, type, idToken, nonce),
  }
}
