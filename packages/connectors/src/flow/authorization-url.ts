import { ConnectorError } from '../connector-error.ts'
import type { AccountType } from '../account-types/account-type.ts'

/** What is asked of a provider's authorization endpoint. */
export interface AuthorizationQuestion {
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** Ours. */
  readonly state: string
  /** S256 of the code verifier. */
  readonly codeChallenge?: string
  readonly oidcNonce?: string
}

/** What `extras` never replace, asked for or not. @see connectors.md 5.1 */
const PROTECTED: readonly string[] = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
]
/** Bytes. */
const MAX_URL = 8192

/**
 * Where the owner goes to allow it.
 * @param endpoint - the type's, or what the provider says it is
 * @throws ConnectorError `account_type_misconfigured` for what is no web address, or too long
 * @see connectors.md 5.1
 */
export function authorizationUrl(
  type: AccountType,
  endpoint: string,
  question: AuthorizationQuestion,
): string {
  const { redirectUri, scopes, state, codeChallenge, oidcNonce } = question
  const target = URL.parse(endpoint)
  if (target === null || !isWebAddress(target)) throw misconfigured('the address is none')
  const own = new Map<string, string>([
    ['response_type', 'code'],
    ['client_id', type.clientId],
    ...(type.skipsRedirectUriOnAuthorize ? [] : ([['redirect_uri', redirectUri]] as const)),
    ...(scopes.length === 0
      ? []
      : ([[type.scopeParam, scopes.join(type.scopeSeparator)]] as const)),
    ['state', state],
    ...(codeChallenge === undefined
      ? []
      : ([
          ['code_challenge', codeChallenge],
          ['code_challenge_method', 'S256'],
        ] as const)),
    ...(oidcNonce === undefined ? [] : ([['nonce', oidcNonce]] as const)),
  ])
  for (const [name, value] of Object.entries(type.extras)) {
    if (!PROTECTED.includes(name) && name !== type.scopeParam) own.set(name, value)
  }
  const kept = target.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !own.has(nameOf(pair)))
  const pairs = [...own].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const url = `${target.origin}${target.pathname}?${[...kept, ...pairs].join('&')}`
  if (url.length > MAX_URL) throw misconfigured('the address is too long')
  return url
}

function isWebAddress({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** Parsed as browsers do, so that no spelling of a name stays beside ours. */
function nameOf(pair: string): string {
  return [...new URLSearchParams(pair).keys()][0] ?? ''
}

/** Spaces as `%20`: some providers take `+` for itself. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function misconfigured(cause: string): ConnectorError {
  return new ConnectorError('account_type_misconfigured', { cause: new Error(cause) })
}
