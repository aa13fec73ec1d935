import { setTimeout as sleep } from 'node:timers/promises'
import type { OAuth } from '@svc/oauth-core'
import type { InstanceId, Logger } from '@svc/platform'
import type { Channel } from '../channels/channel.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { type ChannelName, CHANNELS } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { QUEUE } from '../outbox/wake-ups.ts'
import type { NotifyApps } from '../ports.ts'
import type { ReleaseRules } from '../preferences/release-rules.ts'
import { createAttempt } from './attempt.ts'
import { createDeliver } from './deliver.ts'
import { createDispatcher } from './dispatcher.ts'
import type { RetryPlan } from './progress.ts'
import type { Quota } from '../channels/delivery-quotas.ts'
import { createRelease } from './release.ts'
import { createSources } from './sources.ts'

/** Delivers what the outbox holds. @see notifications.md 10, 12 */
export interface Engine {
  /** Idempotent. */
  start(): Promise<void>
  /** Takes on nothing more, waits for attempts under way, gives back the rest. Idempotent. @see notifications.md 12 rule 6 */
  close(): Promise<void>
}

export interface EngineOptions {
  readonly oauth: Pick<OAuth, 'apps' | 'clients' | 'clock' | 'instances' | 'log' | 'store'>
  readonly outbox: Outbox
  readonly channels: Readonly<Partial<Record<ChannelName, Channel>>>
  readonly quotas: Readonly<Partial<Record<ChannelName, Quota>>>
  readonly rules: ReleaseRules
  readonly apps: Pick<NotifyApps, 'konnector'>
  readonly lifetimes: Pick<Lifetimes, 'attempt' | 'lease' | 'shutdown'>
  readonly plan: RetryPlan
  readonly concurrency: { readonly total: number; readonly perInstance: number }
  readonly log: Logger
}

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

export function createEngine(options: EngineOptions): Engine {
  const { oauth, outbox, lifetimes, plan, log } = options
  const { clock, store } = oauth
  const stopping = new AbortController()
  const deliver = createDeliver({
    ...{ outbox, plan, clock, log },
    release: createRelease({ ...options, clock, sources: createSources(options) }),
    attempt: createAttempt({ ...options, attemptMs: lifetimes.attempt }),
    leaseMs: lifetimes.lease,
    stop: stopping.signal,
  })
  const dispatcher = createDispatcher({ ...options.concurrency, outbox, deliver, clock, log })
  let processing: Promise<() => Promise<void>> | undefined
  let closing: Promise<void> | undefined
  let kept = 0

  const lookAgain = (id: InstanceId): Promise<void> =>
    outbox.wakeAt(id, nextSecond(clock.now() + LOOK_AGAIN_MS))

  /** A wake-up of an instance. Whatever is due by then is worked off, or has another wake-up. */
  async function handle(id: InstanceId): Promise<void> {
    const channels = await dueChannels(id)
    // Whoever wrote what is due later asked for a wake-up.
    if (channels.length === 0) return
    const isVisited = channels.some((channel) => dispatcher.has(id, channel))
    const visits = channels.map((channel) => dispatcher.visit(id, channel) ?? GIVEN_UP)
    const isDone = !isVisited && kept < MAX_KEPT ? await keepFor(allOf(visits)) : false
    if (!isDone) await lookAgain(id)
  }

  /** The channels that something of the instance is due over. */
  async function dueChannels(id: InstanceId): Promise<readonly ChannelName[]> {
    const times = await Promise.all(CHANNELS.map((channel) => outbox.nextDue(id, channel)))
    const now = clock.now()
    return CHANNELS.filter((_, place) => (times[place] ?? Number.POSITIVE_INFINITY) <= now)
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
