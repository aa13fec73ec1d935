import { setTimeout as sleep } from 'node:timers/promises'
import type { InstanceId } from '@svc/platform'
import { CHANNEL_GROUPS, type ChannelGroup } from '../outbox/notification.ts'
import { QUEUE } from '../outbox/wake-ups.ts'
import type { Background } from './background.ts'
import type { DeliverServices } from './deliver.ts'
import { type Concurrency, Dispatcher } from './dispatcher.ts'

/** When an instance is looked at again whose wake-up is used up while it has something due. Milliseconds. */
const LOOK_AGAIN_MS = 10_000
/** How long a wake-up is kept while its instance is visited: a worker that dies leaves it behind. */
const KEEP_MS = 5000
/** Wake-ups kept at a time: the scheduler's other handlers stay free for other instances. */
const MAX_KEPT = 8
/** A visit that finds no room. */
const GIVEN_UP: Promise<boolean> = Promise.resolve(false)
/** Part of the time to shut down in which leases are given back. */
const GIVE_BACK_SHARE = 0.2

/**
 * Delivers what the outbox holds. Its `close` waits for attempts under way, and gives back the rest.
 * @see notifications.md 10, 12; 12 rule 6
 */
export function createEngine(services: DeliverServices, concurrency: Concurrency): Background {
  const { clock, lifetimes, log, outbox, store } = services
  const stopping = new AbortController()
  const dispatcher = new Dispatcher(services, concurrency, stopping.signal)
  let processing: Promise<() => Promise<void>> | undefined
  let closing: Promise<void> | undefined
  let kept = 0

  const lookAgain = (id: InstanceId): Promise<void> =>
    outbox.wakeAt(id, nextSecond(clock.now() + LOOK_AGAIN_MS))

  /** A wake-up of an instance. Everything due by then is delivered or has another wake-up. */
  async function handle(id: InstanceId): Promise<void> {
    const channels = await dueChannels(id)
    // The writer of a later notification scheduled its own wake-up.
    if (channels.length === 0) return
    const isVisited = channels.some((channel) => dispatcher.has(id, channel))
    const visits = channels.map((channel) => dispatcher.visit(id, channel) ?? GIVEN_UP)
    const isDone = !isVisited && kept < MAX_KEPT ? await keepFor(allOf(visits)) : false
    if (!isDone) await lookAgain(id)
  }

  /** The channels that something of the instance is due over. */
  async function dueChannels(id: InstanceId): Promise<readonly ChannelGroup[]> {
    const times = await Promise.all(CHANNEL_GROUPS.map((channel) => outbox.nextDue(id, channel)))
    const now = clock.now()
    return CHANNEL_GROUPS.filter((_, place) => (times[place] ?? Number.POSITIVE_INFINITY) <= now)
  }

  async function keepFor(visit: Promise<boolean>): Promise<boolean> {
    kept += 1
    const end = new AbortController()
    try {
      const late = sleep(KEEP_MS, false, { signal: end.signal, ref: false })
      return await Promise.race([visit, late.catch(() => false)])
    } finally {
      kept -= 1
      end.abort()
    }
  }

  async function stop(): Promise<void> {
    outbox.useWorker(undefined)
    const left = dispatcher.stop()
    const stopProcessing = await processing?.catch(() => undefined)
    await stopProcessing?.()
    // For the other processes, or the next start.
    const soon = clock.now()
    await Promise.all(left.map((id) => outbox.wakeAt(id, soon).catch(() => undefined)))
    const idle = dispatcher.idle()
    const patience = lifetimes.shutdown * (1 - GIVE_BACK_SHARE)
    if (await endsWithin(idle, patience)) return
    log.warn('notifications.attempts_cut')
    stopping.abort()
    await endsWithin(idle, lifetimes.shutdown * GIVE_BACK_SHARE)
  }

  return {
    async start() {
      if (closing !== undefined) return
      // A queue's ids are the instances that `wakeAt` was given.
      processing ??= store.scheduler.process(QUEUE, ({ id }) => handle(id as InstanceId))
      await processing
      outbox.useWorker(dispatcher)
    },
    close() {
      closing ??= stop()
      return closing
    },
  }
}

async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const end = new AbortController()
  try {
    const late = sleep(ms, false, { signal: end.signal }).catch(() => false)
    return await Promise.race([work.then(() => true), late])
  } finally {
    end.abort()
  }
}

async function allOf(visits: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(visits)).every((isDone) => isDone)
}

function nextSecond(instant: number): number {
  return Math.ceil(instant / 1000) * 1000
}
