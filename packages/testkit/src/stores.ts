import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock, Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { afterEach, describe } from 'mocha'

export interface OpenStoreOptions {
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
}

/** Opens a fresh, empty store, closed after the test. */
export type OpenStore = (options?: OpenStoreOptions) => Promise<Store>

/**
 * Defines a suite once for every store engine: SQLite in memory, SQLite on a file, Redis.
 * @example
 * eachStore((open, name) => {
 *   it('keeps a client', async () => { const store = await open() })
 * })
 */
export function eachStore(define: (open: OpenStore, name: string) => void): void {
  describe('on SQLite in memory', () => {
    define(
      closing(async ({ clock }) => sqliteStore({ file: ':memory:', ...(clock && { clock }) })),
      'SQLite in memory',
    )
  })

  describe('on a SQLite file', () => {
    const folders: string[] = []
    const open = closing(async ({ clock }) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'svc-store-'))
      folders.push(folder)
      return sqliteStore({ file: path.join(folder, 'store.db'), ...(clock && { clock }) })
    })
    define(open, 'a SQLite file')
    afterEach(async () => {
      for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
    })
  })
}

function closing(open: (options: OpenStoreOptions) => Promise<Store>): OpenStore {
  const opened: Store[] = []
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  return async (options = {}) => {
    const store = await open(options)
    opened.push(store)
    return store
  }
}
