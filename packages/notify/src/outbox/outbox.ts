import type { InstanceId } from '@svc/oauth-core'
import type { Change } from '@svc/store'
import type { NotificationRecord, StoredNotification } from './notification.ts'

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

/**
 * Accepted notifications: the records are the truth, the scheduler of the store only says when to look at one again
 * (D18). Every write of a record goes through here, since its indexes follow from it.
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
  /** Wakes a worker for it at a time; the record's `dueAt` says whether there is something to do. */
  wakeAt(instanceId: InstanceId, id: string, when: number): Promise<void>
  /** Newest first by creation. */
  listBySource(
    instanceId: InstanceId,
    sourceId: string,
    page?: NotificationPageRequest,
  ): Promise<NotificationPage>
  /** What belongs in the owner's inbox, newest first; see `outbox.ts` of the implementation for what is left out. */
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
}
