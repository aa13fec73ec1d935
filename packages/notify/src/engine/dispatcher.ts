import type { InstanceId, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import { type ChannelName, CHANNELS, type StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Due, NearWorker } from '../outbox/wake-ups.ts'
import type { Deliver, Turn } from './deliver.ts'
import { createLane, type Lane } from './instance-queue.ts'
import { createSoloRuns } from './read-write-lock.ts'

export interface DispatcherOptions {
  readonly outbox: Pick<Outbox, 'listDue'>
  readonly deliver: Deliver
  readonly clock: { now(): number }
  readonly log: Logger
  /** Notifications that a channel works on at a time, over all instances and of one. @see notifications.md 12 rule 5 */
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
interface Queue {
  readonly channel: ChannelName
  /** Turns go round: who had one moves to the end. */
  readonly lanes: Map<InstanceId, Lane>
  running: number
}

/** Where a notification is being worked on. */
interface Place {
  readonly queue: Queue
  readonly lane: Lane
}

const MAX_INSTANCES = 10_000
const MAX_TIMERS = 10_000

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { outbox, deliver, clock, log, total, perInstance } = options
  const queues: Readonly<Record<ChannelName, Queue>> = {
    mobile: { channel: 'mobile', lanes: new Map(), running: 0 },
    sms: { channel: 'sms', lanes: new Map(), running: 0 },
    mail: { channel: 'mail', lanes: new Map(), running: 0 },
  }
  const timers = new Map<string, NodeJS.Timeout>()
  const solo = createSoloRuns({ onOpen: pump })
  let isStopped = false
  let onIdle: (() => void) | undefined

  const isIdle = (): boolean => CHANNELS.every((channel) => queues[channel].running === 0)

  function pump(): void {
    for (const channel of CHANNELS) {
      const queue = queues[channel]
      while (!isStopped && queue.running < total && !solo.isClosed()) {
        const lane = nextLane(queue)
        if (lane === undefined) break
        queue.lanes.delete(lane.id)
        queue.lanes.set(lane.id, lane)
        void run(enter(queue, lane))
      }
    }
  }

  function nextLane({ lanes }: Queue): Lane | undefined {
    // Those that cannot run have something under way: no more than run at a time.
    for (const lane of lanes.values()) if (lane.canRun(perInstance)) return lane
    return undefined
  }

  function enter(queue: Queue, lane: Lane): Place {
    queue.running += 1
    lane.enter()
    return { queue, lane }
  }

  function leave({ queue, lane }: Place): void {
    queue.running -= 1
    lane.leave()
    if (!lane.isOver()) return
    queue.lanes.delete(lane.id)
    lane.close(true)
  }

  async function run(first: Place): Promise<void> {
    const { lane } = first
    let place = first
    const turn: Turn = {
      get channel() {
        return place.queue.channel
      },
      moveTo(channel) {
        const next = findPlace(lane.id, channel)
        if (next === undefined) return false
        leave(place)
        place = next
        pump()
        return true
      },
    }
    try {
      const stored = await lane.next()
      // By now it is known whether the instance has work for others.
      pump()
      if (stored !== undefined && !isStopped) await work(lane, stored, turn)
    } catch (err) {
      log.error('notifications.worker_failed', { cause: describeError(err) })
      lane.giveUp()
    } finally {
      leave(place)
      pump()
      if (isIdle()) onIdle?.()
    }
  }

  async function work(lane: Lane, stored: StoredNotification, turn: Turn): Promise<void> {
    // One that outlived its worker may be what ended it: it gets nobody else into trouble again.
    const isSuspect = stored.record.lease !== undefined
    const deliverIt = (): Promise<void> => lane.work(stored, (given) => deliver(given, turn))
    await (isSuspect ? solo.alone(deliverIt) : solo.together(deliverIt))
  }

  /** A free place of the channel for something of the instance, taken. */
  function findPlace(instanceId: InstanceId, channel: ChannelName): Place | undefined {
    const queue = queues[channel]
    if (isStopped || queue.running >= total) return undefined
    const lane = laneOf(queue, instanceId)
    return lane?.hasRoom(perInstance) === true ? enter(queue, lane) : undefined
  }

  function laneOf({ channel, lanes }: Queue, id: InstanceId): Lane | undefined {
    const known = lanes.get(id)
    if (known !== undefined || lanes.size >= MAX_INSTANCES) return known
    const lane = createLane({ id, channel, outbox, clock })
    lanes.set(id, lane)
    return lane
  }

  function visit(instanceId: InstanceId, channel: ChannelName): Promise<boolean> | undefined {
    if (isStopped) return undefined
    const lane = laneOf(queues[channel], instanceId)
    lane?.lookAgain()
    pump()
    return lane?.closed
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
    has: (instanceId, channel) => queues[channel].lanes.has(instanceId),

    notice,

    stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      const lanes = CHANNELS.flatMap((channel) => [...queues[channel].lanes.values()])
      for (const lane of lanes) lane.close(false)
      return [...new Set(lanes.map(({ id }) => id))]
    },

    async idle() {
      if (isIdle()) return
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    },
  }
}
