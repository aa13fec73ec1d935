import type { InstanceId, Logger } from '@svc/oauth-core'
import { describeError } from '@svc/store'
import type { StoredNotification } from '../outbox/notification.ts'
import type { NearWorker, Outbox } from '../outbox/outbox.ts'
import type { Deliver } from './deliver.ts'
import { createLane, type Lane } from './lane.ts'
import { createSoloRuns } from './solo-runs.ts'

export interface DispatcherOptions {
  readonly outbox: Pick<Outbox, 'listDue'>
  readonly deliver: Deliver
  readonly clock: { now(): number }
  readonly log: Logger
  /** Notifications worked on at a time, over all instances and of one. @see notifications.md 12 rule 5 */
  readonly total: number
  readonly perInstance: number
}

/** Shares the work of this process fairly among the instances that have something due. */
export interface Dispatcher extends NearWorker {
  /**
   * Works off what is due of an instance. Resolves when nothing is left; false: it gave up for now, or has to end.
   * Undefined when it has too many instances already.
   */
  visit(instanceId: InstanceId): Promise<boolean> | undefined
  has(instanceId: InstanceId): boolean
  /** Takes on nothing more. @returns instances that may have something left */
  stop(): readonly InstanceId[]
  /** Resolves when no notification is being worked on. */
  idle(): Promise<void>
}

const MAX_INSTANCES = 10_000
const MAX_TIMERS = 10_000

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { outbox, deliver, clock, log, total, perInstance } = options
  /** Turns go round: who had one moves to the end. */
  const lanes = new Map<InstanceId, Lane>()
  const timers = new Map<string, NodeJS.Timeout>()
  const solo = createSoloRuns()
  let running = 0
  let isStopped = false
  let onIdle: (() => void) | undefined

  function pump(): void {
    while (!isStopped && running < total && !solo.isClosed()) {
      const lane = nextLane()
      if (lane === undefined) return
      lanes.delete(lane.id)
      lanes.set(lane.id, lane)
      void run(lane)
    }
  }

  function nextLane(): Lane | undefined {
    // Those that cannot run have something under way: no more than run at a time.
    for (const lane of lanes.values()) if (lane.canRun(perInstance)) return lane
    return undefined
  }

  async function run(lane: Lane): Promise<void> {
    running += 1
    lane.enter()
    try {
      const stored = await lane.next()
      // By now it is known whether the instance has work for others.
      pump()
      if (stored !== undefined && !isStopped) await work(lane, stored)
    } catch (error) {
      log.error('notifications.worker_failed', { cause: describeError(error) })
      lane.giveUp()
    } finally {
      running -= 1
      lane.leave()
      if (lane.isOver()) {
        lanes.delete(lane.id)
        lane.close(true)
      }
      pump()
      if (running === 0) onIdle?.()
    }
  }

  async function work(lane: Lane, stored: StoredNotification): Promise<void> {
    // One that outlived its worker may be what ended it: it gets nobody else into trouble again.
    const isSuspect = stored.record.lease !== undefined
    const deliverIt = (): Promise<void> => lane.work(stored, deliver)
    await (isSuspect ? solo.alone(deliverIt) : solo.together(deliverIt))
  }

  function visit(instanceId: InstanceId): Promise<boolean> | undefined {
    if (isStopped) return undefined
    let lane = lanes.get(instanceId)
    if (lane === undefined) {
      if (lanes.size >= MAX_INSTANCES) return undefined
      lane = createLane({ id: instanceId, outbox, clock })
      lanes.set(instanceId, lane)
    }
    lane.lookAgain()
    pump()
    return lane.closed
  }

  function notice(instanceId: InstanceId, dueAt: number): boolean {
    const wait = dueAt - clock.now()
    if (wait <= 0) return visit(instanceId) !== undefined
    const name = `${instanceId}:${dueAt}`
    if (timers.has(name)) return true
    if (isStopped || timers.size >= MAX_TIMERS) return false
    const timer = setTimeout(() => {
      timers.delete(name)
      // A timer may be a little early by the clock.
      notice(instanceId, dueAt)
    }, wait)
    timer.unref()
    timers.set(name, timer)
    return true
  }

  return {
    visit,
    has: (instanceId) => lanes.has(instanceId),

    notice,

    stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      const left = [...lanes.keys()]
      for (const lane of lanes.values()) lane.close(false)
      return left
    },

    async idle() {
      if (running > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
        })
      }
    },
  }
}
