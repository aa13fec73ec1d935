import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type AppManifest, createOAuth } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import { createRealtime } from '@svc/realtime'
import { redisStore } from '@svc/store/redis'

/** What the harness asks this process. */
export type RealtimeRequest =
  /** Answers a token for each host. */
  | { readonly ask: 'create'; readonly hosts: readonly string[] }
  /** Looks instances up that another process created. */
  | { readonly ask: 'know'; readonly hosts: readonly string[] }
  /** Events on all known instances, evenly over the time; the document says when each was published. */
  | { readonly ask: 'publish'; readonly perInstance: number; readonly overMs: number }
  | { readonly ask: 'memory' }
  | { readonly ask: 'stats' }

const EVENT_TYPE = 'io.svc.files'
/** The session every connection belongs to. */
const SESSION = 'bench'

const APP: AppManifest = {
  slug: 'bench',
  name: 'Bench',
  permissions: { files: { type: EVENT_TYPE } },
  routes: {},
}
const MANY = 1_000_000

// The websocket in a process of its own: `realtime-server.ts <redis url>`.
const [url = ''] = process.argv.slice(2)
const store = redisStore({ url })
const oauth = createOAuth({
  store,
  keys: [{ kid: 'bench', key: Buffer.alloc(32, 7) }],
  apps: {
    available: async () => undefined,
    installed: async () => APP,
    listInstalled: async () => [APP],
  },
})
oauth.useSessions({ current: async () => ({ id: SESSION, kind: 'normal', createdAt: 0 }) })
const realtime = createRealtime({
  oauth,
  lifetimes: { shutdown: 0 },
  // Everybody here has the same address.
  limits: { addressConnections: MANY, instanceConnections: MANY, pendingConnections: MANY },
})
const server = http.createServer((_, response) => response.end())
realtime.attach(server)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // What the flag defines.
const instances: Instance[] = []

process.on('message', (request: RealtimeRequest) => {
  answer(request).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => process.exit())
process.send?.({ port: (server.address() as AddressInfo).port }) // A TCP server's address.

async function answer(request: RealtimeRequest): Promise<unknown> {
  if (request.ask === 'create') return create(request.hosts)
  if (request.ask === 'know') return know(request.hosts)
  if (request.ask === 'publish') return publish(request.perInstance, request.overMs)
  if (request.ask === 'memory') return readMemory()
  return realtime.stats()
}

async function create(hosts: readonly string[]): Promise<readonly string[]> {
  const tokens: string[] = []
  for (const domain of hosts) {
    const instance = await oauth.instances.create({ domain })
    instances.push(instance)
    tokens.push(await oauth.appTokens.issue(instance, APP, SESSION))
  }
  return tokens
}

async function know(hosts: readonly string[]): Promise<true> {
  instances.length = 0
  for (const host of hosts) {
    const instance = await oauth.instances.byHost(host)
    if (instance === undefined) throw new Error(`nobody created ${host}`)
    instances.push(instance)
  }
  return true
}

async function publish(perInstance: number, overMs: number): Promise<true> {
  const count = perInstance * instances.length
  const startedAt = performance.now()
  const told: Promise<void>[] = []
  for (let i = 0; i < count; i += 1) {
    await sleep(Math.max(0, startedAt + (i * overMs) / count - performance.now()))
    const instance = instances[i % instances.length]
    if (instance === undefined) continue
    // The one clock that all processes of a machine share.
    const doc = { at: String(process.hrtime.bigint()), name: 'a document of some size'.repeat(10) }
    told.push(realtime.publish(instance, 'UPDATED', { type: EVENT_TYPE, id: `${i}`, doc }))
  }
  await Promise.all(told)
  return true
}

async function readMemory(): Promise<{ readonly rss: number; readonly used: number }> {
  for (let i = 0; i < 3; i += 1) {
    collectGarbage()
    await sleep(50)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, used: heapUsed + external }
}
