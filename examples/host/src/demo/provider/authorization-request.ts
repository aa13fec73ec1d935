/** What a client asks for on the authorization page. */
export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly scope: string
  readonly state: string
  /** S256. */
  readonly codeChallenge: string
}

export const SCOPE = 'photos.read'

const LOCAL_HOST = /^(?:.+\.)?localhost$|^127\.0\.0\.1$|^\[::1\]$/
const CHALLENGE = /^[\w-]{43}$/

/**
 * Reads the query of the authorization page.
 * @returns the request, or what is wrong with it, in words
 */
export function readAuthorizationRequest(
  query: URLSearchParams,
  clientId: string,
): AuthorizationRequest | string {
  const redirectUri = query.get('redirect_uri') ?? ''
  const codeChallenge = query.get('code_challenge') ?? ''
  const scope = query.get('scope') ?? SCOPE
  const checks: readonly (readonly [isRight: boolean, otherwise: string])[] = [
    [query.get('client_id') === clientId, 'the client is unknown; was the provider started anew?'],
    // A provider would know the addresses of its clients. This one knows that they are on this machine.
    [isLocal(redirectUri), 'redirect_uri is not on this machine'],
    [query.get('response_type') === 'code', 'response_type is not code'],
    [query.get('code_challenge_method') === 'S256', 'code_challenge_method is not S256'],
    [CHALLENGE.test(codeChallenge), 'code_challenge is malformed'],
    [scope === SCOPE, `scope is not ${SCOPE}`],
  ]
  const wrong = checks.find(([isRight]) => !isRight)
  if (wrong !== undefined) return wrong[1]
  return { redirectUri, codeChallenge, scope, state: query.get('state') ?? '' }
}

function isLocal(uri: string): boolean {
  const url = URL.parse(uri)
  return url !== null && /^https?:$/.test(url.protocol) && LOCAL_HOST.test(url.hostname)
}
