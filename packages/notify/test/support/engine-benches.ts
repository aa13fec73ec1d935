import type { Store } from '@svc/store'
import type { OpenStore } from '@svc/testkit'
import { afterEach } from 'mocha'
import { type BenchOptions, type EngineBench, startEngine } from './engine-bench.ts'

/** By default with a store of its own. */
export type StartBench = (
  options: Omit<BenchOptions, 'store'> & { readonly store?: Store },
) => Promise<EngineBench>

/** Engines that end after each test. To be called inside a `describe`: they have to end before their stores do. */
export function engineBenches(open: OpenStore): StartBench {
  const benches: EngineBench[] = []
  afterEach(async () => {
    for (const bench of benches.splice(0)) await bench.close()
  })
  return async (options) => {
    const { clock } = options
    const store = options.store ?? (await open(clock === undefined ? {} : { clock }))
    const bench = await startEngine({ ...options, store })
    benches.push(bench)
    return bench
  }
}
