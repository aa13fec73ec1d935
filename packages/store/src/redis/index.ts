import { type Clock, systemClock } from '../clock.ts'
import { silentLog, type StoreLog } from '../log.ts'
import type { Store } from '../store.ts'
import { checkDurability } from './check-durability.ts'
import { COMMAND_TIMEOUT_MS, createClient, createSubscriberClient, failFast } from './client.ts'
import { createConnection } from './connection.ts'
import { createRedisBus } from './redis-bus.ts'
import { createRedisScheduler } from './redis-scheduler.ts'
import { RedisStore } from './redis-store.ts'
import { redisOptionsFromUrl, type RedisTarget } from './redis-url.ts'
import { createRunScript, type WaitReplicas } from './run-script.ts'

export { type RedisAddress, redisOptionsFromUrl, type RedisTarget } from './redis-url.ts'
export type { WaitReplicas } from './run-script.ts'

/** Exactly one of `url`, `host`, `nodes` and `sentinels` says where Redis is. */
export interface RedisStoreOptions extends RedisTarget {
  /** As {@link redisOptionsFromUrl} reads it. */
  readonly url?: string | readonly string[]
  /**
   * Decides what is expired and what is due.
   * @defaultValue the machine's clock
   */
  readonly clock?: Clock
  /** @defaultValue says nothing */
  readonly log?: StoreLog
  /**
   * Makes `write` and `take` wait until replicas have the change; without it, a fail-over may lose the last
   * acknowledged ones. When too few have it in time, the outcome is unknown.
   * @defaultValue does not wait
   * @see security 108
   */
  readonly waitReplicas?: WaitReplicas
  /**
   * How long a command may take before its connection counts as lost, and how long calls wait for the first
   * connection. Milliseconds, 100 to 60 000. Every call is answered within 1.4 times as long.
   * @defaultValue `2_000`: every call is answered within 3 s
   * @see security 106
   */
  readonly commandTimeoutMs?: number
}

/**
 * The store on Redis 7 or Valkey: single, Sentinel or Cluster; any number of processes. Connects by itself; calls
 * wait for the first connection, and fail at once while a lost one is not back.
 * @throws TypeError when an option is malformed
 * @see decision D6
 * @example
 * const store = redisStore({ url: 'redis://127.0.0.1:6379' })
 */
export function redisStore(options: RedisStoreOptions): Store {
  const { clock = systemClock, log = silentLog, waitReplicas } = options
  const { commandTimeoutMs = COMMAND_TIMEOUT_MS } = options
  checkWait(waitReplicas)
  checkCommandTimeout(commandTimeoutMs)
  const target = readTarget(options)
  const client = createClient(target, 'store', failFast(commandTimeoutMs))
  const connection = createConnection(client, log, commandTimeoutMs)
  client.once('ready', () => {
    // Only advice: a Redis that does not allow INFO is used without it.
    checkDurability(client, log).catch(() => {})
  })
  return new RedisStore({
    connection,
    clock,
    runScript: createRunScript(connection, waitReplicas),
    bus: createRedisBus(
      connection,
      () => createSubscriberClient(target, client, commandTimeoutMs),
      log,
    ),
    scheduler: createRedisScheduler({ connection, target, clock, log }),
  })
}

function readTarget({ url, ...options }: RedisStoreOptions): RedisTarget {
  const target = url === undefined ? options : { ...options, ...redisOptionsFromUrl(url) }
  const given = [target.host, target.nodes, target.sentinels].filter((one) => one !== undefined)
  if (given.length !== 1) {
    throw new TypeError('options name one of url, host, nodes and sentinels')
  }
  if (target.nodes?.length === 0 || target.sentinels?.length === 0) {
    throw new TypeError('options.nodes and options.sentinels name at least one address')
  }
  if (target.sentinels !== undefined && target.master === undefined) {
    throw new TypeError('options.master names the master that the sentinels watch')
  }
  return target
}

function checkCommandTimeout(ms: number): void {
  if (Number.isInteger(ms) && ms >= 100 && ms <= 60_000) return
  throw new TypeError('options.commandTimeoutMs is a whole number from 100 to 60000')
}

function checkWait(wait: WaitReplicas | undefined): void {
  if (wait === undefined) return
  const { count, timeoutMs = 1000 } = wait
  if (!Number.isInteger(count) || count < 1) {
    throw new TypeError('options.waitReplicas.count is a whole number, at least 1')
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 1900) {
    throw new TypeError('options.waitReplicas.timeoutMs is a whole number from 1 to 1900')
  }
}
