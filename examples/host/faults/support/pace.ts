import { setTimeout as pause } from 'node:timers/promises'

export interface Paced {
  /** Ends when everything that was begun is over. */
  stop(): Promise<void>
}

/** Begins `perSecond` jobs a second, counted from 0, whatever becomes of those before. */
export function pace(perSecond: number, begin: (at: number) => Promise<void> | undefined): Paced {
  const open = new Set<Promise<void>>()
  let isOver = false

  async function run(): Promise<void> {
    const startedAt = performance.now()
    for (let at = 0; !isOver; at += 1) {
      const dueMs = startedAt + (at * 1000) / perSecond - performance.now()
      if (dueMs > 0) await pause(dueMs)
      const job = begin(at)
      if (job === undefined) continue
      open.add(job)
      void job.finally(() => open.delete(job))
    }
    await Promise.all(open)
  }
  const running = run()
  return {
    stop() {
      isOver = true
      return running
    },
  }
}
