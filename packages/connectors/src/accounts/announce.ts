import type { Instance, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import type { AccountEvent, ConnectorEvents, EventSink } from '../ports.ts'
import { type AccountDocument, accountTypeName } from './account.ts'
import { publicAccount } from './public-account.ts'

/** Tells the package's listeners; handlers that throw are the emitter's business. */
export type EmitConnectorEvent = <Name extends keyof ConnectorEvents>(
  name: Name,
  event: ConnectorEvents[Name],
) => void

/** Tells subscribers of the instance what became of an account, without its secrets. @see connectors.md 7.2 */
export interface Announcements {
  /** Nobody waits for subscribers. */
  tell(instance: Instance, verb: 'CREATED' | 'UPDATED' | 'DELETED', account: AccountDocument): void
  readonly emit: EmitConnectorEvent
}

export function createAnnouncements(options: {
  readonly events?: EventSink | undefined
  readonly emit: EmitConnectorEvent
  readonly namespace: string
  readonly log: Logger
}): Announcements {
  const { events, emit, namespace, log } = options
  return {
    emit,
    tell(instance, verb, account) {
      const event = {
        type: `${namespace}.accounts`,
        id: account._id,
        doc: publicAccount(account),
      }
      events?.publish(instance, verb, event).catch((cause: unknown) => {
        log.warn('account.event_failed', { instance: instance.domain, cause: describeError(cause) })
      })
    },
  }
}

/** What the package's events say of an account. */
export function accountEvent(instance: Instance, account: AccountDocument): AccountEvent {
  return { instance, accountId: account._id, accountType: accountTypeName(account) }
}
