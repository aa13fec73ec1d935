import '../entry/node-version.ts'
import type { Store } from '../store.ts'
import { checkDurability } from './check-durability.ts'
import { createClient, createSubscriberClient, failFast } from './client.ts'
import { createConnection } from './connection.ts'
import { readTarget, REDIS_OPTIONS, type RedisStoreOptions } from './options.ts'
import { createRedisBus } from './redis-bus.ts'
import { createRedisScheduler } from './redis-scheduler.ts'
import { RedisStore } from './redis-store.ts'
import type { RedisAddress, RedisTarget } from './redis-url.ts'
import { createRunScript } from './run-script.ts'
import { scanKeys } from './dump-redis.ts'
import { USAGE_SCRIPTS } from './scripts.ts'
import { createRedisUsage } from './usage/redis-usage.ts'

export type { RedisStoreOptions } from './options.ts'
export {
  probeRedis,
  type ProbeRedisOptions,
  type RedisFacts,
  type RedisNodeFacts,
} from './probe-redis.ts'
export { checkRedisIndexes, type IndexFault } from './check-indexes.ts'
export { saveRedisSnapshot } from './save-snapshot.ts'
export { type RedisAddress, redisOptionsFromUrl, type RedisTarget } from './redis-url.ts'
export type { WaitReplicas } from './run-script.ts'

/**
 * The store on Redis 7 or Valkey: single, Sentinel or Cluster; any number of processes. Connects by itself; calls
 * wait for the first connection, and fail at once while a lost one is not back.
 * @throws TypeError listing every fault of the options with its path
 * @see decision D6
 * @example
 * const store = redisStore({ url: 'redis://127.0.0.1:6379' })
 */
export function redisStore(options: RedisStoreOptions): Store {
  const settled = REDIS_OPTIONS.settle(options)
  const { clock, commandTimeoutMs, countedKinds, log, waitReplicas } = settled
  const target = readTarget(settled)
  const client = createClient(target, 'store', failFast(commandTimeoutMs))
  const connection = createConnection(client, log, commandTimeoutMs)
  client.once('ready', () => {
    // Only advice: a Redis that does not allow INFO is used without it.
    checkDurability(client, log).catch(() => {})
  })
  const runScript = createRunScript(connection, waitReplicas)
  return new RedisStore({
    place: placeOf(target),
    connection,
    clock,
    runScript,
    usage: createRedisUsage({
      scripts: USAGE_SCRIPTS,
      runScript,
      scan: (prefix) => scanKeys(connection, `${prefix}*`),
      clock,
      countedKinds,
    }),
    bus: createRedisBus(
      connection,
      () => createSubscriberClient(target, client, commandTimeoutMs),
      log,
    ),
    scheduler: createRedisScheduler({ connection, target, clock, log }),
  })
}

/** Without user and password. */
function placeOf({ host, port, nodes, sentinels, master }: RedisTarget): string {
  const address = (one: RedisAddress, usual: number): string => `${one.host}:${one.port ?? usual}`
  if (sentinels !== undefined) {
    return `Redis ${master} of ${sentinels.map((one) => address(one, 26_379)).join(', ')}`
  }
  if (nodes !== undefined) return `Redis ${nodes.map((one) => address(one, 6379)).join(', ')}`
  return `Redis ${address({ host: host ?? '', ...(port !== undefined && { port }) }, 6379)}`
}
