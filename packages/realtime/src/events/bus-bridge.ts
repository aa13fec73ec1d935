import { setTimeout as sleep } from 'node:timers/promises'
import { type InstanceId, type Logger, randomId } from '@svc/platform'
import type { Bus, Json } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { readBusMessage, writeBusMessage } from './bus-message.ts'
import type { CheckedEvent } from './event.ts'
import { createRecentIds } from './recent-ids.ts'

/** Carries events between processes, at most once each. @see realtime.md 7.3 */
export interface BusBridge {
  /** Hands the event to the bus; resolves when that is done or takes too long. Never rejects. */
  publish(instanceId: InstanceId, event: CheckedEvent): Promise<void>
  /** A place for somebody who may want the instance's events. */
  member(instanceId: InstanceId): BusMember
  /** Channels that are listened to. */
  readonly channels: number
  close(): Promise<void>
}

/** Somebody of this process, who does nothing to the bus before joining. */
export interface BusMember {
  /** Resolves when events of other processes come, or that takes too long. Idempotent; never rejects. */
  join(): Promise<void>
  /** Idempotent. */
  leave(): void
}

export interface BusBridgeOptions {
  readonly bus: Bus
  readonly clock: { now(): number }
  readonly log: Logger
  readonly lifetimes: Lifetimes
  /** One channel per instance, or one for all. */
  readonly channels: 'instance' | 'global'
  /** Gets the events of other processes. */
  readonly onEvent: (instanceId: InstanceId, event: CheckedEvent) => void
}

interface Channel {
  members: number
  /** Settles when the bus listens; undefined: it was given up. */
  readonly listening: Promise<(() => Promise<void>) | undefined>
  readonly over: AbortController
  idle: NodeJS.Timeout | undefined
}

/** Between two attempts to listen while the bus does not answer. */
const RETRY_MS = 1000
/** Events remembered to drop those that come again. */
const MAX_RECENT = 10_000

export function createBusBridge(options: BusBridgeOptions): BusBridge {
  const { bus, clock, log, lifetimes, onEvent } = options
  const channels = new Map<string, Channel>()
  const recent = createRecentIds({ clock, keepMs: lifetimes.duplicate, max: MAX_RECENT })
  const origin = randomId(16)
  let published = 0

  function nameOf(instanceId: InstanceId): string {
    return options.channels === 'global' ? 'rt' : `rt:${instanceId}`
  }

  function receive(name: string, message: Json): void {
    const read = readBusMessage(message)
    if (read === undefined || nameOf(read.instanceId) !== name) {
      // Its content may be anything, of anybody: never into the log.
      const size = Buffer.byteLength(JSON.stringify(message))
      log.warn('realtime.message_malformed', { type: typeof message, size })
      return
    }
    if (read.origin === origin || !recent.isNew(read.id)) return
    onEvent(read.instanceId, read.event)
  }

  async function listen(
    name: string,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> {
    while (!signal.aborted) {
      try {
        return await bus.subscribe(name, (message) => receive(name, message))
      } catch (cause) {
        // Events of this process arrive all the same.
        log.warn('realtime.not_subscribed', { cause: String(cause) })
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      }
    }
    return undefined
  }

  async function drop(name: string, channel: Channel): Promise<void> {
    clearTimeout(channel.idle)
    if (channels.get(name) === channel) channels.delete(name)
    channel.over.abort()
    await (await channel.listening)?.()
  }

  function channelOf(name: string): Channel {
    const known = channels.get(name)
    if (known !== undefined) return known
    const over = new AbortController()
    const listening = listen(name, over.signal)
    const channel: Channel = { members: 0, listening, over, idle: undefined }
    channels.set(name, channel)
    return channel
  }

  function join(name: string): Promise<void> {
    const channel = channelOf(name)
    channel.members += 1
    clearTimeout(channel.idle)
    return within(channel.listening, lifetimes.subscribe)
  }

  function leave(name: string): void {
    const channel = channels.get(name)
    if (channel === undefined) return
    channel.members -= 1
    if (channel.members > 0) return
    channel.idle = setTimeout(() => void drop(name, channel), lifetimes.idleChannel)
    channel.idle.unref()
  }

  return {
    async publish(instanceId, event) {
      published += 1
      const id = `${origin}.${published.toString(36)}`
      const message = writeBusMessage({ origin, id, instanceId, event })
      const handing = bus.publish(nameOf(instanceId), message).catch((cause: unknown) => {
        log.warn('realtime.not_published', { cause: String(cause) })
      })
      await within(handing, lifetimes.publish)
    },

    member(instanceId) {
      let joining: Promise<void> | undefined
      let isOver = false
      return {
        join() {
          if (!isOver) joining ??= join(nameOf(instanceId))
          return joining ?? Promise.resolve()
        },
        leave() {
          if (!isOver && joining !== undefined) leave(nameOf(instanceId))
          isOver = true
        },
      }
    },

    get channels() {
      return channels.size
    },

    async close() {
      await Promise.all([...channels].map(([name, channel]) => drop(name, channel)))
    },
  }
}

/** Resolves with the promise, but no later than this; whether it succeeded is for others to look at. Never rejects. */
async function within(promise: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  const settled = promise.then(
    () => {},
    () => {},
  )
  await Promise.race([settled, late])
  clearTimeout(timer)
}
