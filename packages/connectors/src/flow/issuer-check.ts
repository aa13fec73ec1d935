import type { CallbackQuery, PendingFlow } from './flow-store.ts'
import type { UsableType } from './usable-type.ts'
import type { ConnectorsLog } from '../log/log-events.ts'

/** The library wants one, and looks at nothing of it for what is asked here. */
const ANY_CLIENT = { client_id: '-' }

/**
 * Whether an answer comes from the provider that was asked, as far as answers tell (RFC 9207). Nobody is asked.
 * @see connectors.md 5.3
 */
export async function isFromIssuer(
  flow: Pick<PendingFlow, 'issuer' | 'sendsIssuer'>,
  query: CallbackQuery,
): Promise<boolean> {
  // Each type has a redirect path of its own: that protects already.
  if (flow.issuer === undefined) return true
  const { validateAuthResponse } = await import('oauth4webapi')
  const iss = query.get('iss')
  const server = {
    issuer: flow.issuer,
    authorization_response_iss_parameter_supported: flow.sendsIssuer === true,
  }
  // Only `iss` is checked here: the state was taken, and errors come later.
  const answer = new URLSearchParams(iss === undefined ? {} : { iss })
  try {
    validateAuthResponse(server, ANY_CLIENT, answer)
    return iss !== ''
  } catch {
    return false
  }
}

/** Warns of an answer that names somebody where nobody is known whom it should name. @see connectors.md 5.3 (3) */
export function warnOfStrangeIssuer(
  flow: Pick<PendingFlow, 'issuer'>,
  { type, authEndpoint }: Pick<UsableType, 'type' | 'authEndpoint'>,
  query: CallbackQuery,
  log: ConnectorsLog,
): void {
  const iss = query.get('iss')
  if (flow.issuer !== undefined || iss === undefined) return
  if (URL.parse(iss)?.origin === new URL(authEndpoint).origin) return
  log.warn('account.strange_issuer', { accountType: type.id })
}
