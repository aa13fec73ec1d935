import type { IncomingMessage } from 'node:http'
import type { Instance } from '@svc/platform'
import { OAuthError } from '../errors.ts'

/** One space (security.md 69), one token. */
const BEARER = /^Bearer (\S+)$/i
const SCHEME = /^Bearer(?: |$)/i

/**
 * The bearer token of the `Authorization` header, the only place one is read from (oauth.md 7.2).
 * `missing`: no header, another scheme, or no token behind it. `malformed`: two tokens, two headers.
 */
export function readBearer(request: IncomingMessage): { token: string } | 'missing' | 'malformed' {
  const header = request.headers.authorization
  if (header === undefined) return 'missing'
  const token = BEARER.exec(header)?.[1]
  if (token === undefined && !SCHEME.test(header)) return 'missing'
  // Node keeps the first of two headers; something in front of us may have looked at the second.
  if (isRepeated(request.rawHeaders)) return 'malformed'
  if (token !== undefined) return { token }
  return header.trim().length === 'Bearer'.length ? 'missing' : 'malformed'
}

/**
 * 401: the request carries no bearer token. Statuses, bodies and challenges of the guard are read by deployed clients.
 * @see oauth.md 7.2, clients.md 20
 */
export function missingToken(instance: Instance): OAuthError {
  return challenge('missing_token', `realm="${instance.domain}"`)
}

/**
 * 401: the token is not one of ours, not for here, revoked, or not yet valid.
 * @param detail - logged only
 */
export function invalidToken(detail: string): OAuthError {
  return challenge('invalid_token', 'error="invalid_token"', detail)
}

/** What {@link expiredToken} is logged with. */
export const EXPIRED = 'expired'

/** 401: the token was good. */
export function expiredToken(): OAuthError {
  const reason = 'error_description="The access token expired"'
  return challenge('invalid_token', `error="invalid_token", ${reason}`, EXPIRED)
}

/** 403: the token is good and does not allow this. What handlers throw when `access.allows` says no (D65). */
export function insufficientScope(): OAuthError {
  return challenge('insufficient_scope', 'error="insufficient_scope"')
}

function challenge(
  code: 'missing_token' | 'invalid_token' | 'insufficient_scope',
  parameters: string,
  detail?: string,
): OAuthError {
  return new OAuthError(code, {
    headers: { 'WWW-Authenticate': `Bearer ${parameters}` },
    ...(detail === undefined ? {} : { detail }),
  })
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1
  }
  return count > 1
}
