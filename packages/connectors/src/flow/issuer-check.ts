import type { Logger } from '@svc/oauth-core'
import { validateAuthResponse } from 'oauth4webapi'
import type { CallbackQuery, PendingFlow } from './pending-flow.ts'
import type { UsableType } from './usable-types.ts'

/**
 * Whether an answer comes from the provider that was asked, as far as answers tell (RFC 9207).
 * @see connectors.md 5.3
 */
export function isFromIssuer(
  flow: PendingFlow,
  { type, authEndpoint }: UsableType,
  query: CallbackQuery,
  log: Logger,
): boolean {
  const iss = query.get('iss')
  if (flow.issuer === undefined) {
    // Each type has a redirect path of its own: that protects already.
    if (iss !== undefined && URL.parse(iss)?.origin !== new URL(authEndpoint).origin) {
      log.warn('account.strange_issuer', { accountType: type.id })
    }
    return true
  }
  const server = {
    issuer: flow.issuer,
    authorization_response_iss_parameter_supported: flow.sendsIssuer === true,
  }
  // Only `iss` is judged here: the state was taken, and errors come later.
  const answer = new URLSearchParams(iss === undefined ? {} : { iss })
  try {
    validateAuthResponse(server, { client_id: type.clientId }, answer)
    return iss !== ''
  } catch {
    return false
  }
}
