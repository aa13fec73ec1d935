import {
  type AppManifest,
  type AuthorizePages,
  createOAuth,
  type OwnerSessions,
} from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import type { Bus, Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import {
  afterTest,
  type BrowserClient,
  browserClient,
  listen,
  type RelyingParty,
  relyingParty,
  timeBudget,
  scaledLimit,
} from '@svc/testkit'
import Koa from 'koa'
import { createRealtime, type RealtimeOptions } from '../../src/index.ts'
import { type ConnectOptions, connectSocket, type SocketClient } from './socket-client.ts'

export const DRIVE: AppManifest = {
  slug: 'drive',
  name: 'Drive',
  permissions: {
    files: { type: 'io.svc.files' },
    some: { type: 'io.svc.notes', verbs: ['GET'], values: ['one', 'two'] },
    write: { type: 'io.svc.logs', verbs: ['POST'] },
    picked: { type: 'io.svc.tags', verbs: ['GET'], values: ['one'], selector: 'owner' },
    below: { type: 'io.svc.bank.*' },
    clients: { type: 'io.svc.oauth.clients' },
    popup: { type: 'io.svc.accounts', verbs: ['POST'], values: ['oauth-popup'] },
  },
  routes: {},
}

export const SETTINGS: AppManifest = {
  slug: 'settings',
  name: 'Settings',
  permissions: {
    clients: { type: 'io.svc.oauth.clients', verbs: ['GET'] },
    sessions: { type: 'io.svc.sessions' },
  },
  routes: {},
}

/** Figures of a server without connections. */
export const NOTHING_OPEN = {
  connections: 0,
  subscriptions: 0,
  topics: 0,
  channels: 0,
  tracked: 0,
}

/** A server with the websocket, real but for its pages, sessions and apps. */
export type RealtimeServer = Awaited<ReturnType<typeof startRealtime>>

/** What the processes of a host share. */
interface SameHost {
  readonly store: Store
  readonly alice: Instance
  readonly bob: Instance
  readonly live: Set<string>
  readonly installed: Map<string, AppManifest>
}

export interface RealtimeServerOptions {
  readonly store: Store
  readonly clock?: { now(): number }
  /** Another process of the same host. */
  readonly sameAs?: SameHost
  readonly bus?: Bus
  /** The outermost middleware. */
  readonly observe?: unknown
  readonly realtime?: Partial<Omit<RealtimeOptions, 'oauth'>>
  readonly oauth?: Partial<Parameters<typeof createOAuth>[0]>
}

const openOn = new Map<Store, RealtimeServer[]>()

/** One on a store in memory; closed after the test, with others that are the `sameAs` of it. */
export async function testRealtime(
  options: Omit<RealtimeServerOptions, 'store'> = {},
): Promise<RealtimeServer> {
  const { sameAs, clock } = options
  const store = sameAs?.store ?? sqliteStore({ file: ':memory:', ...(clock && { clock }) })
  const server = await startRealtime({ ...options, store })
  const others = openOn.get(store)
  if (others !== undefined) {
    others.push(server)
    return server
  }
  const servers = [server]
  openOn.set(store, servers)
  afterTest(async () => {
    for (const each of servers) await each.close()
    await store.close()
  })
  return server
}

export async function startRealtime(options: RealtimeServerOptions) {
  const { store, clock, sameAs } = options
  const live = sameAs?.live ?? new Set<string>(['tab'])
  const installed = sameAs?.installed ?? new Map([DRIVE, SETTINGS].map((app) => [app.slug, app]))
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const oauth = createOAuth({
    store,
    ...(clock && { clock }),
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async () => undefined,
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    ...options.oauth,
  })
  const alice =
    sameAs?.alice ??
    (await oauth.instances.create({ domain: 'alice.example.com', aliases: ['alias.example.com'] }))
  const bob = sameAs?.bob ?? (await oauth.instances.create({ domain: 'bob.example.com' }))
  const realtime = createRealtime({
    oauth,
    ...(options.bus && { bus: options.bus }),
    ...options.realtime,
    lifetimes: {
      shutdown: 0,
      auth: timeBudget(10_000),
      publish: scaledLimit(1000),
      subscribe: scaledLimit(2000),
      ...options.realtime?.lifetimes,
    },
  })
  const sessions: OwnerSessions = {
    async current(ctx) {
      const id = ctx.cookies.get('session')
      return id !== undefined && live.has(id) ? { id, kind: 'normal', createdAt: 0 } : undefined
    },
  }
  oauth.useSessions(sessions)
  const koa = new Koa()
  koa.silent = true
  // Koa's middleware of the testkit, which knows no Koa.
  if (options.observe !== undefined) koa.use(options.observe as Koa.Middleware)
  koa.use(oauth.resolveInstance())
  koa.use(realtime.routes())
  koa.use(oauth.routes({ pages: plainPages }))
  const server = await listen(koa)
  realtime.attach(server.server)
  // What the packages subscribed to before is effective by then.
  const endLast = await store.bus.subscribe('last', () => {})
  await endLast()
  const clients: SocketClient[] = []
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    for (const client of clients) client.terminate()
    await realtime.close()
    await server.close()
    await oauth.close()
  }
  const map = { port: server.port }
  const browser = (headers: Readonly<Record<string, string>> = {}): BrowserClient =>
    browserClient({ ...map, base: alice.origin, headers })

  async function connect(how: ConnectOptions = {}): Promise<SocketClient> {
    const client = await connectSocket(server.port, how)
    clients.push(client)
    return client
  }
  /** A token of an app, in the session of the same name. */
  const appToken = (app = DRIVE, session = 'tab') => oauth.appTokens.issue(alice, app, session)
  /** A connection of the app, authenticated. */
  async function connectApp(app = DRIVE): Promise<SocketClient> {
    const client = await connect({ headers: { cookie: 'session=tab' } })
    client.send({ method: 'AUTH', payload: await appToken(app) })
    await client.settled()
    return client
  }
  /** The owner gives a client the scope. @returns its token */
  async function allow(party: RelyingParty, scope: string): Promise<string> {
    const pending = await party.authorize({ scope })
    const tab = browser({ cookie: 'session=tab' })
    const page = await tab.get(pending.url)
    const answer = await tab.submit(page.page().form('/auth/authorize'), {})
    const tokens = await party.exchange(String(answer.location), pending)
    return tokens.access_token
  }
  /** A registered client with a token of the scope. */
  async function client(scope: string) {
    const redirectUri = 'https://client.example/callback'
    const party = relyingParty({ ...map, issuer: alice.origin, redirectUri })
    await party.register({})
    return { party, token: await allow(party, scope) }
  }
  /** Publishes that a file of alice was made. */
  const tell = (id: string, doc?: Readonly<Record<string, unknown>>) =>
    realtime.publish(alice, 'CREATED', { type: 'io.svc.files', id, ...(doc && { doc }) })
  return {
    oauth,
    realtime,
    store,
    alice,
    bob,
    server,
    port: server.port,
    logged,
    /** Live sessions; a request names its own with the cookie `session`. */
    live,
    installed,
    browser,
    connect,
    appToken,
    connectApp,
    client,
    allow,
    tell,
    close: () => (closing ??= close()),
  }
}

const notAsked = (): Promise<never> => Promise.reject(new Error('not asked for'))

const plainPages: AuthorizePages = {
  async consent(ctx, { fields }) {
    const inputs = Object.entries({ csrf_token: 'x', ...fields }).map(
      ([name, value]) =>
        `<input type="hidden" name="${name}" value="${value.replaceAll('"', '&quot;')}">`,
    )
    ctx.type = 'html'
    ctx.body = `<form method="post" action="/auth/authorize">${inputs.join('')}<button>Allow</button></form>`
  },
  login: notAsked,
  outOfBand: notAsked,
  sharing: notAsked,
  certify: notAsked,
  limit: notAsked,
  deprecated: notAsked,
  async error(ctx, error) {
    ctx.body = error.code
  },
  checkCsrf() {},
}
