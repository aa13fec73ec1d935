import { freePort } from './free-port.ts'
import { type RedisServer, sendToRedis, startRedisServer } from './redis-server.ts'

/** A Redis Cluster of a test: masters without replicas. */
export interface RedisCluster {
  /** URL of each node. */
  readonly urls: readonly string[]
  readonly servers: readonly RedisServer[]
  stop(): Promise<void>
}

const SLOTS = 16_384
/** It takes moments. This is when waiting any longer makes no sense on the slowest machine; milliseconds. */
const COMPLETE_MS = 60_000
/** A node that only waits for its turn on a busy machine is not one that is away; milliseconds. */
const NODE_TIMEOUT_MS = 15_000

/**
 * Starts a Cluster of masters on loopback that share the slots evenly.
 * @throws Error when it is not complete within a minute
 */
export async function startRedisCluster(size = 2): Promise<RedisCluster> {
  const servers: RedisServer[] = []
  for (let node = 0; node < size; node++) {
    const busPort = await freePort()
    servers.push(
      await startRedisServer({
        args: [
          '--cluster-enabled',
          'yes',
          '--cluster-port',
          String(busPort),
          '--cluster-node-timeout',
          String(NODE_TIMEOUT_MS),
        ],
      }),
    )
    const first = Math.floor((SLOTS * node) / size)
    const last = Math.floor((SLOTS * (node + 1)) / size) - 1
    const { port } = servers[node] ?? { port: 0 }
    await sendToRedis(port, `CLUSTER ADDSLOTSRANGE ${first} ${last}`)
    if (node > 0) {
      await sendToRedis(servers[0]?.port ?? 0, `CLUSTER MEET 127.0.0.1 ${port} ${busPort}`)
    }
  }
  const deadline = performance.now() + COMPLETE_MS
  for (const { port } of servers) {
    while (!(await isComplete(port, size))) {
      if (performance.now() > deadline) throw new Error('the Redis Cluster is not complete')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return {
    urls: servers.map(({ url }) => url),
    servers,
    async stop() {
      for (const server of servers) await server.stop()
    },
  }
}

async function isComplete(port: number, size: number): Promise<boolean> {
  const info = await sendToRedis(port, 'CLUSTER INFO')
  return info.includes('cluster_state:ok') && info.includes(`cluster_size:${size}`)
}
