import type { OAuth } from '@svc/oauth-core'
import type { RouteContext, RouteRow } from '@svc/platform'
import { NotifyError } from '../notify-error.ts'
import {
  isNotificationId,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { cancelNotification } from './cancel.ts'
import { wordErrors } from './jsonapi-errors.ts'
import { toResource } from '../outbox/notification-json.ts'
import { posterOf } from './poster.ts'

export interface SingleDependencies {
  readonly oauth: Pick<OAuth, 'authenticate' | 'clock' | 'namespace'>
  readonly outbox: Pick<Outbox, 'get' | 'update'>
}

/** `GET` and `DELETE /notifications/:id`. @see notifications.md 15 */
export function singleRows(dependencies: SingleDependencies): readonly RouteRow[] {
  const row = {
    path: '/notifications/:id',
    auth: ['app token', 'access token', 'konnector token'],
    family: 'jsonapi',
    cors: 'app-origins-or-any',
    use: [wordErrors],
    source: 'notifications.md 15',
  } as const satisfies Partial<RouteRow>
  return [
    {
      ...row,
      method: 'GET',
      handler: (ctx) => sendNotification(ctx, dependencies),
      statuses: [200, 400, 401, 404],
      summary: 'Answers a notification and what became of it.',
    },
    {
      ...row,
      method: 'DELETE',
      handler: (ctx) => cancelOwn(ctx, dependencies),
      statuses: [204, 400, 401, 404, 409],
      summary: 'Cancels a notification that is not sent yet.',
    },
  ]
}

async function sendNotification(
  ctx: RouteContext,
  { oauth, outbox }: SingleDependencies,
): Promise<void> {
  await oauth.authenticate(ctx)
  const { record } = found(await find(ctx, outbox))
  const resource = toResource(record, oauth.namespace)
  if (!isOwn(ctx, record, oauth) && !mayRead(ctx, resource)) throw notFound()
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data: resource })
}

async function cancelOwn(ctx: RouteContext, { oauth, outbox }: SingleDependencies): Promise<void> {
  await oauth.authenticate(ctx)
  await cancelNotification({ outbox, clock: oauth.clock }, async () => {
    const stored = found(await find(ctx, outbox))
    if (!isOwn(ctx, stored.record, oauth)) throw notFound()
    return stored
  })
  ctx.status = 204
}

async function find(
  ctx: RouteContext,
  outbox: Pick<Outbox, 'get'>,
): Promise<StoredNotification | undefined> {
  const id = String(ctx['params']?.id)
  return isNotificationId(id) ? outbox.get(ctx.state.instance.id, id) : undefined
}

/** SPEC: D30 - of the app and of its linked clients alike. */
function isOwn(
  { state }: RouteContext,
  { postedBy }: NotificationRecord,
  { namespace }: Pick<OAuth, 'namespace'>,
): boolean {
  const { access } = state
  return access !== undefined && posterOf(access, namespace)?.postedBy === postedBy
}

function mayRead({ state }: RouteContext, resource: ReturnType<typeof toResource>): boolean {
  const { type, id, attributes } = resource
  return state.access?.allows('GET', type, { ...attributes, id }) === true
}

function found(stored: StoredNotification | undefined): StoredNotification {
  if (stored === undefined) throw notFound()
  return stored
}

function notFound(): NotifyError {
  return new NotifyError('not_found')
}
