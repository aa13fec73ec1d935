import { join } from 'node:path'
import type { Clock, Store } from '@svc/store'
import type { Config } from './config.ts'
import type { HostLog } from './log.ts'

/**
 * Opens the configured store. The engine that is not used is never imported.
 * @throws StoreUnavailableError when the embedded store's file is another process's
 */
export async function openStore(
  config: Pick<Config, 'dataDir' | 'store'>,
  log: HostLog,
  clock: Clock,
): Promise<Store> {
  if (config.store === 'sqlite') {
    const { sqliteStore } = await import('@svc/store/sqlite')
    return sqliteStore({ file: join(config.dataDir, 'store.db'), clock, log: log.store })
  }
  const { redisStore } = await import('@svc/store/redis')
  return redisStore({ url: config.store, clock, log: log.store })
}
