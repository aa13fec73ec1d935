import type { FailureClass } from '../token-client/provider.ts'
import type { FlowError } from './flow-outcome.ts'

/** @see connectors.md 4.6 */
const ERRORS: ReadonlyMap<string, FlowError> = new Map([
  ['access_denied', 'access_denied'],
  ['consent_declined', 'access_denied'],
  ['server_error', 'provider_unavailable'],
  ['temporarily_unavailable', 'provider_unavailable'],
  ['user_cancelled_authorize', 'access_denied'],
  ['user_cancelled_login', 'access_denied'],
  ['user_denied', 'access_denied'],
])

const FAILURES: Readonly<Record<FailureClass, FlowError>> = {
  config: 'token_exchange_failed',
  error: 'token_exchange_failed',
  invalid: 'invalid_response',
  limited: 'provider_unavailable',
  revoked: 'token_exchange_failed',
  timeout: 'provider_timeout',
  unavailable: 'provider_unavailable',
}

/** What the app is told of the `error` of a provider's redirect. */
export function errorOfRedirect(error: string): FlowError {
  return ERRORS.get(error) ?? 'provider_error'
}

/** What the app is told of an exchange that failed. */
export function errorOfExchange(failure: FailureClass): FlowError {
  return FAILURES[failure]
}
