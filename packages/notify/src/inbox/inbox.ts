import {
  defineRoute,
  type Instance,
  type Route,
  type RouteContext,
  type SchemaFault,
} from '@svc/platform'
import { permissionFor } from '../auth.ts'
import { NotifyError } from '../notify-error.ts'
import {
  isNotificationId,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import { publishUpdated } from '../outbox/notification-events.ts'
import { toResource } from '../outbox/notification-json.ts'
import { actionLinkOf } from '../render/action-link.ts'
import type { NotifyServices } from '../services.ts'
import { INBOX_BODY, type InboxBody, type InboxPatch, WHOLE_INBOX_BODY } from './inbox.schema.ts'

type InboxServices = Pick<
  NotifyServices,
  'apps' | 'clock' | 'events' | 'log' | 'namespace' | 'oauth' | 'outbox'
>

const DEFAULT_PAGE = 30
const MAX_TRIES = 10
/** Upper bound of the shown count. */
const MAX_COUNT = 100

/**
 * The owner's inbox: every notification for the owner, from every channel.
 * @see docs/decisions/0181
 */
export const listInboxRoute: Route<InboxServices> = defineRoute({
  method: 'GET',
  path: '/notifications',
  handler: showInbox,
  auth: permissionFor('GET', 'notifications'),
  statuses: [200, 400, 401, 403],
  family: 'jsonapi',
  cors: 'app-origins',
  summary:
    'The inbox, newest first: `filter[unread]`, `page[limit]` (1 to 100), `page[cursor]`; `meta.unread` counts to 100.',
  source: 'notifications.md 23.7',
})

export const markInboxRoute: Route<InboxServices> = defineRoute({
  method: 'PATCH',
  path: '/notifications',
  handler: markAll,
  auth: permissionFor('PATCH', 'notifications'),
  body: { types: ['json'], schema: WHOLE_INBOX_BODY, refuse: refuseWhole },
  statuses: [200, 400, 401, 403, 413, 415],
  family: 'jsonapi',
  cors: 'app-origins',
  activity: { none: 'What was read is no act for the record.' },
  summary: 'Marks the whole inbox as read: `{"data": {"attributes": {"read": true}}}`.',
  source: 'notifications.md 23.7',
})

export const markEntryRoute: Route<InboxServices> = defineRoute({
  method: 'PATCH',
  path: '/notifications/:id',
  handler: markOne,
  auth: permissionFor('PATCH', 'notifications'),
  body: { types: ['json'], schema: INBOX_BODY, refuse: refuseMarks },
  statuses: [200, 400, 401, 403, 404, 409, 413, 415],
  family: 'jsonapi',
  cors: 'app-origins',
  activity: { none: 'What was read is no act for the record.' },
  summary: 'Marks one as `read` or `archived`, or takes that back.',
  source: 'notifications.md 23.7',
})

async function showInbox(ctx: RouteContext, services: InboxServices): Promise<void> {
  const { instance, query } = ctx.state
  const cursor = query.get('page[cursor]')
  const unread = unreadOf(query.get('filter[unread]'))
  const page = await services.outbox
    .listInbox(instance.id, {
      limit: limitOf(query.get('page[limit]')),
      ...(cursor !== undefined && { cursor }),
      ...(unread !== undefined && { unread }),
    })
    .catch((error: unknown) => {
      // The store's error for an unknown cursor.
      if (error instanceof TypeError) throw invalid('page[cursor] is malformed')
      throw error
    })
  const data = []
  for (const { record } of page.notifications) {
    data.push(await inboxResource(services, instance, record))
  }
  const links = page.cursor === undefined ? {} : { next: nextLink(ctx, page.cursor) }
  answer(ctx, { data, links, meta: { unread: await countUnread(services, instance) } })
}

async function markOne(ctx: RouteContext<InboxBody>, services: InboxServices): Promise<void> {
  const { body, instance } = ctx.state
  const id = String(ctx['params']?.id)
  const { record } = await mark(services, instance, id, body?.data.attributes ?? {})
  answer(ctx, { data: await inboxResource(services, instance, record) })
}

async function markAll(ctx: RouteContext<InboxBody>, services: InboxServices): Promise<void> {
  const { body, instance } = ctx.state
  let count = 0
  let cursor: string | undefined
  do {
    const page = await services.outbox.listInbox(instance.id, {
      limit: 100,
      unread: true,
      ...(cursor !== undefined && { cursor }),
    })
    for (const { record } of page.notifications) {
      await mark(services, instance, record.id, body?.data.attributes ?? {})
      count += 1
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  const unread = await countUnread(services, instance)
  answer(ctx, { meta: { changed: count, unread } })
}

/** Marks it, retried when another writer changed it meanwhile: an owner's mark is never lost to a delivery. */
async function mark(
  services: InboxServices,
  instance: Instance,
  id: string,
  patch: InboxPatch,
): Promise<StoredNotification> {
  const { clock, outbox } = services
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = isNotificationId(id) ? await outbox.get(instance.id, id) : undefined
    if (before === undefined) throw new NotifyError('not_found')
    const record = marked(before.record, patch, clock.now())
    if (record === before.record) return before
    const after = await outbox.update(before, record)
    if (after === undefined) continue
    publishUpdated(services, instance.id, after.record)
    return after
  }
  throw new NotifyError('conflict', { description: 'it changes too fast; try again' })
}

function marked(record: NotificationRecord, patch: InboxPatch, now: number): NotificationRecord {
  const { readAt, archivedAt, ...rest } = record
  const read = stamp(readAt, patch.read, now)
  const archived = stamp(archivedAt, patch.archived, now)
  if (read === readAt && archived === archivedAt) return record
  return {
    ...rest,
    ...(read !== undefined && { readAt: read }),
    ...(archived !== undefined && { archivedAt: archived }),
  }
}

/** The first time counts. */
function stamp(
  current: number | undefined,
  wanted: boolean | undefined,
  now: number,
): number | undefined {
  if (wanted === undefined) return current
  return wanted ? (current ?? now) : undefined
}

async function countUnread({ outbox }: InboxServices, { id }: Instance): Promise<number> {
  return (await outbox.listInbox(id, { limit: MAX_COUNT, unread: true })).notifications.length
}

/** A notification as the poster sees it, with the owner's marks and where its button leads. */
async function inboxResource(
  { apps, namespace, oauth }: InboxServices,
  instance: Instance,
  record: NotificationRecord,
): Promise<Readonly<Record<string, unknown>>> {
  const resource = toResource(record, namespace)
  const link = await actionLinkOf(oauth.apps, apps, instance, record.data?.['redirectLink'])
  return {
    ...resource,
    attributes: {
      ...resource.attributes,
      read_at: isoOrNull(record.readAt),
      archived_at: isoOrNull(record.archivedAt),
    },
    links: { ...resource.links, ...(link !== undefined && { related: link.url }) },
  }
}

/** Of `filter[unread]`. @throws NotifyError */
function unreadOf(text: string | undefined): boolean | undefined {
  if (text === undefined || text === '') return undefined
  if (text === 'true') return true
  throw invalid('filter[unread] can only be true')
}

/** Of `page[limit]`. @throws NotifyError */
function limitOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PAGE
  const limit = Number(text)
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= 100) return limit
  throw invalid('page[limit] is not 1 to 100')
}

/** This request with another `page[cursor]`. */
function nextLink(ctx: RouteContext, cursor: string): string {
  const query = new URLSearchParams(ctx.querystring)
  query.set('page[cursor]', cursor)
  return `/notifications?${query.toString()}`
}

function refuseMarks(): NotifyError {
  return invalid('data.attributes must hold read or archived, true or false')
}

function refuseWhole([fault]: readonly SchemaFault[]): NotifyError {
  const isMark = fault?.schemaPath.startsWith('#/properties/') === true
  return isMark ? invalid('all of them can only be marked as read') : refuseMarks()
}

function invalid(description: string): NotifyError {
  return new NotifyError('invalid_request', { description })
}

function answer(ctx: RouteContext, body: Readonly<Record<string, unknown>>): void {
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify(body)
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString()
}
