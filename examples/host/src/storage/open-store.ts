import { join } from 'node:path'
import type { Clock, Store } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import { STORE_RECORD_KEY, toStoreRecord } from './store-record.ts'
import { checkVersion, KNOWN_VERSIONS, type KnownVersions, settleVersion } from './store-version.ts'

/**
 * Opens the configured store. The engine that is not used is never imported.
 * @throws StoreUnavailableError when the embedded store's file is another process's
 * @throws ConfigError when the Redis address is malformed, and for a store that this version cannot use
 */
export async function openStore(
  config: Pick<Config, 'dataDir' | 'store' | 'storeReplicas'>,
  log: HostLog,
  clock: Clock,
  known: KnownVersions = KNOWN_VERSIONS,
): Promise<Store> {
  return config.store === 'sqlite'
    ? openEmbedded(join(config.dataDir, 'store.db'), log, clock, known)
    : openShared(config.store, config.storeReplicas, log, clock, known)
}

async function openEmbedded(
  file: string,
  log: HostLog,
  clock: Clock,
  known: KnownVersions,
): Promise<Store> {
  const { readFileVersion, sqliteStore } = await import('@svc/store/sqlite')
  const found = readFileVersion(file, STORE_RECORD_KEY)
  if (found !== undefined) {
    checkVersion({ version: found.version, record: toStoreRecord(found.record) }, known)
  }
  const store = sqliteStore({ file, clock, log: log.store, reads: known.reads })
  return orClose(store, async () => {
    const { raiseEmbedded } = await import('./raise-store.ts')
    await raiseEmbedded({ store, file, clock, known, log })
  })
}

async function openShared(
  url: string,
  replicas: number,
  log: HostLog,
  clock: Clock,
  known: KnownVersions,
): Promise<Store> {
  const { redisStore } = await import('@svc/store/redis')
  let store: Store
  try {
    store = redisStore({
      url,
      clock,
      log: log.store,
      ...(replicas > 0 && { waitReplicas: { count: replicas } }),
    })
  } catch (error) {
    // Its words never hold the password.
    if (error instanceof TypeError) throw new ConfigError([`SVC_STORE: ${error.message}`])
    throw error
  }
  return orClose(store, () => settleVersion(store, clock, known))
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
