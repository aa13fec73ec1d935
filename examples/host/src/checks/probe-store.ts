import type { RedisFacts } from '@svc/store/redis'
import type { Config } from '../config/config.ts'
import type { CheckResult } from './check.ts'

/** How Redis is set up, where it is the store; one that cannot be reached is put with what was found. */
export async function probeStore(
  config: Pick<Config, 'store'>,
  found: CheckResult[],
): Promise<RedisFacts | undefined> {
  if (config.store === 'sqlite') return undefined
  const { probeRedis } = await import('@svc/store/redis')
  return probeRedis({ url: config.store }).catch((error: Error) => {
    const remedy = 'Start Redis, or look at SVC_STORE.'
    found.push({ id: 'store.reached', state: 'fault', text: `${error.message}.`, remedy })
    return undefined
  })
}
