import { OAuthError } from '../errors.ts'
import type { Instance } from '@svc/platform'

/** The guard's answers. Statuses, bodies and challenges are read by deployed clients. @see oauth.md 7.2, clients.md 20 */

/** 401: the request carries no bearer token. */
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

/** 401: the token was good. */
export function expiredToken(): OAuthError {
  const reason = 'error_description="The access token expired"'
  return challenge('invalid_token', `error="invalid_token", ${reason}`, 'expired')
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
