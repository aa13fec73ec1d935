import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { requireToken } from '../auth.ts'
import { NotifyError } from '../notify-error.ts'
import {
  isNotificationId,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import { type NotificationResource, toResource } from '../outbox/notification-json.ts'
import type { NotifyServices } from '../services.ts'
import { cancelNotification } from './cancel.ts'
import { posterOf } from './poster.ts'

type SingleServices = Pick<NotifyServices, 'clock' | 'namespace' | 'oauth' | 'outbox'>

/** @see notifications.md 15 */
export const showRoute: Route<SingleServices> = defineRoute({
  method: 'GET',
  path: '/notifications/:id',
  handler: showNotification,
  auth: requireToken,
  statuses: [200, 400, 401, 404],
  family: 'jsonapi',
  cors: 'app-origins-or-any',
  summary: 'Answers a notification and what became of it.',
  source: 'notifications.md 15',
})

/** @see notifications.md 15 */
export const cancelRoute: Route<SingleServices> = defineRoute({
  method: 'DELETE',
  path: '/notifications/:id',
  handler: cancelOwn,
  auth: requireToken,
  statuses: [204, 400, 401, 404, 409],
  family: 'jsonapi',
  cors: 'app-origins-or-any',
  activity: { none: 'Posts of notifications have no entry of their own.' },
  summary: 'Cancels a notification that is not sent yet.',
  source: 'notifications.md 15',
})

async function showNotification(ctx: RouteContext, services: SingleServices): Promise<void> {
  const { record } = await find(ctx, services)
  const resource = toResource(record, services.namespace)
  if (!isOwn(ctx, services, record) && !mayRead(ctx, resource)) throw new NotifyError('not_found')
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data: resource })
}

async function cancelOwn(ctx: RouteContext, services: SingleServices): Promise<void> {
  await cancelNotification(services, async () => {
    const stored = await find(ctx, services)
    if (!isOwn(ctx, services, stored.record)) throw new NotifyError('not_found')
    return stored
  })
  ctx.status = 204
}

/** @throws NotifyError 404 `not_found` */
async function find(ctx: RouteContext, { outbox }: SingleServices): Promise<StoredNotification> {
  const id = String(ctx['params']?.id)
  const stored = isNotificationId(id) ? await outbox.get(ctx.state.instance.id, id) : undefined
  if (stored === undefined) throw new NotifyError('not_found')
  return stored
}

/** SPEC: D30 - of the app and of its linked clients alike. */
function isOwn(
  { state }: RouteContext,
  { namespace }: SingleServices,
  { postedBy }: NotificationRecord,
): boolean {
  const { access } = state
  return access !== undefined && posterOf(access, namespace)?.postedBy === postedBy
}

function mayRead({ state }: RouteContext, resource: NotificationResource): boolean {
  const { type, id, attributes } = resource
  return state.access?.allows('GET', type, { ...attributes, id }) === true
}
