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
