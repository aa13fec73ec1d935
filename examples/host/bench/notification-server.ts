import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNotify, DEFAULT_LIMITS, type MailTransport } from '@svc/notify'
import { type AppManifest, createOAuth } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import Koa from 'koa'

/** What the harness asks this process. */
export type NotificationRequest =
  /** Answers a token of the app for each host. */
  | { readonly ask: 'create'; readonly hosts: readonly string[] }
  /** What was handed over since the last time, by host. */
  | { readonly ask: 'deliveries' }
  /** A mail of the second step; answers milliseconds. */
  | { readonly ask: 'security mail'; readonly host: string }
  /** Notifications for a month from now. */
  | { readonly ask: 'schedule'; readonly count: number }
  | { readonly ask: 'idle'; readonly forMs: number }

/** How much the process holds and does while nobody asks anything. */
export interface IdleFigures {
  /** Bytes in use, garbage collected. */
  readonly used: number
  /** Milliseconds of processor time. */
  readonly cpuMs: number
}

const SESSION = 'bench'
const MONTH_MS = 30 * 86_400_000
/** What an SMTP server nearby takes. */
const HAND_OVER_MS = 20
const MANY = 1_000_000_000
const APP: AppManifest = {
  slug: 'bench',
  name: 'Bench',
  permissions: {},
  routes: {},
  notifications: { plain: {} },
}

// The package on one SQLite file in a process of its own: `notification-server.ts <file>`.
const [file = ''] = process.argv.slice(2)
const store = sqliteStore({ file })
const oauth = createOAuth({
  store,
  keys: [{ kid: 'bench', key: Buffer.alloc(32, 7) }],
  log: { info: () => {}, warn: () => {}, error: (event) => console.error(event) },
  apps: {
    available: async () => undefined,
    installed: async () => APP,
    listInstalled: async () => [APP],
  },
})
oauth.useSessions({ current: async () => ({ id: SESSION, kind: 'normal', createdAt: 0 }) })
const delays = new Map<string, number[]>()
const transport: MailTransport = {
  async send({ domain, subject }) {
    await sleep(HAND_OVER_MS)
    const postedAt = /^at (\d+)$/.exec(subject)?.[1]
    if (postedAt === undefined) return
    const known = delays.get(domain) ?? []
    delays.set(domain, known)
    known.push(Number(process.hrtime.bigint() - BigInt(postedAt)) / 1e6)
  },
}
const notify = createNotify({
  oauth,
  channels: { mail: { transport } },
  maxUnfinished: 1_000_000,
  limits: Object.fromEntries(
    Object.entries(DEFAULT_LIMITS).map(([name, { windowMs }]) => [name, { limit: MANY, windowMs }]),
  ),
})
const koa = new Koa()
koa.use(oauth.resolveInstance())
koa.use(notify.routes({ pages: { notice: async () => {} } }))
const server = http.createServer(koa.callback())
await oauth.start()
await notify.start()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // What the flag defines.
const instances = new Map<string, Instance>()

process.on('message', (request: NotificationRequest) => {
  answer(request).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => process.exit())
process.send?.({ port: (server.address() as AddressInfo).port }) // A TCP server's address.

async function answer(request: NotificationRequest): Promise<unknown> {
  if (request.ask === 'create') return create(request.hosts)
  if (request.ask === 'deliveries') {
    const taken = Object.fromEntries(delays)
    delays.clear()
    return taken
  }
  if (request.ask === 'security mail') return sendSecurityMail(request.host)
  if (request.ask === 'schedule') return schedule(request.count)
  return idle(request.forMs)
}

async function create(hosts: readonly string[]): Promise<readonly string[]> {
  const tokens: string[] = []
  for (const domain of hosts) {
    const instance = await oauth.instances.create({ domain, email: 'owner@mail.example' })
    instances.set(domain, instance)
    tokens.push(await oauth.appTokens.issue(instance, APP, SESSION))
  }
  return tokens
}

async function sendSecurityMail(host: string): Promise<number> {
  const startedAt = performance.now()
  await notify.mailer.send(instanceOf(host), {
    template: 'two_factor',
    variables: {
      passcode: '123456',
      purpose: 'login',
      minutes: 5,
      time: Date.now(),
      address: '127.0.0.1',
    },
  })
  return performance.now() - startedAt
}

async function schedule(count: number): Promise<true> {
  const all = [...instances.values()]
  const at = new Date(Date.now() + MONTH_MS).toISOString()
  const shared = { originator: 'cli', category: 'later', title: 'Later', at } as const
  for (let done = 0; done < count; done += 50) {
    const some = Array.from(
      { length: Math.min(50, count - done) },
      (_, i) => notify.post(all[(done + i) % all.length] as Instance, shared), // There are some.
    )
    await Promise.all(some)
  }
  return true
}

async function idle(forMs: number): Promise<IdleFigures> {
  for (let i = 0; i < 3; i += 1) {
    collectGarbage()
    await sleep(50)
  }
  const { heapUsed, external } = process.memoryUsage()
  const before = process.cpuUsage()
  await sleep(forMs)
  const { user, system } = process.cpuUsage(before)
  return { used: heapUsed + external, cpuMs: (user + system) / 1000 }
}

function instanceOf(host: string): Instance {
  const instance = instances.get(host)
  if (instance === undefined) throw new Error(`nobody created ${host}`)
  return instance
}
