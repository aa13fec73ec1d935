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
  let held: (() => Promise<void>)[] | undefined = []

  return {
    scheduler: {
      at: (queue, id, when) => scheduler.at(queue, id, when),
      cancel: (queue, id) => scheduler.cancel(queue, id),
      async process(queue, handler) {
        if (held === undefined) return scheduler.process(queue, handler)
        let isStopped = false
        let stop: (() => Promise<void>) | undefined
        held.push(async () => {
          if (!isStopped) stop = await scheduler.process(queue, handler)
        })
        return async () => {
          isStopped = true
          await stop?.()
        }
      },
    },
    async release() {
      const all = held ?? []
      held = undefined
      for (const begin of all) await begin()
    },
  }
}
