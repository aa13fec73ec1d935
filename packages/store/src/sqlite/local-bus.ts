import { jsonText } from '../writes/arguments.ts'
import type { Bus } from '../bus.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import { createSubscribers, deliverNextTurn } from '../subscribers.ts'

/** The bus of a store that has one process: messages never leave it, and none is lost. */
export function createLocalBus(log: StoreEventLog, checkOpen: () => void): Bus {
  const gapHandlers = new Set<() => void>()
  const subscribers = createSubscribers(log, () => {
    for (const handler of gapHandlers) handler()
  })
  return {
    async publish(channel, message) {
      checkOpen()
      const text = jsonText(message)
      await deliverNextTurn(subscribers, channel, text)
    },
    async subscribe(channel, handler) {
      checkOpen()
      // A wrapper of its own, so that a handler may be subscribed twice.
      const own: typeof handler = (message) => handler(message)
      subscribers.add(channel, own)
      return async () => void subscribers.remove(channel, own)
    },
    onGap(handler) {
      gapHandlers.add(handler)
      return () => void gapHandlers.delete(handler)
    },
  }
}
