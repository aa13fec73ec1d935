import type { Scheduler } from '@svc/store'

/** A scheduler whose wake-ups wait for the server. */
export interface HeldWakeUps {
  readonly scheduler: Scheduler
  /** From here on due wake-ups are handled. Idempotent. */
  release(): Promise<void>
}

/**
 * Lets no handler begin before `release`: a server that starts answers before it looks at what is due, and on Redis
 * the library of the queues is loaded while it answers already.
 * @see docs/decisions/0739-wake-ups-wait-for-the-listener.md
 */
export function holdWakeUps(scheduler: Scheduler): HeldWakeUps {
  const held: (() => Promise<unknown>)[] = []
  let releasing: Promise<void> | undefined

  async function begin(): Promise<void> {
    for (const process of held) await process()
  }

  return {
    scheduler: {
      at: (queue, id, when) => scheduler.at(queue, id, when),
      cancel: (queue, id) => scheduler.cancel(queue, id),
      async process(queue, handler) {
        if (releasing !== undefined) return scheduler.process(queue, handler)
        let isStopped = false
        let processing: ReturnType<Scheduler['process']> | undefined
        held.push(async () => {
          if (!isStopped) await (processing = scheduler.process(queue, handler))
        })
        return async () => {
          isStopped = true
          // One that is about to begin is ended, too.
          const stop = await processing
          await stop?.()
        }
      },
    },
    release() {
      releasing ??= begin()
      return releasing
    },
  }
}
