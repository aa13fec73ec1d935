import type { ClientDocument } from '../clients/client-document.ts'
import { isClientName } from '../registration/client-metadata.ts'
import { isRedirectUri, type OwnHosts } from '../registration/redirect-uri.ts'
import { findIdentifierFault } from './identifier.ts'
import { readKeySet } from './keys/key-set.ts'
import { parseStrictJson } from './fetching/strict-json.ts'

/** Which rule a document breaks: that of a member, or of the whole. */
export type DocumentFault = { readonly fault: string }

const MAX_DEPTH = 4
const MAX_REDIRECT_URIS = 20
const MAX_URI_LENGTH = 2048
/** SPEC: decision 0054 - they turn `exe.png` into `gnp.exe` to the eye. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * What the bytes of a document say.
 * @param url - where they came from, byte for byte
 * @param instance - whose return addresses count
 * @see assistants.md 2.4
 */
export function readDocument(
  bytes: Uint8Array,
  url: string,
  instance: OwnHosts,
): ClientDocument | DocumentFault {
  const parsed = parseStrictJson(bytes, MAX_DEPTH)
  if ('fault' in parsed) return parsed
  const { value: members } = parsed
  if (members['client_id'] !== url) return { fault: 'client_id' }
  for (const name of ['client_secret', 'client_secret_expires_at']) {
    if (Object.hasOwn(members, name)) return { fault: name }
  }
  const name = readName(members['client_name'])
  if (name === undefined) return { fault: 'client_name' }
  const redirectUris = readRedirectUris(members['redirect_uris'], instance)
  if (redirectUris === undefined) return { fault: 'redirect_uris' }
  if (!holds(members['grant_types'], 'authorization_code')) return { fault: 'grant_types' }
  if (!holds(members['response_types'], 'code')) return { fault: 'response_types' }
  const proof = readAuthentication(members, instance)
  if ('fault' in proof) return proof
  return {
    clientId: url,
    name,
    redirectUris,
    ...proof,
    isRefreshing: holds(members['grant_types'], 'refresh_token'),
    ...linksOf(members),
  }
}

function readName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = value.replace(DIRECTIONS, '').trim()
  return isClientName(name) ? name : undefined
}

/** Published documents list addresses for many servers: those that break a rule here are dropped. */
function readRedirectUris(value: unknown, instance: OwnHosts): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_REDIRECT_URIS) return undefined
  const uris = value.filter(
    (uri): uri is string =>
      typeof uri === 'string' && !/^urn:/i.test(uri) && isRedirectUri(uri, instance),
  )
  return uris.length === 0 ? undefined : [...new Set(uris)]
}

type Proof = Pick<ClientDocument, 'authentication' | 'isKeyOptional' | 'keys' | 'keysUri'>

function readAuthentication(
  members: Readonly<Record<string, unknown>>,
  instance: OwnHosts,
): Proof | DocumentFault {
  const method = members['token_endpoint_auth_method'] ?? 'none'
  const others = members['token_endpoint_auth_methods_supported']
  const isOpen = Array.isArray(others) && others.includes('none')
  const isSecret = typeof method !== 'string' || method.startsWith('client_secret')
  if (method === 'none') return { authentication: method }
  if (method !== 'private_key_jwt') {
    if (isOpen && !isSecret) return { authentication: 'none' }
    return { fault: 'token_endpoint_auth_method' }
  }
  const { jwks, jwks_uri: keysUri } = members
  if ((jwks === undefined) === (keysUri === undefined)) return { fault: 'jwks' }
  const proof: Proof = { authentication: method, ...(isOpen && { isKeyOptional: true }) }
  if (keysUri !== undefined) {
    return isKeysUri(keysUri, instance) ? { ...proof, keysUri } : { fault: 'jwks_uri' }
  }
  const keys = readKeySet(jwks)
  return keys === undefined ? { fault: 'jwks' } : { ...proof, keys }
}

/** SPEC: assistants.md 2.4, 2.13 - as an identifier is written; the host may be any. */
function isKeysUri(value: unknown, { domain, isHttps }: OwnHosts): value is string {
  if (typeof value !== 'string' || !/^https?:\/\//.test(value)) return false
  return findIdentifierFault(value, `${isHttps ? 'https' : 'http'}://${domain}`) === undefined
}

function linksOf(
  members: Readonly<Record<string, unknown>>,
): Pick<ClientDocument, 'clientUri' | 'logoUri' | 'policyUri' | 'tosUri'> {
  const { client_uri: clientUri, logo_uri: logoUri } = members
  const { policy_uri: policyUri, tos_uri: tosUri } = members
  return {
    ...(isLink(clientUri) && { clientUri }),
    ...(isLink(policyUri) && { policyUri }),
    ...(isLink(tosUri) && { tosUri }),
    ...(isLink(logoUri) && { logoUri }),
  }
}

function isLink(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_URI_LENGTH) return false
  if (!/^https:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(value)) return false
  const url = URL.parse(value)
  return url !== null && url.username === '' && url.password === ''
}

/** A list that is absent holds what it has to. */
function holds(value: unknown, wanted: string): boolean {
  return value === undefined || (Array.isArray(value) && value.includes(wanted))
}
