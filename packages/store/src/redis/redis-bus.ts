import { randomBytes } from 'node:crypto'
import { jsonText } from '../writes/arguments.ts'
import type { Bus } from '../bus.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import { settledWithin } from '../settled-within.ts'
import { StoreUnavailableError } from '../store.ts'
import { createSubscribers, deliverNextTurn } from '../subscribers.ts'
import type { SubscriberClient } from './client.ts'
import { type Connection, unavailable } from './connection.ts'

/** The bus of a store on Redis. */
export interface RedisBus extends Bus {
  close(): Promise<void>
}

const PREFIX = 'svc:bus:'
/** Between two looks whether a silent connection still lives. */
const PING_MS = 2000
const RECONNECT_MS = 250

/**
 * Publish/subscribe on Redis. Subscribers of this process get messages directly, whatever becomes of Redis; echoes of
 * our own messages are recognised by the sender named in front of them.
 */
export function createRedisBus(
  connection: Connection,
  createSubscriber: () => SubscriberClient,
  log: StoreEventLog,
): RedisBus {
  const sender = randomBytes(9).toString('base64url')
  const subscribers = createSubscribers(log, tellGap)
  const channels = new Map<string, number>()
  const gapHandlers = new Set<() => void>()
  let client: SubscriberClient | undefined
  let timer: NodeJS.Timeout | undefined
  let hasGap = false
  let isClosed = false

  function tellGap(): void {
    for (const handler of gapHandlers) handler()
  }

  function connect(): SubscriberClient {
    const fresh = createSubscriber()
    client = fresh
    const ping = setInterval(() => {
      // Its timeout breaks the connection, which is all that is wanted of it.
      if (fresh.status === 'ready') fresh.ping().catch(() => {})
    }, PING_MS)
    ping.unref()
    fresh.on('error', () => {})
    fresh.on('message', receive)
    fresh.once('ready', () => void resubscribe(fresh))
    fresh.once('end', () => {
      clearInterval(ping)
      hasGap = channels.size > 0
      client = undefined
      if (!isClosed) timer = setTimeout(connect, RECONNECT_MS)
    })
    return fresh
  }

  async function resubscribe(fresh: SubscriberClient): Promise<void> {
    try {
      if (channels.size > 0) await fresh.subscribe(...channels.keys())
    } catch {
      fresh.disconnect()
      return
    }
    if (!hasGap) return
    hasGap = false
    tellGap()
  }

  function receive(channel: string, message: string): void {
    const end = message.indexOf(' ')
    if (message.slice(0, end) === sender) return
    subscribers.deliver(channel.slice(PREFIX.length), message.slice(end + 1))
  }

  async function listen(channel: string): Promise<void> {
    const current = client ?? connect()
    if (current.status !== 'ready') {
      const ready = new Promise<void>((resolve) => current.once('ready', resolve))
      if (!(await settledWithin(ready, connection.commandTimeoutMs))) {
        throw new StoreUnavailableError('Redis cannot be reached')
      }
    }
    try {
      await current.subscribe(channel)
    } catch (error) {
      throw unavailable(error)
    }
  }

  async function release(channel: string): Promise<void> {
    const count = channels.get(channel) ?? 0
    if (count > 1) {
      channels.set(channel, count - 1)
      return
    }
    channels.delete(channel)
    // A failure means that the connection is gone, and the subscription with it.
    await client?.unsubscribe(channel).catch(() => {})
  }

  return {
    async publish(name, message) {
      if (isClosed) throw new StoreUnavailableError('the store is closed')
      const text = jsonText(message)
      await Promise.all([
        deliverNextTurn(subscribers, name, text),
        // A lost message is no error; the connection logs outages.
        connection
          .send(() => connection.client.publish(PREFIX + name, `${sender} ${text}`))
          .catch(() => {}),
      ])
    },

    async subscribe(name, handler) {
      if (isClosed) throw new StoreUnavailableError('the store is closed')
      const channel = PREFIX + name
      // A wrapper of its own, so that a handler may be subscribed twice.
      const own: typeof handler = (message) => handler(message)
      let isOver = false
      const end = async (): Promise<void> => {
        if (isOver) return
        isOver = true
        subscribers.remove(name, own)
        await release(channel)
      }
      channels.set(channel, (channels.get(channel) ?? 0) + 1)
      subscribers.add(name, own)
      try {
        await listen(channel)
      } catch (error) {
        await end()
        throw error
      }
      return end
    },

    onGap(handler) {
      gapHandlers.add(handler)
      return () => void gapHandlers.delete(handler)
    },

    async close() {
      isClosed = true
      clearTimeout(timer)
      subscribers.clear()
      client?.disconnect()
    },
  }
}
