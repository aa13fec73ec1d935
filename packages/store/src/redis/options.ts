import { type Clock, systemClock } from '../clock.ts'
import { silentLog, type StoreLog } from '../log/store-log.ts'
import {
  defineOptions,
  either,
  instance,
  integer,
  list,
  milliseconds,
  object,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Problem,
  type Settled,
  text,
} from '../options/index.ts'
import { countedKinds } from '../usage/counted-kinds.ts'
import { COMMAND_TIMEOUT_MS } from './client.ts'
import { redisOptionsFromUrl, type RedisTarget } from './redis-url.ts'
import type { WaitReplicas } from './run-script.ts'

/** What {@link redisStore} is told. Exactly one of `url`, `host`, `nodes` and `sentinels` says where Redis is. */
export interface RedisStoreOptions extends RedisTarget {
  /** As {@link redisOptionsFromUrl} reads it. */
  readonly url?: string | readonly string[]
  /**
   * Decides what is expired and what is due.
   * @defaultValue the machine's clock
   */
  readonly clock?: Clock
  /** Takes what an operator should know. @defaultValue says nothing */
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
  /**
   * Kinds of records whose bytes are counted, for `usage`.
   * @defaultValue none
   */
  readonly countedKinds?: readonly string[]
}

/** Options with nothing left open, but where Redis is and how to get in. */
export interface SettledRedisOptions
  extends Settled<RedisStoreOptions, 'url' | 'waitReplicas' | keyof RedisTarget> {
  readonly waitReplicas?: Required<WaitReplicas>
}

const MAX_ADDRESSES = 1000
const portNumber = integer(1, 65_535)

function addresses(port: number) {
  const address = object({ host: text('a host'), port: portNumber.optional(`\`${port}\``) })
  return list(address, MAX_ADDRESSES)
    .that((given) => (given.length === 0 ? 'must name at least one address' : undefined))
    .optional()
}

export const REDIS_OPTIONS: OptionsDefinition<SettledRedisOptions> = defineOptions(
  {
    url: either(text('a Redis URL'), list(text('a Redis URL'), MAX_ADDRESSES))
      .that(urlProblem)
      .optional(),
    host: text('a host').optional(),
    port: portNumber.optional('`6379`'),
    nodes: addresses(6379),
    sentinels: addresses(26_379),
    master: text('a name').optional(),
    username: text('a text', {}).optional(),
    password: text('a text', {}).optional(),
    sentinelPassword: text('a text', {}).optional(),
    db: integer(0, 99_999).optional('`0`'),
    tls: instance<NonNullable<RedisTarget['tls']>>(
      'true or the options of tls.connect',
      isTls,
    ).optional('a plain connection'),
    clock: port<Clock>(['now']).or(systemClock, "the machine's clock"),
    log: port<StoreLog>(['warn', 'error']).or(silentLog, 'says nothing'),
    waitReplicas: object({
      count: integer(1, 1000),
      timeoutMs: milliseconds(1, 1900).or(1000),
    }).optional('does not wait'),
    commandTimeoutMs: milliseconds(100, 60_000).or(COMMAND_TIMEOUT_MS),
    countedKinds,
  } satisfies OptionsFor<RedisStoreOptions>,
  { check: targetProblem },
)

/** Where Redis is, of options that are right. */
export function readTarget({ url, ...target }: SettledRedisOptions): RedisTarget {
  return url === undefined ? target : { ...target, ...redisOptionsFromUrl(url) }
}

function urlProblem(url: string | readonly string[]): Problem {
  try {
    redisOptionsFromUrl(url)
    return undefined
  } catch (error) {
    return (error as TypeError).message
  }
}

function targetProblem(settled: SettledRedisOptions): Problem {
  const { url, host, nodes, sentinels, master } = settled
  const places = [url, host, nodes, sentinels].filter((place) => place !== undefined)
  if (places.length !== 1) return 'must name one of url, host, nodes and sentinels'
  const isNameless = sentinels !== undefined && master === undefined
  return isNameless ? { master: 'is missing; sentinels know their master by a name' } : undefined
}

function isTls(value: unknown): boolean {
  return value === true || (typeof value === 'object' && value !== null && !Array.isArray(value))
}
