import './entry/node-version.ts'
import { testBus } from './contract/bus.ts'
import { testClosing } from './contract/closing.ts'
import { testConditions } from './contract/conditions.ts'
import { testCounters } from './contract/counters.ts'
import { testDump } from './contract/dump.ts'
import { testDurability } from './contract/durability.ts'
import { testLists } from './contract/lists.ts'
import { testParallel } from './contract/parallel.ts'
import { testRecords } from './contract/records.ts'
import { testRevise } from './contract/revise.ts'
import { testScheduler } from './contract/scheduler.ts'
import type { MakeStore, TestRunner, TestStoreOptions } from './contract/suite.ts'
import { testUsage } from './contract/usage.ts'
import { testWriteIds } from './contract/write-ids.ts'

export type { MakeStore, TestRunner, TestStoreOptions } from './contract/suite.ts'

/**
 * Defines the tests that every engine of the store port passes.
 * @param runner - `describe` and `it` of mocha, or of what works like them
 * @param name - what the tests are called in the report
 * @param makeStore - opens a store with the clock given that counts the kinds `thing` and `other`; the suite closes it. Several may be open at a time, on one
 *   database too: every test works on instances of its own
 * @param options - how data are opened again, and how patient the run is
 * @example
 * testStore({ describe, it }, 'sqliteStore', async (clock) =>
 *   sqliteStore({ file: ':memory:', clock, countedKinds: ['thing', 'other'] }),
 * )
 */
export function testStore(
  runner: TestRunner,
  name: string,
  makeStore: MakeStore,
  options: TestStoreOptions = {},
): void {
  runner.describe(name, () => {
    for (const define of [
      testRecords,
      testConditions,
      testRevise,
      testWriteIds,
      testParallel,
      testCounters,
      testLists,
      testDump,
      testBus,
      testScheduler,
      testUsage,
      testClosing,
      testDurability,
    ]) {
      define(runner, makeStore, options)
    }
  })
}
