import type { Store } from '../../src/index.ts'

/** Waits until the store serves; answers how long that took, milliseconds. Throws after 10 s. */
export async function untilHealthy(store: Store): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      await store.health()
      return performance.now() - start
    } catch (error) {
      if (performance.now() - start > 10_000) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
