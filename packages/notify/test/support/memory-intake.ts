import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { afterEach } from 'mocha'
import { type IntakeServer, type IntakeServerOptions, startIntake } from './intake-server.ts'

/** For a whole test file: servers with a store of their own in memory, closed after each test. */
export function memoryIntake(): (options?: Partial<IntakeServerOptions>) => Promise<IntakeServer> {
  const stores: Store[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
  })
  return (options = {}) =>
    startIntake({
      store: async (clock) => {
        const store = sqliteStore({ file: ':memory:', clock })
        stores.push(store)
        return store
      },
      ...options,
    })
}
