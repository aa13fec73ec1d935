import { timeBudget } from './time-budget.ts'

/** Holds what comes by until it is opened. */
export interface Gate {
  /** Resolves once the gate is open. */
  pass(): Promise<void>
  /** Resolves once so many have come to the gate. @throws Error when the time budget of 5 s is over */
  arrived(count: number): Promise<void>
  /** Lets everybody through, those to come too. */
  open(): void
}

export function createGate(): Gate {
  const opened = Promise.withResolvers<void>()
  const waiters = new Set<{ readonly count: number; readonly resolve: () => void }>()
  let come = 0
  return {
    pass: () => {
      come += 1
      for (const waiter of waiters) {
        if (waiter.count <= come) waiter.resolve()
      }
      return opened.promise
    },
    arrived: (count) =>
      new Promise((resolve, reject) => {
        if (come >= count) return resolve()
        const budgetMs = timeBudget(5000)
        const timer = setTimeout(() => {
          waiters.delete(waiter)
          reject(new Error(`${come} of ${count} came to the gate within ${budgetMs} ms`))
        }, budgetMs)
        const waiter = {
          count,
          resolve: () => {
            clearTimeout(timer)
            waiters.delete(waiter)
            resolve()
          },
        }
        waiters.add(waiter)
      }),
    open: () => opened.resolve(),
  }
}
