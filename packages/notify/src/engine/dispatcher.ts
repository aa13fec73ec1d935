import type { InstanceId } from '@svc/platform'
import { describeError } from '@svc/store'
import { type ChannelName, CHANNELS, type StoredNotification } from '../outbox/notification.ts'
import type { Due, NearWorker } from '../outbox/wake-ups.ts'
import { deliver, type DeliverServices, type Slot } from './deliver.ts'
import { createInstanceQueue, type InstanceQueue } from './instance-queue.ts'
import { createReadWriteLock } from './read-write-lock.ts'

/** Notifications that a channel works on at a time, over all instances and of one. @see notifications.md 12 rule 5 */
export interface Concurrency {
  readonly total: number
  readonly perInstance: number
}

/**
 * Shares the work of this process fairly among the instances that have something due. Each channel has places of its
 * own, so that none waits for another's provider. @see notifications.md 12 rule 4, docs/decisions/0222
 */
export interface Dispatcher extends NearWorker {
  /**
   * Works off what is due of an instance over a channel. Resolves when nothing is left; false: it gave up for now, or
   * has to end. Undefined when it has too many instances already.
   */
  visit(instanceId: InstanceId, channel: ChannelName): Promise<boolean> | undefined
  has(instanceId: InstanceId, channel: ChannelName): boolean
  /** Takes on nothing more. @returns instances that may have something left */
  stop(): readonly InstanceId[]
  /** Resolves when no notification is being worked on. */
  idle(): Promise<void>
}

/** The instances that have something due over one channel. */
interface ChannelQueue {
  readonly channel: ChannelName
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

/** @param stop - aborted when attempts under way have to end */
export function createDispatcher(
  services: DeliverServices,
  { total, perInstance }: Concurrency,
  stop: AbortSignal,
): Dispatcher {
  const { clock, log, outbox } = services
  const queues: Readonly<Record<ChannelName, ChannelQueue>> = {
    mobile: { channel: 'mobile', instanceQueues: new Map(), running: 0 },
    sms: { channel: 'sms', instanceQueues: new Map(), running: 0 },
    mail: { channel: 'mail', instanceQueues: new Map(), running: 0 },
  }
  const timers = new Map<string, NodeJS.Timeout>()
  const lock = createReadWriteLock({ onOpen: pump })
  let isStopped = false
  let onIdle: (() => void) | undefined

  const isIdle = (): boolean => CHANNELS.every((channel) => queues[channel].running === 0)

  function pump(): void {
    for (const channel of CHANNELS) {
      const queue = queues[channel]
      while (!isStopped && queue.running < total && !lock.isClosed()) {
        const instanceQueue = nextInstanceQueue(queue)
        if (instanceQueue === undefined) break
        queue.instanceQueues.delete(instanceQueue.id)
        queue.instanceQueues.set(instanceQueue.id, instanceQueue)
        void run(enter(queue, instanceQueue))
      }
    }
  }

  function nextInstanceQueue({ instanceQueues }: ChannelQueue): InstanceQueue | undefined {
    // Those that cannot run have something under way: no more than run at a time.
    for (const instanceQueue of instanceQueues.values())
      if (instanceQueue.canRun(perInstance)) return instanceQueue
    return undefined
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

  async function run(first: Place): Promise<void> {
    const { instanceQueue } = first
    let place = first
    const slot: Slot = {
      get channel() {
        return place.queue.channel
      },
      moveTo(channel) {
        const next = findPlace(instanceQueue.id, channel)
        if (next === undefined) return false
        leave(place)
        place = next
        pump()
        return true
      },
    }
    try {
      const stored = await instanceQueue.next()
      // By now it is known whether the instance has work for others.
      pump()
      if (stored !== undefined && !isStopped) await work(instanceQueue, stored, slot)
    } catch (err) {
      log.error('notifications.worker_failed', { cause: describeError(err) })
      instanceQueue.giveUp()
    } finally {
      leave(place)
      pump()
      if (isIdle()) onIdle?.()
    }
  }

  async function work(
    instanceQueue: InstanceQueue,
    stored: StoredNotification,
    slot: Slot,
  ): Promise<void> {
    // One that outlived its worker may be what ended it: it gets nobody else into trouble again.
    const isSuspect = stored.record.lease !== undefined
    const deliverIt = (): Promise<void> =>
      instanceQueue.work(stored, (given) => deliver(services, given, slot, stop))
    await (isSuspect ? lock.exclusive(deliverIt) : lock.shared(deliverIt))
  }

  /** A free place of the channel for something of the instance, taken. */
  function findPlace(instanceId: InstanceId, channel: ChannelName): Place | undefined {
    const queue = queues[channel]
    if (isStopped || queue.running >= total) return undefined
    const instanceQueue = instanceQueueOf(queue, instanceId)
    return instanceQueue?.hasRoom(perInstance) === true ? enter(queue, instanceQueue) : undefined
  }

  function instanceQueueOf(
    { channel, instanceQueues }: ChannelQueue,
    id: InstanceId,
  ): InstanceQueue | undefined {
    const known = instanceQueues.get(id)
    if (known !== undefined || instanceQueues.size >= MAX_INSTANCES) return known
    const instanceQueue = createInstanceQueue({ id, channel, outbox, clock })
    instanceQueues.set(id, instanceQueue)
    return instanceQueue
  }

  function visit(instanceId: InstanceId, channel: ChannelName): Promise<boolean> | undefined {
    if (isStopped) return undefined
    const instanceQueue = instanceQueueOf(queues[channel], instanceId)
    instanceQueue?.lookAgain()
    pump()
    return instanceQueue?.closed
  }

  function notice(instanceId: InstanceId, { at, channel }: Due): boolean {
    const wait = at - clock.now()
    if (wait <= 0) return visit(instanceId, channel) !== undefined
    const name = `${channel}:${instanceId}:${at}`
    if (timers.has(name)) return true
    if (isStopped || timers.size >= MAX_TIMERS) return false
    const timer = setTimeout(() => {
      timers.delete(name)
      // A timer may be a little early by the clock.
      notice(instanceId, { at, channel })
    }, wait)
    timer.unref()
    timers.set(name, timer)
    return true
  }

  return {
    visit,
    has: (instanceId, channel) => queues[channel].instanceQueues.has(instanceId),

    notice,

    stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      const instanceQueues = CHANNELS.flatMap((channel) => [
        ...queues[channel].instanceQueues.values(),
      ])
      for (const instanceQueue of instanceQueues) instanceQueue.close(false)
      return [...new Set(instanceQueues.map(({ id }) => id))]
    },

    async idle() {
      if (isIdle()) return
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    },
  }
}
