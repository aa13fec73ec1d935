import type { Json } from './json.ts'

/** Best-effort publish/subscribe: within the process on the embedded store, across processes on Redis. */
export interface Bus {
  /**
   * Resolves when handed over; subscribers of this process have got it by then, whatever becomes of Redis. A lost
   * message is not an error.
   */
  publish(channel: string, message: Json): Promise<void>
  /**
   * Resolves once subscribed. The handler must not throw. It answers `'unknown'` for a message whose form it does not
   * know, such as one of a later version: that is dropped, and counts as a gap. The answered function ends the
   * subscription.
   */
  subscribe(channel: string, handler: (message: Json) => unknown): Promise<() => Promise<void>>
  /**
   * Calls the handler whenever messages may have been lost (the connection to Redis broke and came back), or one was
   * not understood, so that caches kept fresh by the bus can be dropped. The embedded store loses none.
   */
  onGap(handler: () => void): () => void
}
