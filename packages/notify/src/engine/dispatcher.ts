import type { InstanceId } from '@svc/platform'
import { describeError } from '@svc/store'
import {
  CHANNEL_GROUPS,
  type ChannelGroup,
  type StoredNotification,
} from '../outbox/notification.ts'
import type { Due, NearWorker } from '../outbox/wake-ups.ts'
import { deliver, type DeliverServices, type Slot } from './deliver.ts'
import { InstanceQueue } from './instance-queue.ts'
import { ReadWriteLock } from './read-write-lock.ts'

/** Notifications that a channel works on at a time, over all instances and of one. @see notifications.md 12 rule 5 */
export interface Concurrency {
  readonly total: number
  readonly perInstance: number
}

/** The instances that have something due over one channel. */
interface ChannelQueue {
  readonly channel: ChannelGroup
  /** In the order of their next slot: whose notification was taken moves to the end. */
  readonly instanceQueues: Map<InstanceId, InstanceQueue>
  running: number
}

/** Where a notification is being worked on. */
interface Place {
  readonly queue: ChannelQueue
  readonly instanceQueue: InstanceQueue
}

const MAX_INSTANCES = 10_000
const MAX_TIMERS = 10_000

/**
 * Shares the work of this process fairly among the instances that have something due. Each known channel has places
 * of its own, and those of the host have some together, so that none waits for another's provider. @see notifications.md 12 rule 4, docs/decisions/0222
 */
export class Dispatcher implements NearWorker {
  readonly #services: DeliverServices
  readonly #concurrency: Concurrency
  readonly #cut: AbortSignal
  readonly #queues: Readonly<Record<ChannelGroup, ChannelQueue>> = {
    mobile: { channel: 'mobile', instanceQueues: new Map(), running: 0 },
    sms: { channel: 'sms', instanceQueues: new Map(), running: 0 },
    mail: { channel: 'mail', instanceQueues: new Map(), running: 0 },
    host: { channel: 'host', instanceQueues: new Map(), running: 0 },
  }
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #lock = new ReadWriteLock({ onOpen: () => this.#pump() })
  #isStopped = false
  #onIdle: (() => void) | undefined

  /** @param cut - aborted when attempts under way have to end */
  constructor(services: DeliverServices, concurrency: Concurrency, cut: AbortSignal) {
    this.#services = services
    this.#concurrency = concurrency
    this.#cut = cut
  }

  notice(instanceId: InstanceId, { at, channel }: Due): boolean {
    const timers = this.#timers
    const wait = at - this.#services.clock.now()
    if (wait <= 0) return this.visit(instanceId, channel) !== undefined
    const name = `${channel}:${instanceId}:${at}`
    if (timers.has(name)) return true
    if (this.#isStopped || timers.size >= MAX_TIMERS) return false
    const timer = setTimeout(() => {
      timers.delete(name)
      // A timer may be a little early by the clock.
      this.notice(instanceId, { at, channel })
    }, wait)
    timer.unref()
    timers.set(name, timer)
    return true
  }

  /**
   * Works off what is due of an instance over a channel. Resolves when nothing is left; false: it gave up for now, or
   * has to end. Undefined when it has too many instances already.
   */
  visit(instanceId: InstanceId, channel: ChannelGroup): Promise<boolean> | undefined {
    if (this.#isStopped) return undefined
    const instanceQueue = this.#instanceQueueOf(this.#queues[channel], instanceId)
    instanceQueue?.lookAgain()
    this.#pump()
    return instanceQueue?.closed
  }

  has(instanceId: InstanceId, channel: ChannelGroup): boolean {
    return this.#queues[channel].instanceQueues.has(instanceId)
  }

  /** Takes on nothing more. @returns instances that may have something left */
  stop(): readonly InstanceId[] {
    this.#isStopped = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    const instanceQueues = CHANNEL_GROUPS.flatMap((channel) => [
      ...this.#queues[channel].instanceQueues.values(),
    ])
    for (const instanceQueue of instanceQueues) instanceQueue.close(false)
    return [...new Set(instanceQueues.map(({ id }) => id))]
  }

  /** Resolves when no notification is being worked on. */
  async idle(): Promise<void> {
    if (this.#isIdle()) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  #isIdle(): boolean {
    return CHANNEL_GROUPS.every((channel) => this.#queues[channel].running === 0)
  }

  #pump(): void {
    for (const channel of CHANNEL_GROUPS) {
      const queue = this.#queues[channel]
      while (this.#hasRoom(queue) && !this.#lock.isClosed()) {
        const instanceQueue = this.#nextInstanceQueue(queue)
        if (instanceQueue === undefined) break
        queue.instanceQueues.delete(instanceQueue.id)
        queue.instanceQueues.set(instanceQueue.id, instanceQueue)
        void this.#run(enter(queue, instanceQueue))
      }
    }
  }

  #hasRoom({ running }: ChannelQueue): boolean {
    return !this.#isStopped && running < this.#concurrency.total
  }

  #nextInstanceQueue({ instanceQueues }: ChannelQueue): InstanceQueue | undefined {
    // Those that cannot run have something under way: no more than run at a time.
    for (const instanceQueue of instanceQueues.values())
      if (instanceQueue.canRun(this.#concurrency.perInstance)) return instanceQueue
    return undefined
  }

  async #run(first: Place): Promise<void> {
    const { instanceQueue } = first
    let place = first
    const slot: Slot = {
      get channel() {
        return place.queue.channel
      },
      moveTo: (channel) => {
        const next = this.#findPlace(instanceQueue.id, channel)
        if (next === undefined) return false
        leave(place)
        place = next
        this.#pump()
        return true
      },
    }
    try {
      const stored = await instanceQueue.next()
      // By now it is known whether the instance has work for others.
      this.#pump()
      if (stored !== undefined && !this.#isStopped) await this.#work(instanceQueue, stored, slot)
    } catch (err) {
      this.#services.log.error('notifications.worker_failed', { cause: describeError(err) })
      instanceQueue.giveUp()
    } finally {
      leave(place)
      this.#pump()
      if (this.#isIdle()) this.#onIdle?.()
    }
  }

  async #work(instanceQueue: InstanceQueue, stored: StoredNotification, slot: Slot): Promise<void> {
    // One that outlived its worker may be what ended it: it must not crash another worker.
    const isSuspect = stored.record.lease !== undefined
    const deliverIt = (): Promise<void> =>
      instanceQueue.work(stored, (given) => deliver(this.#services, given, slot, this.#cut))
    await (isSuspect ? this.#lock.exclusive(deliverIt) : this.#lock.shared(deliverIt))
  }

  /** A free place of the channel for something of the instance, taken. */
  #findPlace(instanceId: InstanceId, channel: ChannelGroup): Place | undefined {
    const queue = this.#queues[channel]
    if (!this.#hasRoom(queue)) return undefined
    const instanceQueue = this.#instanceQueueOf(queue, instanceId)
    return instanceQueue?.hasRoom(this.#concurrency.perInstance) === true
      ? enter(queue, instanceQueue)
      : undefined
  }

  #instanceQueueOf(
    { channel, instanceQueues }: ChannelQueue,
    id: InstanceId,
  ): InstanceQueue | undefined {
    const known = instanceQueues.get(id)
    if (known !== undefined || instanceQueues.size >= MAX_INSTANCES) return known
    const { clock, outbox } = this.#services
    const instanceQueue = new InstanceQueue({ id, channel, outbox, clock })
    instanceQueues.set(id, instanceQueue)
    return instanceQueue
  }
}

function enter(queue: ChannelQueue, instanceQueue: InstanceQueue): Place {
  queue.running += 1
  instanceQueue.enter()
  return { queue, instanceQueue }
}

function leave({ queue, instanceQueue }: Place): void {
  queue.running -= 1
  instanceQueue.leave()
  if (!instanceQueue.isOver()) return
  queue.instanceQueues.delete(instanceQueue.id)
  instanceQueue.close(true)
}
