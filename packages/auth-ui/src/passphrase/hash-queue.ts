import { AuthUiError } from '../errors.ts'

/** Runs costly work, a few at a time, and refuses what would wait too long. */
export interface HashQueue {
  /** @throws AuthUiError `busy` when too many wait already */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Both are counts of work, per process. */
export interface HashQueueOptions {
  readonly atATime: number
  readonly waiting: number
}

/**
 * How many hashes may run at once without starving what else uses the pool, signing above all.
 * @param threadPoolSize - `UV_THREADPOOL_SIZE` of the process
 * @see decision D17
 */
export function hashesAtATime(threadPoolSize: number): number {
  return Math.max(1, Math.min(4, threadPoolSize - 2))
}

/** One for the whole process, so that hashing and derivation share it. */
export function createHashQueue({ atATime, waiting }: HashQueueOptions): HashQueue {
  const queue: (() => void)[] = []
  let running = 0

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= atATime) {
      if (queue.length >= waiting) {
        throw new AuthUiError('busy', { headers: { 'Retry-After': '1' } })
      }
      // The one that ends hands its slot over: `running` stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }

  return { run }
}
