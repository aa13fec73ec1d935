import type { InstanceId, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import type { NotificationRecord } from './notification.ts'
import type { OutboxWrite } from './outbox.ts'
import type { EventSink } from '../ports.ts'

/** A notification as subscribers see it. */
export type ToResource = (record: NotificationRecord) => {
  readonly type: string
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Tells the owner's programs what becomes of notifications. @see notifications.md 12 rule 9 */
export interface Events {
  /** Of a write of the outbox: its acceptance, or another status. */
  ofWrite(write: OutboxWrite): void
  /** That something else of it changed, such as that it was read. */
  updated(instanceId: InstanceId, record: NotificationRecord): void
}

export function createEvents(options: {
  readonly events: EventSink | undefined
  readonly toResource: ToResource
  readonly log: Logger
}): Events {
  const { events, toResource, log } = options

  function tell(
    id: InstanceId,
    verb: 'CREATED' | 'UPDATED',
    { content: _content, contentHtml: _contentHtml, ...record }: NotificationRecord,
  ): void {
    if (events === undefined) return
    const resource = toResource(record)
    const doc = { _id: resource.id, _type: resource.type, ...resource.attributes }
    events
      .publish({ id }, verb, { type: resource.type, id: resource.id, doc })
      .catch((cause: unknown) =>
        log.warn('notification.event_lost', { cause: describeError(cause) }),
      )
  }

  return {
    ofWrite({ before, after: { instanceId, record } }) {
      if (before === undefined) tell(instanceId, 'CREATED', record)
      else if (before.status !== record.status) tell(instanceId, 'UPDATED', record)
    },
    updated: (instanceId, record) => tell(instanceId, 'UPDATED', record),
  }
}
