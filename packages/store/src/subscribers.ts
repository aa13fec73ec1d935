import type { StoreLog } from './log.ts'
import type { Json } from './store.ts'

type Handler = (message: Json) => void

/** The handlers of this process, by channel. */
export interface Subscribers {
  /** Whether it is the first of its channel. */
  add(channel: string, handler: Handler): boolean
  /** Whether it was the last of its channel. */
  remove(channel: string, handler: Handler): boolean
  /** Gives every handler its own copy of the message. One that throws is logged and stops nobody. */
  deliver(channel: string, text: string): void
  clear(): void
}

export function createSubscribers(log: StoreLog): Subscribers {
  const channels = new Map<string, Set<Handler>>()
  return {
    add(channel, handler) {
      const handlers = channels.get(channel)
      if (handlers !== undefined) {
        handlers.add(handler)
        return false
      }
      channels.set(channel, new Set([handler]))
      return true
    },
    remove(channel, handler) {
      const handlers = channels.get(channel)
      if (handlers === undefined || !handlers.delete(handler) || handlers.size > 0) return false
      channels.delete(channel)
      return true
    },
    deliver(channel, text) {
      for (const handler of channels.get(channel) ?? []) {
        try {
          handler(JSON.parse(text) as Json) // Published as JSON.
        } catch (err) {
          log.error({ event: 'store.bus_handler_failed', channel, err }, 'a bus handler threw')
        }
      }
    },
    clear: () => channels.clear(),
  }
}

/**
 * Delivers in a later turn, as from another process: publishers never run inside their subscribers' code. Resolves
 * when the handlers have run.
 */
export function deliverNextTurn(
  subscribers: Subscribers,
  channel: string,
  text: string,
): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      subscribers.deliver(channel, text)
      resolve()
    })
  })
}
