import type { OAuth } from '@svc/oauth-core'
import type { Instance, RouteContext, RouteRow } from '@svc/platform'
import { demandPermission } from '../demand-permission.ts'
import {
  isNotificationId,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import { NotifyError } from '../notify-error.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { inboxBodySchema, wholeInboxBodySchema } from './inbox.schema.ts'
import {
  type InboxPatch,
  invalid,
  limitOf,
  nextLink,
  patchOf,
  unreadOf,
  wholePatchOf,
} from './inbox-requests.ts'

export interface InboxRowsOptions {
  readonly oauth: Pick<OAuth, 'authenticate' | 'clock' | 'namespace'>
  readonly outbox: Outbox
  /** A notification as JSON:API resource, as the poster gets it. */
  readonly toResource: (record: NotificationRecord) => Readonly<Record<string, unknown>>
  /** Where its button leads; undefined when nowhere. */
  readonly linkOf: (instance: Instance, record: NotificationRecord) => Promise<string | undefined>
  /** Tells subscribers that it changed. */
  readonly changed: (instance: Instance, record: NotificationRecord) => Promise<void>
}

const MAX_TRIES = 10
/** Beyond it a number tells nobody more. */
const MAX_COUNT = 100
const JSON_API = 'application/vnd.api+json'

/** The owner's inbox: everything that was for the owner, whatever channel it came by. @see docs/decisions/0181 */
export function createInboxRows(options: InboxRowsOptions): readonly RouteRow[] {
  const { oauth, outbox, toResource, linkOf, changed } = options
  const type = `${oauth.namespace}.notifications`

  async function resourceOf(instance: Instance, record: NotificationRecord) {
    const resource = toResource(record)
    const link = await linkOf(instance, record)
    return {
      ...resource,
      attributes: {
        ...(resource['attributes'] as Readonly<Record<string, unknown>>), // as JSON:API has it
        read_at: isoOrNull(record.readAt),
        archived_at: isoOrNull(record.archivedAt),
      },
      links: {
        ...(resource['links'] as Readonly<Record<string, unknown>>),
        ...(link !== undefined && { related: link }),
      },
    }
  }

  async function countUnread({ id }: Instance): Promise<number> {
    return (await outbox.listInbox(id, { limit: MAX_COUNT, unread: true })).notifications.length
  }

  async function list(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    const cursor = query.get('page[cursor]')
    const unread = unreadOf(query.get('filter[unread]'))
    const page = await outbox
      .listInbox(instance.id, {
        limit: limitOf(query.get('page[limit]')),
        ...(cursor !== undefined && { cursor }),
        ...(unread !== undefined && { unread }),
      })
      .catch((error: unknown) => {
        // What the store says of a cursor that it did not make.
        if (error instanceof TypeError) throw invalid('page[cursor] is malformed')
        throw error
      })
    const data = []
    for (const { record } of page.notifications) data.push(await resourceOf(instance, record))
    const links = page.cursor === undefined ? {} : { next: nextLink(ctx, page.cursor) }
    answer(ctx, { data, links, meta: { unread: await countUnread(instance) } })
  }

  /** Again when somebody else changed it meanwhile: an owner's mark is never lost to a delivery. */
  async function mark(
    instance: Instance,
    id: string,
    patch: InboxPatch,
  ): Promise<StoredNotification> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = isNotificationId(id) ? await outbox.get(instance.id, id) : undefined
      if (before === undefined) throw new NotifyError('not_found')
      const record = marked(before.record, patch, oauth.clock.now())
      if (record === before.record) return before
      const after = await outbox.update(before, record)
      if (after === undefined) continue
      await changed(instance, after.record)
      return after
    }
    throw new NotifyError('conflict', { description: 'it changes too fast; try again' })
  }

  async function change(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const id = String((ctx as { params?: { id?: unknown } }).params?.id)
    const { record } = await mark(instance, id, patchOf(ctx.state.json))
    answer(ctx, { data: await resourceOf(instance, record) })
  }

  async function changeAll(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const patch = wholePatchOf(ctx.state.json)
    let count = 0
    let cursor: string | undefined
    do {
      const page = await outbox.listInbox(instance.id, {
        ...{ limit: 100, unread: true },
        ...(cursor !== undefined && { cursor }),
      })
      for (const { record } of page.notifications) {
        await mark(instance, record.id, patch)
        count += 1
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    answer(ctx, { meta: { changed: count, unread: await countUnread(instance) } })
  }

  const shared = {
    auth: ['app token', 'access token'],
    family: 'jsonapi',
    cors: 'app-origins',
    source: 'notifications.md 23.7',
  } as const
  return [
    {
      ...shared,
      method: 'GET',
      path: '/notifications',
      handler: list,
      statuses: [200, 400, 401, 403],
      use: [demandPermission(oauth, 'GET', type)],
      summary:
        'The inbox, newest first: `filter[unread]`, `page[limit]` (1 to 100), `page[cursor]`; `meta.unread` counts to 100.',
    },
    {
      ...shared,
      method: 'PATCH',
      path: '/notifications',
      handler: changeAll,
      body: { types: ['json'], schema: wholeInboxBodySchema },
      statuses: [200, 400, 401, 403, 413, 415],
      use: [demandPermission(oauth, 'PATCH', type)],
      summary: 'Marks the whole inbox as read: `{"data": {"attributes": {"read": true}}}`.',
    },
    {
      ...shared,
      method: 'PATCH',
      path: '/notifications/:id',
      handler: change,
      body: { types: ['json'], schema: inboxBodySchema },
      statuses: [200, 400, 401, 403, 404, 409, 413, 415],
      use: [demandPermission(oauth, 'PATCH', type)],
      summary: 'Marks one as `read` or `archived`, or takes that back.',
    },
  ]
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

function answer(ctx: RouteContext, body: Readonly<Record<string, unknown>>): void {
  ctx.status = 200
  ctx.type = JSON_API
  ctx.body = JSON.stringify(body)
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString()
}
