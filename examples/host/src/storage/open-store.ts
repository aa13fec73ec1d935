import { join } from 'node:path'
import type { Clock, Store } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import { COUNTED_KINDS } from '../quota/counted-kinds.ts'
import type { StoreSpace } from '../quota/store-space.ts'
import { STORE_RECORD_KEY, toStoreRecord } from './store-record.ts'
import {
  checkStored,
  checkVersion,
  KNOWN_VERSIONS,
  type KnownVersions,
  settleVersion,
} from './store-version.ts'

export interface OpenStoreOptions {
  readonly config: Pick<Config, 'dataDir' | 'store' | 'storeReplicas'>
  readonly log: HostLog
  readonly clock: Clock
  /** Makes room for the embedded store when there is none. */
  readonly space?: Pick<StoreSpace, 'onWriteFailure'>
  /** @defaultValue those that this program knows */
  readonly known?: KnownVersions
  /** Whether a new store gets its version, and an older one is raised. @defaultValue true */
  readonly settles?: boolean
}

/**
 * Opens the configured store. The engine that is not used is never imported.
 * @throws StoreUnavailableError when the embedded store's file is another process's
 * @throws ConfigError when the Redis address is malformed, and for a store that this version cannot use
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  return options.config.store === 'sqlite' ? openEmbedded(options) : openShared(options)
}

async function openEmbedded(options: OpenStoreOptions): Promise<Store> {
  const { config, log, clock, space, known = KNOWN_VERSIONS, settles = true } = options
  const file = join(config.dataDir, 'store.db')
  const { readFileVersion, sqliteStore } = await import('@svc/store/sqlite')
  const found = readFileVersion(file, STORE_RECORD_KEY)
  if (found !== undefined) {
    checkVersion({ version: found.version, record: toStoreRecord(found.record) }, known)
  }
  const store = sqliteStore({
    file,
    clock,
    log: log.store,
    reads: known.reads,
    countedKinds: COUNTED_KINDS,
    ...(space !== undefined && { onWriteFailure: space.onWriteFailure }),
  })
  return orClose(store, async () => {
    if (!settles) return
    const { raiseEmbedded } = await import('./raise-store.ts')
    await raiseEmbedded({ store, file, clock, known, log })
  })
}

async function openShared(options: OpenStoreOptions): Promise<Store> {
  const { config, log, clock, known = KNOWN_VERSIONS, settles = true } = options
  const { storeReplicas: count } = config
  const { redisStore } = await import('@svc/store/redis')
  let store: Store
  try {
    store = redisStore({
      url: config.store,
      clock,
      log: log.store,
      countedKinds: COUNTED_KINDS,
      ...(count > 0 && { waitReplicas: { count } }),
    })
  } catch (error) {
    // Its words never hold the password.
    if (error instanceof TypeError) throw new ConfigError([`SVC_STORE: ${error.message}`])
    throw error
  }
  return orClose(store, async () => {
    if (settles) await settleVersion(store, clock, known)
    else await checkStored(store, known)
  })
}

async function orClose(store: Store, work: () => Promise<void>): Promise<Store> {
  try {
    await work()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
