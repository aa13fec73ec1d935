import type { Json } from './json.ts'

/** Best-effort publish/subscribe: within the process on the embedded store, across processes on Redis. */
export interface Bus {
  /**
   * Resolves when handed over; subscribers of this process have got it by then, whatever becomes of Redis. A lost
   * message is not an error.
   */
  publish(channel: string, message: Json): Promise<void>
  /** Resolves once subscribed. The handler must not throw. The answered function ends the subscription. */
  subscribe(channel: string, handler: (message: Json) => void): Promise<() => Promise<void>>
  /**
   * Calls the handler whenever messages may have been lost (the connection to Redis broke and came back),
   * so that caches kept fresh by the bus can be dropped. Never called on the embedded store.
   */
  onGap(handler: () => void): () => void
}
