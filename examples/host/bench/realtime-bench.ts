import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { WebSocket } from 'ws'
import { type Child, startChild } from './child.ts'
import { type Figure, quantile } from './figure.ts'

export interface RealtimeBenchOptions {
  readonly subscribers: number
  /** How long events are published in each part. Milliseconds. */
  readonly overMs: number
  readonly say: (line: string) => void
}

/** How the subscribers are spread, and how many events each of them gets. */
interface Part {
  readonly name: string
  readonly instances: number
  readonly perInstance: number
}

const TARGET_MS = 100
const PARALLEL = 50
/** As in the server: what is listened to, and the session of all. */
const SUBSCRIBE = JSON.stringify({ method: 'SUBSCRIBE', payload: { type: 'io.svc.files' } })
const COOKIE = 'session=bench'
const AT = /"at":"(\d+)"/

/**
 * How long an event takes from `publish` in one process to subscribers on another: to each of them, through Redis, the
 * server's sockets and the client's own parsing. All processes share the machine.
 */
export async function benchRealtime(options: RealtimeBenchOptions): Promise<readonly Figure[]> {
  if (!hasRedisServer()) return []
  const { subscribers, overMs, say } = options
  const parts: readonly Part[] = [
    {
      name: `${subscribers / 100} instances of 100`,
      instances: subscribers / 100,
      perInstance: 10,
    },
    { name: `1 instance of ${subscribers}`, instances: 1, perInstance: 20 },
  ]
  const redis = await startRedisServer()
  const children: Child[] = []
  try {
    for (let i = 0; i < 2; i += 1)
      children.push(await startChild('realtime-server.ts', [redis.url]))
    const figures: Figure[] = []
    for (const part of parts) {
      // Both were started above.
      figures.push(...(await measure(part, children as [Child, Child], subscribers, overMs, say)))
    }
    return figures
  } finally {
    for (const child of children) await child.stop()
    await redis.stop()
  }
}

async function measure(
  part: Part,
  [serving, publishing]: readonly [Child, Child],
  subscribers: number,
  overMs: number,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  const hosts = Array.from(
    { length: part.instances },
    (_, i) => `i${i}of${part.instances}.example.com`,
  )
  const tokens = await serving.ask<readonly string[]>({ ask: 'create', hosts })
  await publishing.ask({ ask: 'know', hosts })
  const before = await serving.ask<{ used: number; rss: number }>({ ask: 'memory' })
  const delays: number[] = []
  const { port } = serving.hello as { port: number } // What it says first.
  const startedAt = performance.now()
  const sockets = await connectAll(port, hosts, tokens, subscribers, delays)
  await allSubscribed(serving, subscribers)
  say(`realtime: ${subscribers} connected in ${Math.round(performance.now() - startedAt)} ms`)
  const after = await serving.ask<{ used: number; rss: number }>({ ask: 'memory' })
  await publishing.ask({ ask: 'publish', perInstance: part.perInstance, overMs })
  const expected = (subscribers / part.instances) * part.perInstance * part.instances
  const deadline = performance.now() + 5000
  while (delays.length < expected && performance.now() < deadline) await sleep(10)
  for (const socket of sockets) socket.terminate()
  await allSubscribed(serving, 0)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(delays, share)) as [
    number,
    number,
    number,
  ] // As many as shares.
  const perSocket = (after.used - before.used) / subscribers / 1024
  const resident = (after.rss - before.rss) / subscribers / 1024
  say(
    `realtime: ${part.name}: ${delays.length} of ${expected} delivered, ${resident.toFixed(1)} KiB resident a socket`,
  )
  return [
    {
      name: `event across processes, ${part.name}`,
      value: `p95 ${p95.toFixed(1)} ms (p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)})`,
      reference: `${delays.length} of ${expected} arrived`,
      target: `p95 < ${TARGET_MS} ms`,
      isMet: p95 < TARGET_MS && delays.length === expected,
    },
    { name: `memory of a socket, ${part.name}`, value: `${perSocket.toFixed(1)} KiB`, isMet: true },
  ]
}

async function connectAll(
  port: number,
  hosts: readonly string[],
  tokens: readonly string[],
  count: number,
  delays: number[],
): Promise<readonly WebSocket[]> {
  const sockets: WebSocket[] = []
  let next = 0
  async function worker(): Promise<void> {
    while (next < count) {
      const index = next % hosts.length
      next += 1
      const token = String(tokens[index])
      sockets.push(await connect(port, String(hosts[index]), token, delays))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return sockets
}

function connect(port: number, host: string, token: string, delays: number[]): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/`, {
    headers: { host, cookie: COOKIE },
    perMessageDeflate: false,
  })
  socket.on('message', (data: Buffer) => {
    const at = AT.exec(data.toString())?.[1]
    if (at !== undefined) delays.push(Number(process.hrtime.bigint() - BigInt(at)) / 1e6)
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => {
      socket.send(JSON.stringify({ method: 'AUTH', payload: token }))
      socket.send(SUBSCRIBE)
      resolve(socket)
    })
  })
}

async function allSubscribed(serving: Child, count: number): Promise<void> {
  for (;;) {
    const stats = await serving.ask<{ subscriptions: number; connections: number }>({
      ask: 'stats',
    })
    if (stats.subscriptions === count && stats.connections === count) return
    await sleep(20)
  }
}
