import type { AccountType } from '../account-types/account-type.ts'

/** A request to a provider, ready to be sent. */
export interface ProviderRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Values of this request that no log may show. */
  readonly secrets: readonly string[]
}

/** What the provider's redirect brought. */
export interface ExchangeInput {
  readonly code: string
  readonly redirectUri: string
  readonly state: string
  readonly nonce?: string
  readonly codeVerifier?: string
}

type Parameters = Readonly<Record<string, string>>

const USER_AGENT = 'svc-connectors'
const HEADER_NAME = /^[A-Za-z0-9-]+$/
const HEADER_VALUE = /^[\x20-\x7e]*$/
/** Never set by an account type; what belongs to the connection is the transport's. @see connectors.md 2.1 */
const PROTECTED_HEADERS = new Set(['authorization', 'cookie'])

/** @see connectors.md 6.2 */
export function exchangeRequest(
  type: AccountType,
  endpoint: string,
  input: ExchangeInput,
): ProviderRequest {
  const { code, redirectUri, state, nonce, codeVerifier } = input
  const parameters = {
    ...type.tokenParams,
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(!type.skipsStateOnToken && { state }),
    ...(type.sendsNonceOnToken && nonce !== undefined && { nonce }),
    ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
  }
  return tokenRequest(type, endpoint, parameters, [code, state, nonce, codeVerifier])
}

/** @see connectors.md 6.2 */
export function refreshRequest(
  type: AccountType,
  endpoint: string,
  refreshToken: string,
): ProviderRequest {
  const parameters = {
    ...type.refreshParams,
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  }
  return tokenRequest(type, endpoint, parameters, [refreshToken])
}

/** Always a form by POST, whatever the token endpoint wants. @see RFC 7009 2.1 */
export function revocationRequest(
  type: AccountType,
  endpoint: string,
  token: string,
  hint: 'refresh_token' | 'access_token',
): ProviderRequest {
  const asForm: AccountType = {
    ...type,
    tokenMode: type.tokenMode === 'basic' ? 'basic' : 'form',
    tokenBodyFormat: 'form',
  }
  return tokenRequest(asForm, endpoint, { token, token_type_hint: hint }, [token])
}

function tokenRequest(
  type: AccountType,
  endpoint: string,
  parameters: Parameters,
  secrets: readonly (string | undefined)[],
): ProviderRequest {
  const secret = type.clientSecret?.reveal()
  // A public client has no password to show: it only says who it is. RFC 6749 2.3.1, 3.2.1
  const isBasic = type.tokenMode === 'basic' && secret !== undefined
  const all = isBasic
    ? parameters
    : {
        ...parameters,
        client_id: type.clientId,
        ...(secret !== undefined && { client_secret: secret }),
      }
  const headers = {
    'user-agent': USER_AGENT,
    ...customHeaders(type.tokenHeaders),
    accept: 'application/json',
    ...(isBasic && { authorization: basic(type, secret) }),
  }
  const hidden = [...secrets, secret].filter((value) => value !== undefined)
  return { ...withParameters(type, endpoint, all, headers), secrets: hidden }
}

function withParameters(
  type: AccountType,
  endpoint: string,
  parameters: Parameters,
  headers: Readonly<Record<string, string>>,
): Omit<ProviderRequest, 'secrets'> {
  if (type.tokenMode === 'get') {
    return { url: withQuery(endpoint, parameters), method: 'GET', headers }
  }
  const isJson = type.tokenBodyFormat === 'json'
  return {
    url: endpoint,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    },
    body: isJson ? JSON.stringify(parameters) : new URLSearchParams(parameters).toString(),
  }
}

/** The endpoint's own query stays, parameters of the same name excepted. */
function withQuery(endpoint: string, parameters: Parameters): string {
  const url = URL.parse(endpoint)
  // The transport refuses it.
  if (url === null) return endpoint
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** `raw` is what most providers decode, against RFC 6749 2.3.1. */
function basic(type: AccountType, secret: string): string {
  const encode = type.tokenBasicEncoding === 'rfc6749' ? formEncoded : (text: string) => text
  const credentials = `${encode(type.clientId)}:${encode(secret)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** Entries stored before they were checked may hold anything. */
function customHeaders(headers: Parameters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value))
      .filter(([name]) => !PROTECTED_HEADERS.has(name)),
  )
}
