import { Cluster, type Redis } from 'ioredis'
import { type Clock, systemClock } from '../clock.ts'
import { settledWithin } from '../settled-within.ts'
import { StoreUnavailableError } from '../store.ts'
import { connected, createClient, failFast } from './client.ts'
import { redisOptionsFromUrl, type RedisTarget } from './redis-url.ts'

/** What {@link probeRedis} is told. */
export interface ProbeRedisOptions {
  /** As {@link redisOptionsFromUrl} reads it. */
  readonly url: string | readonly string[]
  /** How long a Redis that is down is asked again. Milliseconds. @defaultValue `2_000` */
  readonly waitMs?: number
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
}

/** One Redis that takes writes. What it does not let us ask is undefined. */
export interface RedisNodeFacts {
  readonly product: 'Redis' | 'Valkey'
  /** Such as `7.0.15`. */
  readonly version?: string
  readonly appendonly?: boolean
  readonly appendfsync?: string
  readonly maxmemoryPolicy?: string
  readonly minReplicasToWrite?: number
}

/** How a Redis, or each master of a Cluster, is set up. */
export interface RedisFacts {
  readonly nodes: readonly RedisNodeFacts[]
  /** How far its clock is ahead of ours. Milliseconds; undefined when it does not say. */
  readonly aheadMs?: number
  /** Commands that the store cannot do without and that this service does not know. */
  readonly missing: readonly string[]
  /** Of these commands those that it knows and does not let our user run. @defaultValue none */
  readonly forbidden?: readonly string[]
  /** Of a Cluster: how many of its 16,384 slots have a master that is up. */
  readonly servedSlots?: number
}

/** Of every Redis Cluster. */
const CLUSTER_SLOTS = 16_384

/** How long one question may take. Milliseconds. */
const ANSWER_MS = 2000
/** Of no script; 40 digits. */
const NO_SCRIPT = '0'.repeat(40)
const CHANNEL = 'svc:probe'
const UNKNOWN_COMMAND = /unknown (?:sub)?command/i
const FORBIDDEN_COMMAND = /^NOPERM .* to run the /
const SETTINGS = ['appendonly', 'appendfsync', 'maxmemory-policy', 'min-replicas-to-write']

/**
 * Asks how Redis is set up, on a connection of its own. Nothing is written.
 * @throws StoreUnavailableError when it cannot be reached in time, naming where it was looked for
 * @throws TypeError when the URL is malformed
 */
export async function probeRedis(options: ProbeRedisOptions): Promise<RedisFacts> {
  const { clock = systemClock, waitMs = ANSWER_MS } = options
  const target = redisOptionsFromUrl(options.url)
  const client = createClient(target, 'probe', failFast(ANSWER_MS))
  let lastError: Error | undefined
  client.on('error', (error: Error) => {
    lastError = error
  })
  try {
    if (!(await settledWithin(connected(client), waitMs))) {
      const { lastNodeError } = (lastError ?? {}) as { lastNodeError?: Error } // Of a Cluster.
      if (FORBIDDEN_COMMAND.test(lastNodeError?.message ?? '')) {
        return { nodes: [], missing: [], forbidden: ['CLUSTER'] }
      }
      const reason = (await reasonOfCluster(target)) ?? lastError?.message ?? 'there is no answer'
      throw new StoreUnavailableError(
        `Redis at ${placeOf(target)} cannot be reached, ${Math.round(waitMs / 1000)} s long: ${reason}`,
        { cause: lastError },
      )
    }
    const masters = client instanceof Cluster ? client.nodes('master') : [client]
    const aheadMs = await clockAhead(masters[0], clock)
    const served =
      client instanceof Cluster && masters[0] !== undefined
        ? await servedSlots(masters[0])
        : undefined
    return {
      nodes: await Promise.all(masters.map(readNode)),
      ...(aheadMs !== undefined && { aheadMs }),
      ...(masters[0] === undefined ? { missing: [] } : await unusableCommands(masters[0])),
      ...(served !== undefined && { servedSlots: served }),
    }
  } finally {
    client.disconnect()
  }
}

/** Without user or password. */
function placeOf({ host, port, nodes, sentinels }: RedisTarget): string {
  const places = nodes ?? sentinels ?? [{ host: host ?? '127.0.0.1', port: port ?? 6379 }]
  return places
    .map((each) => `${each.host}${each.port === undefined ? '' : `:${each.port}`}`)
    .join(', ')
}

/** What its nodes say about a Cluster that does not get ready; undefined when that is not the reason. */
async function reasonOfCluster(target: RedisTarget): Promise<string | undefined> {
  const { nodes = [], ...shared } = target
  for (const { host, port } of nodes) {
    const address = port === undefined ? { host } : { host, port }
    const node = createClient({ ...shared, ...address }, 'probe', failFast(ANSWER_MS))
    node.on('error', () => {})
    try {
      if (node instanceof Cluster || !(await settledWithin(connected(node), ANSWER_MS))) continue
      const served = await servedSlots(node)
      if (served === undefined || served === CLUSTER_SLOTS) continue
      return `the Cluster serves ${served} of its ${CLUSTER_SLOTS} slots`
    } finally {
      node.disconnect()
    }
  }
  return undefined
}

/** Undefined when the node does not say. */
async function servedSlots(node: Redis): Promise<number | undefined> {
  const info = await node.cluster('INFO').catch(() => '')
  const served = /^cluster_slots_ok:(\d+)/m.exec(String(info))?.[1]
  return served === undefined ? undefined : Number(served)
}

async function readNode(node: Redis): Promise<RedisNodeFacts> {
  const server = await infoOf(node, 'server')
  const settings = await settingsOf(node)
  const isValkey = server.has('valkey_version')
  const version = server.get(isValkey ? 'valkey_version' : 'redis_version')
  const minReplicas = settings.get('min-replicas-to-write')
  const appendonly =
    settings.get('appendonly') ?? ONOFF.get((await infoOf(node, 'persistence')).get('aof_enabled'))
  const maxmemoryPolicy =
    settings.get('maxmemory-policy') ?? (await infoOf(node, 'memory')).get('maxmemory_policy')
  const appendfsync = settings.get('appendfsync')
  return {
    product: isValkey ? 'Valkey' : 'Redis',
    ...(version !== undefined && { version }),
    ...(appendonly !== undefined && { appendonly: appendonly === 'yes' }),
    ...(appendfsync !== undefined && { appendfsync }),
    ...(maxmemoryPolicy !== undefined && { maxmemoryPolicy }),
    ...(minReplicas !== undefined && { minReplicasToWrite: Number(minReplicas) }),
  }
}

const ONOFF: ReadonlyMap<string | undefined, string> = new Map([
  ['1', 'yes'],
  ['0', 'no'],
])

/** Lines of INFO; none where it is not allowed. */
async function infoOf(node: Redis, section: string): Promise<ReadonlyMap<string, string>> {
  const text = await node.info(section).catch(() => '')
  return new Map(
    text.split('\r\n').map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1)]
    }),
  )
}

/** What CONFIG GET tells; managed services do not have it. */
async function settingsOf(node: Redis): Promise<ReadonlyMap<string, string>> {
  const settings = new Map<string, string>()
  for (const name of SETTINGS) {
    const answer = await node.config('GET', name).catch(() => [])
    const [, value] = answer as string[] // A list of a name and its value.
    if (value !== undefined) settings.set(name, value)
  }
  return settings
}

async function clockAhead(node: Redis | undefined, clock: Clock): Promise<number | undefined> {
  if (node === undefined) return undefined
  const before = clock.now()
  const [seconds, micros] = await node.time().catch(() => [])
  if (seconds === undefined || micros === undefined) return undefined
  // Half of the way there and back.
  const middle = (before + clock.now()) / 2
  return Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - middle)
}

const KEY = '{svc}:#probe'

/**
 * Everything that the store, its scripts, and BullMQ and its scripts run, with as many arguments as each needs: a command
 * with too few is refused before the access list is asked.
 */
const NEEDED: readonly (readonly [name: string, ...args: (string | number)[]])[] = [
  ['BZPOPMIN', KEY, 1],
  ['DEL', KEY],
  ['EVAL', 'return 1', 0],
  ['EVALSHA', NO_SCRIPT, 0],
  ['EXISTS', KEY],
  ['GET', KEY],
  ['HDEL', KEY, 'a'],
  ['HEXISTS', KEY, 'a'],
  ['HGET', KEY, 'a'],
  ['HGETALL', KEY],
  ['HINCRBY', KEY, 'a', 1],
  ['HLEN', KEY],
  ['HMGET', KEY, 'a'],
  ['HMSET', KEY, 'a', 1],
  ['HSET', KEY, 'a', 1],
  ['INCR', KEY],
  ['INFO'],
  ['LINDEX', KEY, 0],
  ['LLEN', KEY],
  ['LPOP', KEY],
  ['LPUSH', KEY, 'a'],
  ['LRANGE', KEY, 0, 0],
  ['LREM', KEY, 0, 'a'],
  ['LTRIM', KEY, 0, 0],
  ['MGET', KEY],
  ['PERSIST', KEY],
  ['PEXPIRE', KEY, 1],
  ['PTTL', KEY],
  ['PUBLISH', CHANNEL, ''],
  ['RPOP', KEY],
  ['RPOPLPUSH', KEY, KEY],
  ['SADD', KEY, 'a'],
  ['SCAN', 0],
  ['SCARD', KEY],
  ['SCRIPT', 'EXISTS', NO_SCRIPT],
  ['SET', KEY, 'a'],
  ['SMEMBERS', KEY],
  ['SREM', KEY, 'a'],
  ['WAIT', 0, 1],
  ['XADD', KEY, '*', 'a', 1],
  ['XTRIM', KEY, 'MAXLEN', 0],
  ['ZADD', KEY, 1, 'a'],
  ['ZCARD', KEY],
  ['ZPOPMIN', KEY],
  ['ZRANDMEMBER', KEY],
  ['ZRANGE', KEY, 0, 0],
  ['ZRANGEBYSCORE', KEY, 0, 0],
  ['ZREM', KEY, 'a'],
  ['ZREMRANGEBYRANK', KEY, 0, 0],
  ['ZREMRANGEBYSCORE', KEY, 0, 0],
  ['ZREVRANGE', KEY, 0, 0],
  ['ZREVRANGEBYSCORE', KEY, 0, 0],
  ['ZSCORE', KEY, 'a'],
]

/**
 * Commands that the node does not know, and those that it refuses. Nothing is run: a transaction that is never executed
 * checks each command as it takes it.
 * @throws StoreUnavailableError when there is no connection for it
 */
async function unusableCommands(node: Redis): Promise<{ missing: string[]; forbidden: string[] }> {
  const missing: string[] = []
  const forbidden: string[] = []
  // It never reconnects: on a second connection the commands would be run.
  const single = node.duplicate({
    commandTimeout: ANSWER_MS,
    lazyConnect: true,
    retryStrategy: () => null,
  })
  single.on('error', () => {})

  async function judge(name: string, answer: Promise<unknown>): Promise<boolean> {
    const error = await answer.then(
      () => undefined,
      (cause: Error) => cause.message,
    )
    if (error === undefined) return true
    if (UNKNOWN_COMMAND.test(error)) missing.push(name)
    // Not of a channel that is not ours.
    if (FORBIDDEN_COMMAND.test(error)) forbidden.push(name)
    return false
  }

  try {
    await single.connect()
    await judge('SUBSCRIBE', single.subscribe(CHANNEL))
    await judge('UNSUBSCRIBE', single.unsubscribe(CHANNEL))
    const { db = 0 } = single.options
    const needed = db === 0 ? NEEDED : [...NEEDED, ['SELECT', db] as const]
    if (await judge('MULTI', single.call('MULTI'))) {
      await Promise.all(needed.map(([name, ...args]) => judge(name, single.call(name, ...args))))
    }
    return { missing, forbidden }
  } catch (cause) {
    throw new StoreUnavailableError('Redis took no second connection', { cause })
  } finally {
    single.disconnect()
  }
}
