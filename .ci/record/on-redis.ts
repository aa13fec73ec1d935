/**
 * Puts stores on Redis in the place of SQLite in memory, without a word in the tests of this process: their answers have
 * to be the same there.
 */
import { registerHooks } from 'node:module'
import { redisStore } from '../../packages/store/src/redis/index.ts'
import {
  sqliteStore as embeddedStore,
  type SqliteStoreOptions,
} from '../../packages/store/src/sqlite/index.ts'
import type { Store } from '../../packages/store/src/index.ts'
import { startRedisServer } from '../../packages/store/src/testing/index.ts'
import { redisPatience } from '../../packages/testkit/src/stores.ts'

export * from '../../packages/store/src/sqlite/index.ts'

const DATABASES = 4096
const server = await startRedisServer({ args: ['--databases', String(DATABASES)] })
let databases = 0

/** Stands for the function of the entry; a store in a file is for the host, which the contract tries on Redis. */
export function sqliteStore(options: SqliteStoreOptions): Store {
  if (options.file !== ':memory:') return embeddedStore(options)
  const { clock } = options
  const url = `${server.url}/${databases++ % DATABASES}`
  return redisStore({ url, ...redisPatience(), ...(clock && { clock }) })
}

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@svc/store/sqlite'
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
})
