import { join } from 'node:path'
import type { Clock, Store } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import { COUNTED_KINDS } from '../quota/counted-kinds.ts'
import type { StoreSpace } from '../quota/store-space.ts'

/**
 * Opens the configured store. The engine that is not used is never imported.
 * @param space - makes room for the embedded one when there is none
 * @throws StoreUnavailableError when the embedded store's file is another process's
 * @throws ConfigError when the Redis address is malformed
 */
export async function openStore(
  config: Pick<Config, 'dataDir' | 'store'>,
  log: HostLog,
  clock: Clock,
  space?: Pick<StoreSpace, 'onWriteFailure'>,
): Promise<Store> {
  if (config.store === 'sqlite') {
    const { sqliteStore } = await import('@svc/store/sqlite')
    return sqliteStore({
      file: join(config.dataDir, 'store.db'),
      clock,
      log: log.store,
      countedKinds: COUNTED_KINDS,
      ...(space !== undefined && { onWriteFailure: space.onWriteFailure }),
    })
  }
  const { redisStore } = await import('@svc/store/redis')
  try {
    return redisStore({
      url: config.store,
      clock,
      log: log.store,
      countedKinds: COUNTED_KINDS,
    })
  } catch (error) {
    // Its words never hold the password.
    if (error instanceof TypeError) throw new ConfigError([`SVC_STORE: ${error.message}`])
    throw error
  }
}
