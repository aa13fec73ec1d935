import { isOutboundError, type Outbound } from '@svc/platform'
import { LRUCache } from 'lru-cache'
import * as oauth from 'oauth4webapi'
import type { AccountType } from '../account-types/account-type.ts'
import type { CallLog } from './provider-calls.ts'
import { createProviderFetch } from './provider-fetch.ts'
import type { ProviderMetadata } from './provider.ts'

/** An issuer that was found. */
export interface Issuer {
  /** As it says; the one object that its keys are remembered for. */
  readonly server: oauth.AuthorizationServer
  readonly metadata: ProviderMetadata
}

export interface DiscoveryOptions {
  readonly outbound: Outbound
  readonly clock: { now(): number }
  readonly calls: CallLog
  readonly connectMs: number
  /** Of both documents together. Milliseconds. */
  readonly totalMs: number
  /** How long what was found is used. Milliseconds. */
  readonly metadataMs: number
}

export interface Discovery {
  /** Of the type's issuer; undefined when it has none, or when that says nothing that can be used. Never rejects. */
  find(type: AccountType): Promise<Issuer | undefined>
}

interface Entry {
  readonly found: Promise<Issuer | undefined>
  endsAt: number
}

const MAX_ISSUERS = 500
/** How long an issuer that was not found is not asked again. Milliseconds. */
const NOT_FOUND_MS = 300_000
const MAX_URL_CHARACTERS = 2048

/** RFC 8414, then OpenID Connect Discovery. @see connectors.md 5.3 (4); docs/decisions/0141-calls-to-providers.md */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { clock } = options
  const entries = new LRUCache<string, Entry>({ max: MAX_ISSUERS })

  function ask(key: string, type: AccountType, issuer: URL): Entry {
    const entry: Entry = {
      found: askIssuer(options, type, issuer),
      endsAt: clock.now() + options.metadataMs,
    }
    entries.set(key, entry)
    void entry.found.then((found) => {
      if (found === undefined) entry.endsAt = clock.now() + NOT_FOUND_MS
    })
    return entry
  }

  return {
    find: (type) => {
      const issuer = URL.parse(type.issuer ?? '')
      if (issuer === null) return Promise.resolve(undefined)
      const key = `${type.isTrustedNetwork} ${issuer.href}`
      const known = entries.get(key)
      const isFresh = known !== undefined && clock.now() < known.endsAt
      return (isFresh ? known : ask(key, type, issuer)).found
    },
  }
}

async function askIssuer(
  options: DiscoveryOptions,
  type: AccountType,
  issuer: URL,
): Promise<Issuer | undefined> {
  const startedAt = performance.now()
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const leftMs = options.totalMs - (performance.now() - startedAt)
    if (leftMs <= 0) return undefined
    const fetch = createProviderFetch({ ...options, totalMs: leftMs, type, kind: 'metadata' })
    try {
      const response = await oauth.discoveryRequest(issuer, {
        algorithm,
        [oauth.customFetch]: fetch,
        [oauth.allowInsecureRequests]: type.isTrustedNetwork,
      })
      const server = await oauth.processDiscoveryResponse(issuer, response)
      return { server, metadata: metadataOf(server, type) }
    } catch (error) {
      // A server that does not answer has no other document either.
      if (isOutboundError(error) && error.kind !== 'malformed' && error.kind !== 'too_large') {
        return undefined
      }
    }
  }
  return undefined
}

function metadataOf(server: oauth.AuthorizationServer, type: AccountType): ProviderMetadata {
  const authorizationEndpoint = endpointOf(server.authorization_endpoint, type)
  const tokenEndpoint = endpointOf(server.token_endpoint, type)
  const revocationEndpoint = endpointOf(server.revocation_endpoint, type)
  const jwksUri = endpointOf(server.jwks_uri, type)
  const methods: unknown = server.code_challenge_methods_supported
  return {
    ...(authorizationEndpoint !== undefined && { authorizationEndpoint }),
    ...(tokenEndpoint !== undefined && { tokenEndpoint }),
    ...(revocationEndpoint !== undefined && { revocationEndpoint }),
    ...(jwksUri !== undefined && { jwksUri }),
    supportsS256: Array.isArray(methods) && methods.includes('S256'),
    sendsIssuer: server.authorization_response_iss_parameter_supported === true,
  }
}

/** An address that the entry itself could have named. @see connectors.md 2.2 (1) */
function endpointOf(value: unknown, type: AccountType): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS) return undefined
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '')
    return undefined
  const isUsable = url.protocol === 'https:' || (url.protocol === 'http:' && type.isTrustedNetwork)
  return isUsable ? url.href : undefined
}
