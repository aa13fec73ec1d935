import { AuthUiError } from '../errors.ts'
import { SECOND_MS } from '@svc/platform'

/** Counts are of work, per process. */
export interface HashQueueOptions {
  readonly atATime: number
  readonly waiting: number
  /** How long work waits for its turn. Milliseconds. @defaultValue 6 s */
  readonly waitMs?: number
}

/** What the queue does now. */
export interface HashFigures {
  readonly running: number
  readonly waiting: number
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

/**
 * Runs costly work, a few at a time, and refuses what would wait too long. One for the whole process, so that hashing
 * and derivation share it.
 */
export class HashQueue {
  readonly #options: HashQueueOptions
  readonly #queue: (() => void)[] = []
  #running = 0
  #onRun: ((seconds: number) => void) | undefined

  constructor(options: HashQueueOptions) {
    this.#options = options
  }

  /** @throws AuthUiError `busy` when too many wait already, or its turn does not come in time */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#options.atATime) {
      if (this.#queue.length >= this.#options.waiting) throw busy()
      await this.#turn()
    } else {
      this.#running += 1
    }
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#onRun?.((performance.now() - startedAt) / 1000)
      const next = this.#queue.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  /** Work that runs and work that waits now. */
  figures(): HashFigures {
    return { running: this.#running, waiting: this.#queue.length }
  }

  /** Calls the one listener with the seconds of each work that is done. */
  onRun(listener: (seconds: number) => void): void {
    this.#onRun = listener
  }

  /** Resolves when the one that ends hands its slot over: `#running` stays as it is. */
  #turn(): Promise<void> {
    const queue = this.#queue
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1)
        reject(busy())
      }, this.#options.waitMs ?? HASH_WAIT_MS)
      function begin(): void {
        clearTimeout(timer)
        resolve()
      }
      queue.push(begin)
    })
  }
}

function busy(): AuthUiError {
  return new AuthUiError('busy', { headers: { 'Retry-After': '1' } })
}
