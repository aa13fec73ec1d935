import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Store, StoreUnavailableError, systemClock } from '@svc/store'
import { listProcesses } from '../processes/process-record.ts'
import type { CopySource, CopyTarget } from './copy-store.ts'
import {
  putStoreRecord,
  readStoreRecord,
  STORE_RECORD_KEY,
  type StoreRecord,
  toStoreRecord,
} from './store-record.ts'
import { KNOWN_VERSIONS } from './store-version.ts'

/** A command takes longer than a request may: a Redis that is busy is waited for. Milliseconds. */
const PATIENCE_MS = 30_000

/** A store as a command names it. */
export interface StoreAddress {
  readonly engine: 'redis' | 'sqlite'
  /** The file, or the URL with its password. */
  readonly place: string
  /** Without passwords. */
  readonly name: string
}

/**
 * Reads `sqlite:<file>` or `redis://…`.
 * @throws Error when it is neither
 */
export function parseAddress(text: string): StoreAddress {
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length) {
    const file = text.slice('sqlite:'.length)
    const place = existsSync(file) ? realpathSync(file) : resolve(file)
    return { engine: 'sqlite', place, name: `sqlite:${place}` }
  }
  if (/^rediss?(\+\w+)?:\/\//.test(text)) {
    return { engine: 'redis', place: text, name: text.replaceAll(/\/\/[^@/]*@/g, '//') }
  }
  throw new Error('A store is sqlite:<file> or redis://<host>:<port>.')
}

/** A source and what lets go of it. */
export interface OpenSource extends CopySource {
  close(): Promise<void>
}

/**
 * Opens the source of a copy, which a server may use.
 * @throws Error when there is no store
 */
export async function openSource(address: StoreAddress): Promise<OpenSource> {
  return address.engine === 'sqlite' ? openFileSource(address) : openSharedSource(address)
}

async function openFileSource({ place, name }: StoreAddress): Promise<OpenSource> {
  const { dumpSqliteFile, readFileVersion, sqliteStore } = await import('@svc/store/sqlite')
  const found = readFileVersion(place, STORE_RECORD_KEY)
  if (found === undefined) throw new Error(`There is no store in ${place}.`)
  const { reads } = KNOWN_VERSIONS
  let store: Store | undefined
  try {
    store = sqliteStore({ file: place, reads })
  } catch (error) {
    if (!isInUse(error)) throw error
  }
  return {
    name,
    record: { ...(toStoreRecord(found.record) ?? firstVersion()), version: found.version },
    dump: () => dumpSqliteFile({ file: place, reads }),
    store,
    close: async () => store?.close(),
  }
}

async function openSharedSource({ place, name }: StoreAddress): Promise<OpenSource> {
  const { redisStore } = await import('@svc/store/redis')
  const store = redisStore({ url: place, commandTimeoutMs: PATIENCE_MS })
  try {
    const isInUse = (await listProcesses(store)).length > 0
    return {
      name,
      record: (await readStoreRecord(store)) ?? firstVersion(),
      dump: () => store.dump(),
      store: isInUse ? undefined : store,
      close: () => store.close(),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the target of a copy. @throws StoreUnavailableError when a server uses it */
export async function openTarget({ engine, place }: StoreAddress): Promise<CopyTarget> {
  if (engine === 'redis') {
    const { redisStore } = await import('@svc/store/redis')
    const store = redisStore({ url: place, commandTimeoutMs: PATIENCE_MS })
    return {
      engine,
      store,
      async settle(record) {
        await store.write([putStoreRecord(record)])
      },
    }
  }
  const { sqliteStore } = await import('@svc/store/sqlite')
  const store = sqliteStore({ file: place, reads: KNOWN_VERSIONS.reads })
  return {
    engine,
    store,
    settle: (record) => store.raise(record.version, [putStoreRecord(record)]),
  }
}

/** Of a store that was made before stores had such records. */
function firstVersion(): StoreRecord {
  return { version: 1, oldestProduct: '0.1.0', product: '0.1.0', raisedAt: systemClock.now() }
}

function isInUse(error: unknown): boolean {
  if (!(error instanceof StoreUnavailableError)) return false
  const { cause } = error
  // SQLITE_BUSY, of the lock beside the file.
  return cause instanceof Error && 'errcode' in cause && cause.errcode === 5
}
