import { StoreUnavailableError } from '@svc/store'
import { ConnectorError, type ConnectorErrorCode } from '../connector-error.ts'
import type { FailureClass } from '../token-client/provider.ts'
import type { RefreshFailure } from './refresh-state.ts'

/** Answers to failures of a provider. @see connectors.md 8.4, 10 */
const CODES: Readonly<Record<FailureClass, ConnectorErrorCode>> = {
  revoked: 'oauth_refresh_invalid_token',
  config: 'oauth_provider_config_error',
  limited: 'oauth_provider_rate_limited',
  error: 'oauth_provider_error',
  invalid: 'oauth_provider_error',
  unavailable: 'oauth_provider_unavailable',
  timeout: 'oauth_provider_timeout',
}

const DESCRIPTIONS: Readonly<Partial<Record<ConnectorErrorCode, string>>> = {
  // SPEC: connectors.md 10 - exactly this.
  oauth_refresh_invalid_token: 'OAuth refresh token is invalid or expired; reconnect account.',
  oauth_provider_config_error: 'The provider does not accept this server as its client.',
  oauth_provider_rate_limited: 'The provider asks to come back later.',
  oauth_provider_error: 'The provider refused, or its answer could not be used.',
  oauth_provider_unavailable: 'The provider could not be reached.',
  oauth_provider_timeout: 'The provider did not answer in time.',
  oauth_refresh_in_progress: 'The account is being refreshed.',
  lock_unavailable: 'The account cannot be refreshed now.',
}

const PROVIDER_PAUSE_S = 30
const OWN_PAUSE_S = 5
const LONGEST_PAUSE_S = 3600

/** Our code for a class of failures: also what `last_error` of an account says. */
export function codeOf(failure: FailureClass): ConnectorErrorCode {
  return CODES[failure]
}

/** The error that a caller is answered with. */
export function refreshError(failure: RefreshFailure): ConnectorError {
  const code = CODES[failure.class]
  const description = DESCRIPTIONS[code] ?? ''
  const retryAfterS = pauseOf(failure)
  return new ConnectorError(code, {
    description,
    ...(retryAfterS !== undefined && { retryAfterS }),
  })
}

function pauseOf({ class: kind, retryAfterS = PROVIDER_PAUSE_S }: RefreshFailure) {
  if (kind === 'unavailable' || kind === 'timeout') return PROVIDER_PAUSE_S
  if (kind !== 'limited') return undefined
  return Math.min(LONGEST_PAUSE_S, Math.max(1, Math.ceil(retryAfterS)))
}

/** 503: somebody else still asks the provider. */
export function inProgress(): ConnectorError {
  return ownError('oauth_refresh_in_progress')
}

/**
 * Runs what needs the store, and fails closed without it: an account that cannot be locked is not refreshed.
 * @throws ConnectorError `lock_unavailable` in the place of StoreUnavailableError
 */
export async function failingClosed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
    throw ownError('lock_unavailable', error)
  }
}

function ownError(code: 'oauth_refresh_in_progress' | 'lock_unavailable', cause?: unknown) {
  const description = DESCRIPTIONS[code] ?? ''
  return new ConnectorError(code, {
    description,
    retryAfterS: OWN_PAUSE_S,
    ...(cause !== undefined && { cause }),
  })
}
