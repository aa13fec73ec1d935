import { AuthUiError } from '../errors.ts'
import { SECOND_MS } from '@svc/platform'

/** Runs costly work, a few at a time, and refuses what would wait too long. */
export interface HashQueue {
  /** @throws AuthUiError `busy` when too many wait already, or its turn does not come in time */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Counts are of work, per process. */
export interface HashQueueOptions {
  readonly atATime: number
  readonly waiting: number
  /** How long work waits for its turn. Milliseconds. @defaultValue 6 s */
  readonly waitMs?: number
}

/** A login may need two hashes and a mail, and is answered within 25 s. */
export const HASH_WAIT_MS: number = 6 * SECOND_MS

/**
 * How many hashes may run at once without starving what else uses the pool, signing above all.
 * @param threadPoolSize - `UV_THREADPOOL_SIZE` of the process
 * @see decision D17
 */
export function hashesAtATime(threadPoolSize: number): number {
  return Math.max(1, Math.min(4, threadPoolSize - 2))
}

/** One for the whole process, so that hashing and derivation share it. */
export function createHashQueue(options: HashQueueOptions): HashQueue {
  const { atATime, waiting, waitMs = HASH_WAIT_MS } = options
  const queue: (() => void)[] = []
  let running = 0

  /** Resolves when the one that ends hands its slot over: `running` stays as it is. */
  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1)
        reject(busy())
      }, waitMs)
      function begin(): void {
        clearTimeout(timer)
        resolve()
      }
      queue.push(begin)
    })
  }

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= atATime) {
      if (queue.length >= waiting) throw busy()
      await turn()
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

function busy(): AuthUiError {
  return new AuthUiError('busy', { headers: { 'Retry-After': '1' } })
}
