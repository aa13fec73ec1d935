import { describeError } from './describe-error.ts'
import type { StoreEventLog } from './log/store-log.ts'
import { type Json, parseWritten } from './json.ts'

type Handler = (message: Json) => unknown

/** The handlers of this process, by channel. */
export interface Subscribers {
  /** Whether it is the first of its channel. */
  add(channel: string, handler: Handler): boolean
  /** Whether it was the last of its channel. */
  remove(channel: string, handler: Handler): boolean
  /**
   * Gives every handler its own copy of the message. One that throws is logged and stops nobody; what is no JSON is
   * logged, by its size, and dropped.
   */
  deliver(channel: string, text: string): void
  clear(): void
}

/** @param onUnknown - hears of a message that a handler did not understand */
export function createSubscribers(log: StoreEventLog, onUnknown: () => void): Subscribers {
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
        let message: Json
        try {
          message = parseWritten(text) as Json // Published as JSON.
        } catch {
          // SPEC: realtime.md 7.3 - its content may be anything, of anybody: never into the log.
          const size = Buffer.byteLength(text)
          log.warn({ event: 'store.bus_message_malformed', channel, size }, 'a message is no JSON')
          return
        }
        try {
          if (handler(message) !== 'unknown') continue
          log.warn({ event: 'store.bus_message_unknown', channel }, 'a message is of another form')
          onUnknown()
        } catch (error) {
          const cause = describeError(error)
          log.error({ event: 'store.bus_handler_failed', channel, cause }, 'a bus handler threw')
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
