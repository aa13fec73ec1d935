import type { InstanceId } from '@svc/platform'
import type { IndexKey, PageRequest, Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { fromStored, INDEXES } from './notification-record.ts'
import type { NotificationPage, Outbox } from './outbox.ts'
import { purgeTime } from './purge-time.ts'

/** The part of the outbox that finds notifications. */
export type OutboxLists = Pick<
  Outbox,
  | 'lastDueOfSource'
  | 'listAll'
  | 'listByDigest'
  | 'listByOwner'
  | 'listBySource'
  | 'listDue'
  | 'listHeld'
  | 'listInbox'
  | 'listPurgeable'
  | 'listUnfinished'
  | 'nextDue'
>

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
