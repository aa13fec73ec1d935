import { type Instance, originOfApp } from '@svc/platform'
import type { FailureClass } from '../token-client/provider.ts'

/** Why an owner comes back to the app without an account. @see connectors.md 4.6 */
export type FlowError =
  | 'access_denied'
  | 'account_mismatch'
  | 'account_not_found'
  | 'internal_error'
  | 'invalid_response'
  | 'issuer_mismatch'
  | 'provider_error'
  | 'provider_timeout'
  | 'provider_unavailable'
  | 'token_exchange_failed'

/** How a flow ended. */
export type Outcome = { readonly accountId: string } | { readonly error: FlowError }

/**
 * Address of the app with the outcome; nothing that a provider sent is in it. The empty fragment keeps a browser from
 * carrying on the one of the provider's redirect (`#_=_`, `#access_token=…`).
 * @param app - its slug, and the state it gave at the start
 * @see connectors.md 4.5
 */
export function appRedirect(
  instance: Instance,
  app: { readonly slug: string; readonly clientState: string },
  outcome: Outcome,
): string {
  const parameters = [
    ['account', 'accountId' in outcome ? outcome.accountId : ''],
    ['state', app.clientState],
    ['error', 'error' in outcome ? outcome.error : ''],
  ] as const
  const query = parameters
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const address = `${originOfApp(instance, app.slug)}/`
  return query.length === 0 ? `${address}#` : `${address}?${query.join('&')}#`
}

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
