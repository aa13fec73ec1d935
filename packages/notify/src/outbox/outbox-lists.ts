import type { InstanceId } from '@svc/platform'
import type { IndexKey, PageRequest, Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { fromStored, INDEXES } from './notification-record.ts'
import { type ChannelGroup, purgeTime, type StoredNotification } from './notification.ts'

/** A page of notifications. */
export interface NotificationPage {
  readonly notifications: readonly StoredNotification[]
  readonly cursor?: string
}

export interface NotificationPageRequest {
  /** 1 to 100. */
  readonly limit?: number
  readonly cursor?: string
}

/** The part of the outbox that finds notifications. */
export interface OutboxLists {
  /**
   * Due by then, soonest first, of those that wait for the channel and are of high priority or of any other; those whose
   * lease ran out, too.
   */
  listDue(
    instanceId: InstanceId,
    until: number,
    page: NotificationPageRequest & { readonly isHigh: boolean; readonly channel: ChannelGroup },
  ): Promise<readonly StoredNotification[]>
  /** When the next one of the instance that waits for the channel is due; undefined when none does. */
  nextDue(instanceId: InstanceId, channel: ChannelGroup): Promise<number | undefined>
  /**
   * The one that earlier ones of its collapsible source give way to: the last by `(scheduledAt, createdAt)` that is due
   * by then and has not failed, been cancelled or skipped. @see notifications.md 8
   */
  lastDueOfSource(
    instanceId: InstanceId,
    sourceId: string,
    until: number,
  ): Promise<StoredNotification | undefined>
  /** All of the instance, oldest first. */
  listAll(instanceId: InstanceId, page?: NotificationPageRequest): Promise<NotificationPage>
  /** Newest first by creation. */
  listBySource(
    instanceId: InstanceId,
    sourceId: string,
    page?: NotificationPageRequest,
  ): Promise<NotificationPage>
  /** Not final, gathered for a digest, oldest first. */
  listByDigest(
    instanceId: InstanceId,
    digestId: string,
    page?: NotificationPageRequest,
  ): Promise<NotificationPage>
  /** Waiting for what the owner's choices decide, oldest first: put off, or between rounds. */
  listHeld(instanceId: InstanceId, page?: NotificationPageRequest): Promise<NotificationPage>
  /**
   * What belongs in the owner's inbox, newest first by `scheduledAt`: all but what is archived, not yet due, skipped,
   * collapsed, expired or cancelled.
   */
  listInbox(
    instanceId: InstanceId,
    request?: NotificationPageRequest & { readonly unread?: boolean },
  ): Promise<NotificationPage>
  /** Not final, of one source owner (`<originator>/<owner>`), soonest first. */
  listUnfinished(
    instanceId: InstanceId,
    source: { readonly originator: string; readonly owner: string },
    page?: NotificationPageRequest,
  ): Promise<NotificationPage>
  /** All of one source owner. */
  listByOwner(
    instanceId: InstanceId,
    source: { readonly originator: string; readonly owner: string },
    page?: NotificationPageRequest,
  ): Promise<NotificationPage>
  /** Final ones whose next purge step (bodies, then the record) is due by then, soonest first. */
  listPurgeable(
    instanceId: InstanceId,
    until: number,
    page?: NotificationPageRequest,
  ): Promise<NotificationPage>
}

export function createOutboxLists(options: {
  readonly store: Pick<Store, 'list'>
  readonly lifetimes: Lifetimes
}): OutboxLists {
  const { store, lifetimes } = options

  async function list(
    instanceId: InstanceId,
    index: IndexKey,
    page: PageRequest = {},
  ): Promise<NotificationPage> {
    const { records, cursor } = await store.list(index, page)
    return {
      notifications: records.map((record) => fromStored(instanceId, record)),
      ...(cursor !== undefined && { cursor }),
    }
  }

  return {
    async listDue(instanceId, until, { isHigh, channel, ...page }) {
      const index = INDEXES.due(instanceId, isHigh, channel)
      const { notifications } = await list(instanceId, index, page)
      return notifications.filter(({ record }) => record.dueAt <= until)
    },

    async nextDue(instanceId, channel) {
      const firsts = await Promise.all(
        [true, false].map((isHigh) =>
          list(instanceId, INDEXES.due(instanceId, isHigh, channel), { limit: 1 }),
        ),
      )
      const found = firsts.flatMap(({ notifications }) => notifications)
      return found.length === 0 ? undefined : Math.min(...found.map(({ record }) => record.dueAt))
    },

    async lastDueOfSource(instanceId, sourceId, until) {
      const index = INDEXES.overtaking(instanceId, sourceId)
      const page: PageRequest = { order: 'desc', limit: 20 }
      // Scheduled ones come first; there are at most a few hundred of an owner.
      for (let cursor: string | undefined; ; ) {
        const found = await list(
          instanceId,
          index,
          cursor === undefined ? page : { ...page, cursor },
        )
        const last = found.notifications.find(({ record }) => record.scheduledAt <= until)
        if (last !== undefined || found.cursor === undefined) return last
        cursor = found.cursor
      }
    },

    listAll: (instanceId, page) => list(instanceId, INDEXES.all(instanceId), page),

    listBySource: (instanceId, sourceId, page) =>
      list(instanceId, INDEXES.source(instanceId, sourceId), { ...page, order: 'desc' }),

    listInbox(instanceId, { unread = false, ...page } = {}) {
      const index = unread ? INDEXES.unread(instanceId) : INDEXES.inbox(instanceId)
      return list(instanceId, index, { ...page, order: 'desc' })
    },

    listHeld: (instanceId, page) => list(instanceId, INDEXES.held(instanceId), page),

    listByDigest: (instanceId, digestId, page) =>
      list(instanceId, INDEXES.digest(instanceId, digestId), page),

    listUnfinished: (instanceId, source, page) =>
      list(instanceId, INDEXES.unfinished(instanceId, source), page),

    listByOwner: (instanceId, source, page) =>
      list(instanceId, INDEXES.owner(instanceId, source), page),

    async listPurgeable(instanceId, until, page) {
      const { notifications, cursor } = await list(instanceId, INDEXES.purge(instanceId), page)
      const due = notifications.filter(({ record }) => purgeTime(record, lifetimes) <= until)
      const isAll = due.length === notifications.length
      return { notifications: due, ...(isAll && cursor !== undefined && { cursor }) }
    },
  }
}
