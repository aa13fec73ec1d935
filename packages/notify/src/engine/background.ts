import type { Store } from '@svc/store'

/** Work of this process that goes on beside requests. */
export interface Background {
  /** Idempotent. */
  start(): Promise<void>
  /** Takes on nothing more, and ends what is under way. Idempotent. */
  close(): Promise<void>
}

/**
 * Handles the wake-ups of a queue of the scheduler.
 * @param endListening - called at the end
 */
export function processQueue(
  { scheduler }: Pick<Store, 'scheduler'>,
  queue: string,
  handle: (id: string) => Promise<void>,
  endListening: readonly (() => void)[] = [],
): Background {
  let processing: Promise<() => Promise<void>> | undefined
  return {
    async start() {
      processing ??= scheduler.process(queue, ({ id }) => handle(id))
      await processing
    },
    async close() {
      for (const end of endListening) end()
      const stop = await processing?.catch(() => undefined)
      await stop?.()
    },
  }
}
