import type { InstanceId } from '@svc/platform'
import { describeError } from '@svc/store'
import type { NotifyServices } from '../services.ts'
import type { NotificationRecord } from './notification.ts'
import { toResource } from './notification-json.ts'
import type { OutboxWrite } from './outbox.ts'

type EventServices = Pick<NotifyServices, 'events' | 'log' | 'namespace'>

/**
 * Tells the owner's programs what a write of the outbox means: the acceptance of a notification, or another status.
 * @see notifications.md 12 rule 9
 */
export function publishWrite(
  services: EventServices,
  { before, after: { instanceId, record } }: OutboxWrite,
): void {
  if (before === undefined) publish(services, instanceId, 'CREATED', record)
  else if (before.status !== record.status) publishUpdated(services, instanceId, record)
}

/** Tells them that something else of a notification changed, such as that it was read. */
export function publishUpdated(
  services: EventServices,
  instanceId: InstanceId,
  record: NotificationRecord,
): void {
  publish(services, instanceId, 'UPDATED', record)
}

function publish(
  { events, log, namespace }: EventServices,
  id: InstanceId,
  verb: 'CREATED' | 'UPDATED',
  { content: _content, contentHtml: _contentHtml, ...record }: NotificationRecord,
): void {
  if (events === undefined) return
  const resource = toResource(record, namespace)
  const doc = { _id: resource.id, _type: resource.type, ...resource.attributes }
  events
    .publish({ id }, verb, { type: resource.type, id: resource.id, doc })
    .catch((cause: unknown) => log.warn('notification.event_lost', { cause: describeError(cause) }))
}
