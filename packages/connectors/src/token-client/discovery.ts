import { isOutboundError, type OutboundAnswer } from '@svc/platform'
import { LRUCache } from 'lru-cache'
import type * as oauth from 'oauth4webapi'
import type { AccountType } from '../account-types/account-type.ts'
import type { ProviderServices } from '../services.ts'
import { classifyFailure } from './classify.ts'
import { type CallKind, MAX_ANSWER_BYTES, noteCall } from './provider-calls.ts'
import type { AskedIssuer, Issuer, ProviderMetadata } from './provider.ts'

const MAX_ISSUERS = 500
/** How long an issuer that was not found is not asked again. Milliseconds. */
const NOT_FOUND_MS = 300_000
const MAX_URL_CHARACTERS = 2048

/** Room for what is known of issuers, in this process. */
export function createIssuers(): LRUCache<string, AskedIssuer> {
  return new LRUCache({ max: MAX_ISSUERS })
}

/** What the type's provider says about itself. Never rejects. @see findIssuer */
export async function discover(
  services: ProviderServices,
  type: AccountType,
): Promise<ProviderMetadata | undefined> {
  return (await findIssuer(services, type))?.metadata
}

/**
 * The type's issuer, asked for once a day: RFC 8414, then OpenID Connect Discovery. Undefined when the type has none, or
 * when it says nothing that can be used. Never rejects.
 * @see connectors.md 5.3 (4); docs/decisions/0141-calls-to-providers.md
 */
export function findIssuer(
  services: ProviderServices,
  type: AccountType,
): Promise<Issuer | undefined> {
  const { clock, issuers } = services
  const issuer = URL.parse(type.issuer ?? '')
  if (issuer === null) return Promise.resolve(undefined)
  const key = `${type.isTrustedNetwork} ${issuer.href}`
  const known = issuers.get(key)
  if (known !== undefined && clock.now() < known.endsAt) return known.found
  const asked: AskedIssuer = {
    found: askIssuer(services, type, issuer),
    endsAt: clock.now() + services.lifetimes.metadata,
  }
  issuers.set(key, asked)
  void asked.found.then((found) => {
    if (found === undefined) asked.endsAt = clock.now() + NOT_FOUND_MS
  })
  return asked.found
}

async function askIssuer(
  services: ProviderServices,
  type: AccountType,
  issuer: URL,
): Promise<Issuer | undefined> {
  // Loaded with the first issuer: a server whose account types have none never needs it.
  const library = await import('oauth4webapi')
  const startedAt = performance.now()
  const totalMs = lookupMs(services)
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const leftMs = totalMs - (performance.now() - startedAt)
    if (leftMs <= 0) return undefined
    try {
      const response = await library.discoveryRequest(issuer, {
        algorithm,
        [library.customFetch]: providerFetch(services, type, 'metadata', leftMs),
        [library.allowInsecureRequests]: type.isTrustedNetwork,
      })
      const server = await library.processDiscoveryResponse(issuer, response)
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

/** Shorter than a call: an answer of the provider needs all three, one after the other. Milliseconds. */
function lookupMs({ lifetimes }: ProviderServices): number {
  return Math.min(lifetimes.lookup, lifetimes.call)
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

/** The `fetch` that oauth4webapi asks for, for documents that are public. */
export type ProviderFetch = (
  url: string,
  options: oauth.CustomFetchOptions<'GET'>,
) => Promise<Response>

/**
 * Asks over the guarded way out, with a line in the log for each call.
 * @param totalMs - milliseconds
 * @see connectors.md 6.6
 */
export function providerFetch(
  services: ProviderServices,
  type: AccountType,
  kind: CallKind,
  totalMs: number = lookupMs(services),
): ProviderFetch {
  return async (url, { headers, signal }) => {
    const startedAt = performance.now()
    try {
      const answer = await services.outbound.request(url, {
        method: 'GET',
        headers: { ...headers, 'user-agent': 'svc-connectors' },
        isTrusted: type.isTrustedNetwork,
        maxBytes: MAX_ANSWER_BYTES,
        connectMs: services.lifetimes.connect,
        totalMs,
        ...(signal !== undefined && { signal }),
      })
      const { status } = answer
      const isFound = status === 200
      noteCall(services, type, kind, startedAt, {
        class: isFound ? 'ok' : 'invalid',
        status,
        ...(!isFound && { reason: `http_${status}` }),
      })
      return responseOf(answer)
    } catch (error) {
      if (isOutboundError(error)) {
        const { result } = classifyFailure(error)
        if (!result.ok) noteCall(services, type, kind, startedAt, result)
      }
      throw error
    }
  }
}

function responseOf({ status, headers, body }: OutboundAnswer): Response {
  const contentType = headers['content-type']
  const isBodiless = status === 204 || status === 205 || status === 304
  // A Buffer's memory is never shared here; the type cannot say so.
  const content = isBodiless ? null : (body as Uint8Array<ArrayBuffer>)
  return new Response(content, {
    status,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
}
