import { HOUR_MS, type InstanceId } from '@svc/platform'
import type { Store } from '@svc/store'
import type { ChannelGroup } from './notification.ts'

/** When something is due, and what it waits for. */
export interface Due {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly channel: ChannelGroup
}

/** A worker of this process. */
export interface NearWorker {
  /** Something of the instance is due over the channel, now or within seconds. False when it cannot remember that. */
  notice(instanceId: InstanceId, due: Due): boolean
}

/** Queue of the scheduler; a wake-up's id is that of an instance with something due. */
export const QUEUE = 'notifications'
/** Queue of the scheduler for what is over; a wake-up's id begins with that of an instance. */
export const PURGE_QUEUE = 'notifications-purge'
/** Purges happen on whole hours. @see notifications.md 14 */
const PURGE_STEP_MS = HOUR_MS
/** How long a write may take before its wake-up comes too early for it. Milliseconds. */
const GUARD_MS = 5000
/** Guards of one instance meet on whole seconds: one wake-up is scheduled. */
const GUARD_STEP_MS = 1000
/** Future wake-ups that this process knows to be scheduled. */
const MAX_KNOWN = 10_000

export interface WakeUpsOptions {
  readonly store: Pick<Store, 'scheduler'>
  readonly clock: { now(): number }
}

/** Schedules the delivery of due notifications. @see docs/decisions/0165-wake-ups-of-notifications.md */
export class WakeUps {
  readonly #scheduler: Store['scheduler']
  readonly #clock: { now(): number }
  readonly #known = new Map<string, number>()
  #worker: NearWorker | undefined

  constructor({ store, clock }: WakeUpsOptions) {
    this.#scheduler = store.scheduler
    this.#clock = clock
  }

  /** A worker looks at the instance at that time, or a little later. Durable. */
  at(instanceId: InstanceId, when: number): Promise<void> {
    return this.#scheduler.at(QUEUE, instanceId, Math.ceil(when))
  }

  /**
   * Runs a write that makes something due. The wake-up comes first, so that a process that dies after its write leaves
   * one behind; it is late enough to find what was written. @param write - answers undefined when nothing was written
   */
  async around<Result>(
    instanceId: InstanceId,
    due: Due,
    write: () => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const clock = this.#clock
    const { at: dueAt } = due
    const guardAt = Math.max(Math.ceil(dueAt), nextStep(clock.now() + GUARD_MS, GUARD_STEP_MS))
    await this.#atOnce(QUEUE, instanceId, guardAt)
    const result = await write()
    if (result === undefined) return undefined
    // The guard may have looked before there was something to see.
    if (clock.now() >= guardAt) await this.at(instanceId, Math.max(clock.now(), guardAt + 1))
    else if (dueAt < guardAt && this.#worker?.notice(instanceId, due) !== true) {
      await this.at(instanceId, dueAt)
    }
    return result
  }

  /** Schedules a purge of the instance within the hour after that time. Durable. */
  purgeAfter(instanceId: InstanceId, when: number): Promise<void> {
    return this.#atOnce(PURGE_QUEUE, instanceId, nextStep(when, PURGE_STEP_MS))
  }

  useWorker(worker: NearWorker | undefined): void {
    this.#worker = worker
  }

  /** Once: nothing but its time ends a wake-up, so that one that is ahead is still there. */
  async #atOnce(queue: string, instanceId: InstanceId, when: number): Promise<void> {
    const known = this.#known
    const name = `${queue}:${instanceId}`
    if (known.get(name) === when && when > this.#clock.now()) return
    await this.#scheduler.at(queue, instanceId, when)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(name, when)
  }
}

function nextStep(instant: number, stepMs: number): number {
  return Math.ceil(instant / stepMs) * stepMs
}
