import { randomUUID } from 'node:crypto'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'

/** The lease of this worker on a notification: nobody else works on it. @see notifications.md 12 rule 3 */
export interface Lease {
  /** As stored last, with its bodies. */
  readonly record: NotificationRecord
  /** Aborted when somebody else has the lease, or the notification was withdrawn. */
  readonly lost: AbortSignal
  /**
   * Writes what the change makes of it, again when somebody else (an inbox) changed it meanwhile. A change that leaves
   * the lease out gives it back. False when it is no longer held.
   */
  save(change: (record: NotificationRecord) => NotificationRecord): Promise<boolean>
  /** Stops renewing. */
  end(): void
}

export interface LeaseOptions {
  readonly outbox: Pick<Outbox, 'get' | 'update'>
  readonly clock: { now(): number }
  /** Milliseconds without renewal after which somebody else may take it. */
  readonly leaseMs: number
  readonly onRenewalFailed: (cause: unknown) => void
}

/** Takes a notification that is due; undefined when somebody else was faster, or it is gone. */
export async function acquireLease(
  before: StoredNotification,
  record: NotificationRecord,
  options: LeaseOptions,
): Promise<Lease | undefined> {
  const { outbox, clock, leaseMs } = options
  const token = randomUUID()
  const lost = new AbortController()

  function leased(next: NotificationRecord): NotificationRecord {
    const until = nextSecond(clock.now() + leaseMs)
    // The follow-up of one that was sent stays `sent`.
    const status = next.status === 'sent' ? 'sent' : 'sending'
    return { ...next, status, lease: { token, until }, dueAt: until }
  }

  const taken = await outbox.update(before, leased(record))
  if (taken === undefined) return undefined
  // Read again for its bodies; whoever changed it in between did not take the lease.
  const whole = await outbox.get(taken.instanceId, taken.record.id)
  if (whole?.record.lease?.token !== token) return undefined
  let current: StoredNotification = whole

  async function write(change: (next: NotificationRecord) => NotificationRecord): Promise<boolean> {
    while (current.record.lease?.token === token) {
      const saved = await outbox.update(current, change(current.record))
      if (saved !== undefined) {
        current = saved
        return true
      }
      const now = await outbox.get(current.instanceId, current.record.id)
      if (now?.record.lease?.token !== token) {
        lost.abort()
        return false
      }
      current = now
    }
    return false
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One write at a time: each needs the revision of the one before. */
  function inTurn(change: (next: NotificationRecord) => NotificationRecord): Promise<boolean> {
    const writing = last.then(() => write(change))
    last = writing.catch(() => undefined)
    return writing
  }

  const renewal = setInterval(() => {
    if (lost.signal.aborted) return
    inTurn(leased).catch(options.onRenewalFailed)
  }, leaseMs / 3)
  renewal.unref()

  return {
    get record() {
      return current.record
    },
    lost: lost.signal,
    save: inTurn,
    end: () => clearInterval(renewal),
  }
}

/** Leases of one instance end together: one wake-up looks after all of them. */
function nextSecond(instant: number): number {
  return Math.ceil(instant / 1000) * 1000
}
