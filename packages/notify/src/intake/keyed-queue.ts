/** Runs tasks of one key one after the other, in the order they came; those of other keys meanwhile. */
export type InTurn = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()

  return async function inTurn(key, task) {
    const before = last.get(key) ?? Promise.resolve()
    const turn = before.then(task, task)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
