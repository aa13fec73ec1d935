import { type Instance, originOfApp } from '@svc/platform'

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
 * Address of the app with the outcome; nothing that a provider sent is in it.
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
  return query.length === 0 ? address : `${address}?${query.join('&')}`
}
