import { timeBudget } from '../../../testkit/src/time-budget.ts'
import type { Store } from '../../src/index.ts'

/** Waits until the store serves; answers how long that took, milliseconds. Throws when it took too long. */
export async function untilHealthy(store: Store): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      await store.health()
      return performance.now() - start
    } catch (error) {
      if (performance.now() - start > timeBudget(10_000)) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
