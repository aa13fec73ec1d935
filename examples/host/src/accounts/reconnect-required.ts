import type { ConnectorEvents } from '@svc/connectors'
import type { Logger } from '@svc/oauth-core'

/** What the host does when an account works no longer until its owner connects it again; once per transition. */
export type OnReconnectRequired = (event: ConnectorEvents['account.reconnect_required']) => void

/** Tells the operator. @see connectors.md 8.7.5 */
export function logReconnectRequired(log: Logger): OnReconnectRequired {
  return function onReconnectRequired({ instance, accountId, accountType, code }) {
    log.warn('account.needs_owner', { instance: instance.domain, accountId, accountType, code })
  }
}
