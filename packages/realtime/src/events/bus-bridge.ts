import { setTimeout as sleep } from 'node:timers/promises'
import { type InstanceId, randomId } from '@svc/platform'
import type { Bus, Json } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { readBusMessage, writeBusMessage } from './bus-message.ts'
import type { CheckedEvent } from './event.ts'
import { RecentIds } from './recent-ids.ts'
import type { RealtimeLog } from '../log/log-events.ts'

export interface BusBridgeOptions {
  readonly bus: Bus
  readonly clock: { now(): number }
  readonly log: RealtimeLog
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

interface BusMemberOptions {
  readonly join: () => Promise<void>
  readonly leave: () => void
}

/** Somebody of this process, who does nothing to the bus before joining. */
export class BusMember {
  readonly #options: BusMemberOptions
  #joining: Promise<void> | undefined
  #isOver = false

  constructor(options: BusMemberOptions) {
    this.#options = options
  }

  /** Resolves when events of other processes come, or that takes too long. Idempotent; never rejects. */
  join(): Promise<void> {
    if (!this.#isOver) this.#joining ??= this.#options.join()
    return this.#joining ?? Promise.resolve()
  }

  /** Idempotent. */
  leave(): void {
    if (!this.#isOver && this.#joining !== undefined) this.#options.leave()
    this.#isOver = true
  }
}

/** Carries events between processes, at most once each. @see realtime.md 7.3 */
export class BusBridge {
  readonly #options: BusBridgeOptions
  readonly #channels = new Map<string, Channel>()
  readonly #recent: RecentIds
  readonly #origin = randomId(16)
  #published = 0

  constructor(options: BusBridgeOptions) {
    this.#options = options
    const { clock, lifetimes } = options
    this.#recent = new RecentIds({ clock, keepMs: lifetimes.duplicate, max: MAX_RECENT })
  }

  /** Hands the event to the bus; resolves when that is done or takes too long. Never rejects. */
  async publish(instanceId: InstanceId, event: CheckedEvent): Promise<void> {
    const { bus, log, lifetimes } = this.#options
    const origin = this.#origin
    this.#published += 1
    const id = `${origin}.${this.#published.toString(36)}`
    const message = writeBusMessage({ origin, id, instanceId, event })
    const handing = bus.publish(this.#nameOf(instanceId), message).catch((cause: unknown) => {
      log.warn('realtime.not_published', { cause: String(cause) })
    })
    await within(handing, lifetimes.publish)
  }

  /** A place for somebody who may want the instance's events. */
  member(instanceId: InstanceId): BusMember {
    const name = this.#nameOf(instanceId)
    return new BusMember({ join: () => this.#join(name), leave: () => this.#leave(name) })
  }

  /** Channels that are listened to. */
  get channels(): number {
    return this.#channels.size
  }

  async close(): Promise<void> {
    await Promise.all([...this.#channels].map(([name, channel]) => this.#drop(name, channel)))
  }

  #nameOf(instanceId: InstanceId): string {
    return this.#options.channels === 'global' ? 'rt' : `rt:${instanceId}`
  }

  #receive(name: string, message: Json): 'unknown' | undefined {
    const { log, onEvent } = this.#options
    const read = readBusMessage(message)
    if (read === undefined || this.#nameOf(read.instanceId) !== name) {
      // Its content may be anything, of anybody: never into the log.
      const size = Buffer.byteLength(JSON.stringify(message))
      log.warn('realtime.message_malformed', { type: typeof message, size })
      return 'unknown'
    }
    if (read.origin !== this.#origin && this.#recent.isNew(read.id)) {
      onEvent(read.instanceId, read.event)
    }
    return undefined
  }

  async #listen(name: string, signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { bus, log } = this.#options
    while (!signal.aborted) {
      try {
        return await bus.subscribe(name, (message) => this.#receive(name, message))
      } catch (cause) {
        // Events of this process arrive all the same.
        log.warn('realtime.not_subscribed', { cause: String(cause) })
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      }
    }
    return undefined
  }

  async #drop(name: string, channel: Channel): Promise<void> {
    clearTimeout(channel.idle)
    if (this.#channels.get(name) === channel) this.#channels.delete(name)
    channel.over.abort()
    await (await channel.listening)?.()
  }

  #channelOf(name: string): Channel {
    const known = this.#channels.get(name)
    if (known !== undefined) return known
    const over = new AbortController()
    const listening = this.#listen(name, over.signal)
    const channel: Channel = { members: 0, listening, over, idle: undefined }
    this.#channels.set(name, channel)
    return channel
  }

  #join(name: string): Promise<void> {
    const channel = this.#channelOf(name)
    channel.members += 1
    clearTimeout(channel.idle)
    return within(channel.listening, this.#options.lifetimes.subscribe)
  }

  #leave(name: string): void {
    const channel = this.#channels.get(name)
    if (channel === undefined) return
    channel.members -= 1
    if (channel.members > 0) return
    const { idleChannel } = this.#options.lifetimes
    channel.idle = setTimeout(() => void this.#drop(name, channel), idleChannel)
    channel.idle.unref()
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
