import { join } from 'node:path'
import type { Clock, Store } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'

/**
 * Opens the configured store. The engine that is not used is never imported.
 * @throws StoreUnavailableError when the embedded store's file is another process's
 * @throws ConfigError when the Redis address is malformed
 */
export async function openStore(
  config: Pick<Config, 'dataDir' | 'store' | 'storeReplicas'>,
  log: HostLog,
  clock: Clock,
): Promise<Store> {
  if (config.store === 'sqlite') {
    const { sqliteStore } = await import('@svc/store/sqlite')
    return sqliteStore({ file: join(config.dataDir, 'store.db'), clock, log: log.store })
  }
  const { redisStore } = await import('@svc/store/redis')
  try {
    const { storeReplicas: count } = config
    return redisStore({
      url: config.store,
      clock,
      log: log.store,
      ...(count > 0 && { waitReplicas: { count } }),
    })
  } catch (error) {
    // Its words never hold the password.
    if (error instanceof TypeError) throw new ConfigError([`SVC_STORE: ${error.message}`])
    throw error
  }
}
