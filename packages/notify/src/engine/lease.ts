import { randomUUID } from 'node:crypto'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'

export interface LeaseOptions {
  readonly outbox: Pick<Outbox, 'get' | 'update'>
  readonly clock: { now(): number }
  /** Milliseconds without renewal after which another worker may take it. */
  readonly leaseMs: number
  readonly onRenewalFailed: (cause: unknown) => void
}

/** Takes a notification that is due; undefined when another worker was faster, or it is gone. */
export async function acquireLease(
  before: StoredNotification,
  record: NotificationRecord,
  options: LeaseOptions,
): Promise<Lease | undefined> {
  const { outbox } = options
  const token = randomUUID()
  const taken = await outbox.update(before, leased(record, token, options))
  if (taken === undefined) return undefined
  // Read again for its bodies; a change in between did not take the lease.
  const whole = await outbox.get(taken.instanceId, taken.record.id)
  return whole?.record.lease?.token === token ? new Lease(whole, token, options) : undefined
}

/** The lease of this worker on a notification: no other worker delivers it. @see notifications.md 12 rule 3 */
export class Lease {
  /** Aborted when another worker has the lease, or the notification was withdrawn. */
  readonly lost: AbortSignal
  readonly #losing = new AbortController()
  readonly #outbox: LeaseOptions['outbox']
  readonly #token: string
  readonly #renewal: NodeJS.Timeout
  #current: StoredNotification
  #last: Promise<unknown> = Promise.resolve()

  /** Renews itself from now on. @param held - with its bodies, and this lease in it */
  constructor(held: StoredNotification, token: string, options: LeaseOptions) {
    this.lost = this.#losing.signal
    this.#outbox = options.outbox
    this.#token = token
    this.#current = held
    this.#renewal = setInterval(() => {
      if (this.lost.aborted) return
      this.save((record) => leased(record, token, options)).catch(options.onRenewalFailed)
    }, options.leaseMs / 3)
    this.#renewal.unref()
  }

  /** As stored last, with its bodies. */
  get record(): NotificationRecord {
    return this.#current.record
  }

  /**
   * Writes what the change makes of it, retried when another writer (an inbox) changed it meanwhile. A change that leaves
   * the lease out gives it back. False when it is no longer held. One write at a time: each needs the revision of the
   * one before.
   */
  save(change: (record: NotificationRecord) => NotificationRecord): Promise<boolean> {
    const writing = this.#last.then(() => this.#write(change))
    this.#last = writing.catch(() => undefined)
    return writing
  }

  /** Stops renewing. */
  end(): void {
    clearInterval(this.#renewal)
  }

  async #write(change: (record: NotificationRecord) => NotificationRecord): Promise<boolean> {
    while (this.#isHeld(this.#current)) {
      const { instanceId, record } = this.#current
      const saved = await this.#outbox.update(this.#current, change(record))
      if (saved !== undefined) {
        this.#current = saved
        return true
      }
      const now = await this.#outbox.get(instanceId, record.id)
      if (now === undefined || !this.#isHeld(now)) {
        this.#losing.abort()
        return false
      }
      this.#current = now
    }
    return false
  }

  #isHeld({ record }: StoredNotification): boolean {
    return record.lease?.token === this.#token
  }
}

/** The record with the lease, from now on. */
function leased(
  record: NotificationRecord,
  token: string,
  { clock, leaseMs }: Pick<LeaseOptions, 'clock' | 'leaseMs'>,
): NotificationRecord {
  const until = nextSecond(clock.now() + leaseMs)
  // The follow-up of one that was sent stays `sent`.
  const status = record.status === 'sent' ? 'sent' : 'sending'
  return { ...record, status, lease: { token, until }, dueAt: until }
}

/** Leases of one instance end together: one wake-up looks after all of them. */
function nextSecond(instant: number): number {
  return Math.ceil(instant / 1000) * 1000
}
