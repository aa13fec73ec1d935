import type { InstanceId } from '@svc/platform'
import type { Change, Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import {
  bodyKey,
  fromStored,
  indexEntries,
  isUnfinished,
  notificationKey,
  toBodyValue,
  toValue,
} from './notification-record.ts'
import {
  groupOf,
  nextChannel,
  type NotificationRecord,
  purgeTime,
  type StoredNotification,
} from './notification.ts'
import { createOutboxLists, type OutboxLists } from './outbox-lists.ts'
import { type NearWorker, WakeUps } from './wake-ups.ts'
import type { NotifyLog } from '../log/log-events.ts'

/** A write of this process. `before` is absent at acceptance. */
export interface OutboxWrite {
  readonly before?: NotificationRecord
  readonly after: StoredNotification
}

/**
 * Accepted notifications: the records are the truth, the scheduler of the store only says when to look at one again
 * (D18). Every write of a record goes through here, since its indexes follow from it. Bodies (`content`,
 * `contentHtml`) are written at acceptance and read by `get` alone: pages come without them, and no update changes
 * them but the one that erases them.
 * @see notifications.md 12, 20
 */
export interface Outbox extends OutboxLists {
  /**
   * Durable when it resolves: the record with everything that joins its write, and a wake-up that survives this
   * process. False when a condition of `also` failed; then nothing was written.
   */
  insert(
    instanceId: InstanceId,
    record: NotificationRecord,
    also?: readonly Change[],
  ): Promise<boolean>
  get(instanceId: InstanceId, id: string): Promise<StoredNotification | undefined>
  /** Replaces the revision that was read; undefined when another writer was faster. Counts `version` up. */
  update(
    before: StoredNotification,
    record: NotificationRecord,
    also?: readonly Change[],
  ): Promise<StoredNotification | undefined>
  /** Wakes a worker for the instance at a time; the records' `dueAt` say what there is to do. Durable. */
  wakeAt(instanceId: InstanceId, when: number): Promise<void>
  /** Of several notifications the records that still exist, in one write at most. */
  remove(instanceId: InstanceId, ids: readonly string[]): Promise<void>
  removeAll(instanceId: InstanceId): Promise<void>
  /** Calls the listener after each insert and update of this process. It must not throw. @returns what removes it */
  onWritten(listener: (write: OutboxWrite) => void): () => void
  /** Delivers in this process and is notified of new records; undefined: no delivery here. */
  useWorker(worker: NearWorker | undefined): void
}

export interface OutboxOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
  readonly log: NotifyLog
}

/** Most notifications in one removal: each is two records. */
const REMOVE_AT_ONCE = 60

/** The outbox on the store port. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { store, clock, lifetimes, log } = options
  const wakeUps = new WakeUps({ store, clock })
  const lists = createOutboxLists({ store, lifetimes })
  const listeners = new Set<(write: OutboxWrite) => void>()

  /** With a wake-up for what is left to do: to deliver it, or to purge it. */
  async function writeRecord<Result>(
    instanceId: InstanceId,
    record: NotificationRecord,
    write: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    if (isUnfinished(record)) {
      const due = { at: record.dueAt, channel: groupOf(nextChannel(record)) }
      return wakeUps.around(instanceId, due, write)
    }
    await wakeUps.purgeAfter(instanceId, purgeTime(record, lifetimes))
    return write()
  }

  function emit(write: OutboxWrite): void {
    for (const listener of listeners) listener(write)
  }

  function putRecord(instanceId: InstanceId, record: NotificationRecord) {
    return {
      op: 'put',
      key: notificationKey(instanceId, record.id),
      value: toValue(record),
      indexes: indexEntries(instanceId, record, lifetimes),
    } as const
  }

  async function remove(instanceId: InstanceId, ids: readonly string[]): Promise<void> {
    if (ids.length > REMOVE_AT_ONCE) {
      throw new TypeError(`at most ${REMOVE_AT_ONCE} notifications are removed at once`)
    }
    const changes = ids.flatMap((id): Change[] => [
      { op: 'delete', key: notificationKey(instanceId, id) },
      { op: 'delete', key: bodyKey(instanceId, id) },
    ])
    await store.write(changes)
  }

  return {
    ...lists,

    async insert(instanceId, record, also = []) {
      const body = toBodyValue(record)
      const changes: Change[] = [{ ...putRecord(instanceId, record), ifAbsent: true }, ...also]
      if (body !== undefined) {
        changes.push({ op: 'put', key: bodyKey(instanceId, record.id), value: body })
      }
      const after = await writeRecord(instanceId, record, async () => {
        const result = await store.write(changes)
        return result.written ? { instanceId, record, revision: result.revision } : undefined
      })
      if (after === undefined) return false
      emit({ after })
      return true
    },

    async get(instanceId, id) {
      const keys = [notificationKey(instanceId, id), bodyKey(instanceId, id)]
      const [stored, body] = await store.getMany(keys)
      return stored && fromStored(instanceId, stored, body)
    },

    async update(before, changed, also = []) {
      const { instanceId, revision } = before
      const record = { ...changed, version: before.record.version + 1 }
      const changes: Change[] = [
        { ...putRecord(instanceId, record), ifRevision: revision },
        ...also,
      ]
      if (record.isErased && !before.record.isErased) {
        changes.push({ op: 'delete', key: bodyKey(instanceId, record.id) })
      }
      const after = await writeRecord<StoredNotification>(instanceId, record, async () => {
        const result = await store.write(changes)
        return result.written ? { instanceId, record, revision: result.revision } : undefined
      })
      if (after !== undefined) emit({ before: before.record, after })
      return after
    },

    wakeAt: (instanceId, when) => wakeUps.at(instanceId, when),
    remove,

    async removeAll(instanceId) {
      // Removed records are on no page any more, so that the first page is always the next one.
      for (let removed = 0; ; ) {
        const page = await lists.listAll(instanceId, { limit: REMOVE_AT_ONCE })
        const ids = page.notifications.map(({ record }) => record.id)
        await remove(instanceId, ids)
        removed += ids.length
        if (page.cursor === undefined) {
          if (removed > 0) log.info('notifications.removed', { count: removed })
          return
        }
      }
    },

    onWritten(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    useWorker: (worker) => wakeUps.useWorker(worker),
  }
}
