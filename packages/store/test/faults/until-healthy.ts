import { until } from '../../../testkit/src/until.ts'
import type { Store } from '../../src/index.ts'

/** Waits until the store serves; answers how long that took, milliseconds. Throws when it took too long. */
export async function untilHealthy(store: Store): Promise<number> {
  const start = performance.now()
  let last: unknown
  const isHealthy = (): Promise<boolean> =>
    store.health().then(
      () => true,
      (error: unknown) => {
        last = error
        return false
      },
    )
  await until(isHealthy, { limitMs: 10_000, describe: () => String(last) })
  return performance.now() - start
}
