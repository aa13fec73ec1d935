import type { ConnectionOptions } from 'node:tls'
import { Cluster, Redis } from 'ioredis'
import { watchAnswers } from './answer-watch.ts'
import { PatientSentinels } from './patient-sentinels.ts'
import type { RedisTarget } from './redis-url.ts'

/** A connection of ioredis to one Redis, or to a Cluster. */
export type RedisClient = Redis | Cluster

const DEFAULT_PORT = 6379
const SENTINEL_PORT = 26_379
/** A command without an answer after this is lost, unless the options say otherwise. Milliseconds. */
export const COMMAND_TIMEOUT_MS = 2000
/** Between two attempts to connect: back in service at most 5 s after Redis is. */
const LONGEST_PAUSE_MS = 1000

/** How a connection deals with a Redis that is away. */
export interface Temper {
  readonly autoResendUnfulfilledCommands?: boolean
  readonly autoResubscribe?: boolean
  readonly blockingTimeout?: number
  /** After that a command is lost, and so is a connection that answered none of them. */
  readonly commandTimeout?: number
  readonly enableOfflineQueue?: boolean
  readonly maxRetriesPerRequest: number | null
  readonly retryStrategy?: (attempt: number) => number | null
  readonly socketTimeout?: number
}

/**
 * Options of a connection that fails fast: nothing is queued while Redis is away, nothing is sent twice.
 * A retry count of 0 rejects what was under way as soon as the connection breaks.
 * @see decision D6; docs/decisions/0001-redis-connection.md
 */
export function failFast(commandTimeout: number): Temper {
  return {
    autoResendUnfulfilledCommands: false,
    commandTimeout,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  }
}

/** Options of BullMQ's worker connections: it waits for Redis by itself, in blocking commands of up to 10 s. */
export const PATIENT: Temper = {
  blockingTimeout: 15_000,
  maxRetriesPerRequest: null,
  socketTimeout: 20_000,
}

/** Makes a client; it connects by itself and reconnects until it is closed. */
export function createClient(target: RedisTarget, name: string, temper: Temper): RedisClient {
  const { commandTimeout, ...own } = temper
  const shared = { ...connectionOptions(target, name, temper), ...own }
  const watch = (client: Redis): Redis => {
    leaveOnce(client)
    // By ourselves: ioredis takes a standstill of this process for one of Redis.
    if (commandTimeout !== undefined) watchAnswers(client, commandTimeout)
    return client
  }
  const { nodes, sentinels, master } = target
  if (nodes !== undefined) {
    const { enableOfflineQueue = true, ...redisOptions } = shared
    const cluster = new Cluster(
      nodes.map(({ host, port = DEFAULT_PORT }) => ({ host, port })),
      {
        clusterRetryStrategy: pause,
        enableOfflineQueue,
        redisOptions,
        // A command whose connection broke may have run: it is not sent again.
        retryDelayOnFailover: 0,
        slotsRefreshInterval: 5000,
        ...(redisOptions.tls !== undefined && {
          // Certificates name hosts, not the addresses they resolve to.
          dnsLookup: (host: string, done: (error: null, address: string) => void) =>
            done(null, host),
        }),
      },
    )
    // Nodes would connect at their first command, and refuse the others of that moment. Not before the Cluster is
    // ready, though: it asks one of them first, and would be refused.
    const connect = (node: Redis): void => {
      if (node.status === 'wait') node.connect().catch(() => {})
    }
    cluster.on('ready', () => cluster.nodes().forEach(connect))
    cluster.on('+node', (node: Redis) => {
      watch(node)
      if (cluster.status === 'ready') connect(node)
    })
    return cluster
  }
  if (sentinels !== undefined) {
    const client = new Redis({
      ...shared,
      Connector: PatientSentinels,
      sentinels: sentinels.map(({ host, port = SENTINEL_PORT }) => ({ host, port })),
      name: master ?? '',
      sentinelRetryStrategy: pause,
      // A sentinel that does not answer is no reason to wait for: the next one is asked.
      sentinelCommandTimeout: shared.connectTimeout,
      failoverDetector: true,
      ...(target.sentinelPassword !== undefined && { sentinelPassword: target.sentinelPassword }),
      ...(shared.tls !== undefined && { enableTLSForSentinelMode: true, sentinelTLS: shared.tls }),
    })
    return watch(client)
  }
  const { host = '127.0.0.1', port = DEFAULT_PORT } = target
  return watch(new Redis({ ...shared, host, port }))
}

/** Resolves at the first connection, or when there will be none. */
export async function connected(client: RedisClient): Promise<void> {
  await new Promise<void>((resolve) => {
    client.once('ready', resolve)
    client.once('end', resolve)
  })
  if (client instanceof Cluster) {
    await Promise.all(client.nodes('master').map((node) => whenReady(node)))
  }
}

async function whenReady(node: Redis): Promise<void> {
  if (node.status === 'ready') return
  await new Promise<void>((resolve) => {
    node.once('ready', resolve)
    node.once('end', resolve)
  })
}

interface ConnectionBasics {
  readonly connectionName: string
  readonly connectTimeout: number
  readonly disconnectTimeout: number
  readonly keepAlive: number
  readonly maxLoadingRetryTime: number
  readonly reconnectOnError: (error: Error) => boolean
  readonly retryStrategy: (attempt: number) => number | null
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: ConnectionOptions
}

function connectionOptions(
  target: RedisTarget,
  name: string,
  { commandTimeout = COMMAND_TIMEOUT_MS }: Temper,
): ConnectionBasics {
  const { username, password, db, tls } = target
  return {
    connectionName: `svc-${name}`,
    connectTimeout: commandTimeout,
    disconnectTimeout: 500,
    keepAlive: 10_000,
    maxLoadingRetryTime: 500,
    reconnectOnError: isDemoted,
    retryStrategy: pause,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(db !== undefined && { db }),
    ...(tls !== undefined && { tls: tls === true ? {} : tls }),
  }
}

function pause(attempt: number): number {
  return Math.min(LONGEST_PAUSE_MS, 25 * 2 ** Math.min(attempt, 10))
}

/** A master that became a replica: reconnecting finds the new one. */
function isDemoted(error: Error): boolean {
  return error.message.startsWith('READONLY')
}

/** Each refused write of a burst would leave the same connection, and leave something behind at it. */
function leaveOnce(client: Redis): void {
  const disconnect = client.disconnect.bind(client)
  client.disconnect = (isToReconnect = false) => {
    const isLeaving = client.stream?.writableEnded ?? false
    if (!isToReconnect || !isLeaving) disconnect(isToReconnect)
  }
}

/** A connection for subscriptions; it never reconnects by itself, since only its owner knows what was lost. */
export type SubscriberClient = Redis

/** Makes a subscriber's connection; in a Cluster to any known node, since every node hears every message. */
export function createSubscriberClient(
  target: RedisTarget,
  known: RedisClient,
  commandTimeout: number,
): SubscriberClient {
  const temper: Temper = {
    ...failFast(commandTimeout),
    autoResubscribe: false,
    retryStrategy: () => null,
  }
  if (target.nodes === undefined) {
    const client = createClient(target, 'bus', temper)
    if (client instanceof Redis) return client
  }
  const nodes = 'nodes' in known ? known.nodes().map(({ options: node }) => node) : []
  const all = nodes.length > 0 ? nodes : (target.nodes ?? [])
  const node = all[Math.floor(Math.random() * all.length)]
  const { commandTimeout: _, ...own } = temper
  const client = new Redis({
    ...connectionOptions(target, 'bus', temper),
    ...own,
    host: node?.host ?? '127.0.0.1',
    port: node?.port ?? DEFAULT_PORT,
  })
  watchAnswers(client, commandTimeout)
  return client
}
