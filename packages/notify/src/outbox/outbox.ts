import type { InstanceId } from '@svc/platform'
import type { Change } from '@svc/store'
import type { ChannelName, NotificationRecord, StoredNotification } from './notification.ts'

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
export interface Outbox {
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
  /** Replaces the revision that was read; undefined when somebody else was faster. Counts `version` up. */
  update(
    before: StoredNotification,
    record: NotificationRecord,
    also?: readonly Change[],
  ): Promise<StoredNotification | undefined>
  /** Wakes a worker for the instance at a time; the records' `dueAt` say what there is to do. Durable. */
  wakeAt(instanceId: InstanceId, when: number): Promise<void>
  /**
   * Due by then, soonest first, of those that wait for the channel and are of high priority or of any other; those whose
   * lease ran out, too.
   */
  listDue(
    instanceId: InstanceId,
    until: number,
    page: NotificationPageRequest & { readonly isHigh: boolean; readonly channel: ChannelName },
  ): Promise<readonly StoredNotification[]>
  /** When the next one of the instance that waits for the channel is due; undefined when none does. */
  nextDue(instanceId: InstanceId, channel: ChannelName): Promise<number | undefined>
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
  /** Of several notifications the records that still exist, in one write at most. */
  remove(instanceId: InstanceId, ids: readonly string[]): Promise<void>
  removeAll(instanceId: InstanceId): Promise<void>
  /** Hears of inserts and updates of this process, after each. Must not throw. @returns what ends the hearing */
  onWritten(listener: (write: OutboxWrite) => void): () => void
  /** Who delivers in this process, told of what is due soon; undefined: nobody. */
  useWorker(worker: NearWorker | undefined): void
}

/** When something is due, and what it waits for. */
export interface Due {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly channel: ChannelName
}

/** A worker of this process. */
export interface NearWorker {
  /** Something of the instance is due over the channel, now or within seconds. False when it cannot remember that. */
  notice(instanceId: InstanceId, due: Due): boolean
}
