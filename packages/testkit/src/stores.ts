import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock, Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { hasRedisServer, type RedisServer, startRedisServer } from '@svc/store/testing'
import { after, afterEach, before, describe } from 'mocha'
import { type Skippable, skipUnless } from './skip-unless.ts'
import { scaledLimit } from './time-budget.ts'

export interface OpenStoreOptions {
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
  /** Opens the data of this store once more, as another process would. Only on Redis. @throws Error elsewhere */
  readonly sameAs?: Store
}

/** Opens a fresh, empty store, closed after the test. */
export type OpenStore = (options?: OpenStoreOptions) => Promise<Store>

/**
 * Defines a suite once for each store engine, SQLite in memory and Redis: what races, restarts or crosses processes.
 * `SVC_TEST_STORES` (some of `memory`, `file`, `redis`, with commas) names others.
 * @example
 * eachStore((open, name) => {
 *   it('keeps a client', async () => { const store = await open() })
 * })
 */
export function eachStore(define: (open: OpenStore, name: string) => void): void {
  defineOn(namedStores() ?? ['memory', 'redis'], define)
}

/**
 * Defines a suite whose answers cannot depend on the engine, since the contract of the store is proven by itself: on
 * SQLite in memory, and on what `SVC_TEST_STORES` names (`pnpm test --all`: both engines).
 */
export function anyStore(define: Define): void {
  defineOn(namedStores() ?? ['memory'], define)
}

/** Whether this is `pnpm test --all`: every variant of a journey runs then, not only the first. */
export function isSecondLevel(): boolean {
  return process.env['SVC_TEST_STORES'] === 'memory,redis'
}

function namedStores(): readonly string[] | undefined {
  return process.env['SVC_TEST_STORES']?.split(',')
}

function defineOn(engines: readonly string[], define: Define): void {
  if (engines.includes('memory')) describeInMemory(define)
  if (engines.includes('file')) describeOnFile(define)
  if (engines.includes('redis')) describeOnRedis(define)
}

type Define = Parameters<typeof eachStore>[0]

function describeInMemory(define: Define): void {
  describe('on SQLite in memory', () => {
    const { open, closeAll } = closing(async ({ clock, sameAs }) => {
      refuseSecond(sameAs)
      return sqliteStore({ file: ':memory:', ...(clock && { clock }) })
    })
    define(open, 'SQLite in memory')
    afterEach(closeAll)
  })
}

function describeOnFile(define: Define): void {
  describe('on a SQLite file', () => {
    const folders: string[] = []
    const { open, closeAll } = closing(async ({ clock, sameAs }) => {
      refuseSecond(sameAs)
      const folder = await mkdtemp(path.join(tmpdir(), 'svc-store-'))
      folders.push(folder)
      return sqliteStore({ file: path.join(folder, 'store.db'), ...(clock && { clock }) })
    })
    define(open, 'a SQLite file')
    afterEach(async () => {
      await closeAll()
      for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
    })
  })
}

function describeOnRedis(define: Define): void {
  describe('on Redis', () => {
    let server: RedisServer | undefined
    let databases = 0
    const places = new WeakMap<Store, number>()
    before(async function () {
      needsRedis(this)
      server = await startRedisServer({ args: ['--databases', '4096'] })
    })
    const { open, closeAll } = closing(async ({ clock, sameAs }) => {
      const place = (sameAs && places.get(sameAs)) ?? databases++
      // Loaded when used: most suites have no Redis.
      const { redisStore } = await import('@svc/store/redis')
      const url = `${server?.url}/${place}`
      const store = redisStore({ url, ...redisPatience(), ...(clock && { clock }) })
      places.set(store, place)
      return store
    })
    define(open, 'Redis')
    afterEach(closeAll)
    after(() => server?.stop())
  })
}

/**
 * Options of a store on Redis that a test does not see failing: on a busy machine a command that takes long is not
 * one that is lost.
 */
export function redisPatience(): { readonly commandTimeoutMs: number } {
  return { commandTimeoutMs: scaledLimit(6000) }
}

/** Call in a `before` hook of suites that need Redis: without redis-server they are skipped, under CI they fail. */
export function needsRedis(context: Skippable): void {
  skipUnless(context, hasRedisServer(), 'no redis-server; install the package redis-server')
}

function refuseSecond(sameAs: Store | undefined): void {
  if (sameAs !== undefined) throw new Error('an embedded store is for one process')
}

/** Whoever uses a store is closed first: the hooks of the suite stand before the one that calls `closeAll`. */
function closing(opening: (options: OpenStoreOptions) => Promise<Store>): {
  readonly open: OpenStore
  readonly closeAll: () => Promise<void>
} {
  const opened: Store[] = []
  return {
    async open(options = {}) {
      const store = await opening(options)
      opened.push(store)
      return store
    },
    async closeAll() {
      for (const store of opened.splice(0)) await store.close()
    },
  }
}
