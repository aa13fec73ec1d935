import type { EngineAnswer } from '../engine/engine.ts'
import { ERRORS, OAuthError, type OAuthErrorCode } from '../errors.ts'
import { invalidToken } from '../tokens/refusals.ts'

/** What the engine refused, as one of our errors. Its words are logged only: our own checks come first. */
export function engineError({ status, body }: EngineAnswer): OAuthError {
  const { error: code, error_description: description } = body ?? {}
  const detail = `the engine answered ${status} ${String(code)}: ${String(description)}`
  if (status === 401) return invalidToken(detail)
  const isOurs = typeof code === 'string' && Object.hasOwn(ERRORS, code)
  if (status < 400 || status >= 500 || !isOurs) return new OAuthError('internal_error', { detail })
  return new OAuthError(code as OAuthErrorCode, { detail }) // In the table.
}
