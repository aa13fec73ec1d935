import type { ParsedCategories } from '@svc/oauth-core'
import type { RateLimits } from '@svc/platform'
import type { NotifyBucket } from '../limits.ts'

/** What accepting posts keeps in memory, and its limits. */
export interface Posting {
  /** Runs posts of one source owner one after the other. */
  readonly queue: KeyedQueue
  /** Keys of idempotent requests that are not answered yet. */
  readonly inProgress: Set<string>
  /** Declarations that were read; manifests and clients are cached by their owners. */
  readonly categories: WeakMap<object, ParsedCategories>
  /** Over a limit it throws NotifyError `rate_limited` with `Retry-After`. */
  readonly limits: Pick<RateLimits<NotifyBucket>, 'hit' | 'release'>
  /** Notifications not yet final of one source owner. */
  readonly maxUnfinished: number
  /** First part of source ids. */
  readonly sourcePrefix: string
}

export function createPosting(
  given: Pick<Posting, 'limits' | 'maxUnfinished' | 'sourcePrefix'>,
): Posting {
  return {
    ...given,
    queue: createKeyedQueue(),
    inProgress: new Set(),
    categories: new WeakMap(),
  }
}

/** Runs tasks of one key one after the other, in the order they came; those of other keys meanwhile. */
export type KeyedQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()

  return async function enqueue(key, task) {
    const before = last.get(key) ?? Promise.resolve()
    const run = before.then(task, task)
    last.set(key, run)
    try {
      return await run
    } finally {
      if (last.get(key) === run) last.delete(key)
    }
  }
}
