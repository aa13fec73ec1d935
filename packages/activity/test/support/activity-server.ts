import { randomBytes } from 'node:crypto'
import {
  type ActivityEvent,
  createPlatform,
  type Instance,
  RequestError,
  type SealingKey,
} from '@svc/platform'
import { type Clock, recordKey, type Store, systemClock } from '@svc/store'
import {
  type Listening,
  listen,
  loopbackFetch,
  type OpenStore,
  recordStatuses,
  type RouteStatuses,
} from '@svc/testkit'
import Koa from 'koa'
import { afterEach } from 'mocha'
import { type ActivityOptions, createActivity } from '../../src/index.ts'

const SILENT = { info: () => {}, warn: () => {}, error: () => {} }

export const CONFIRMED = { confirmation_code: 'good', confirmation_state: 'state' }

/** A server with nothing but the record of activity, real but for who the owner is. */
export type ActivityServer = Awaited<ReturnType<typeof startActivity>>

interface CallOptions {
  readonly token?: string
  readonly body?: unknown
  readonly text?: string
  readonly type?: string
}

interface SameHost {
  readonly store: Store
  readonly alice: Instance
  readonly keys: readonly SealingKey[]
}

export interface ServerOptions extends Partial<Omit<ActivityOptions, 'clock'>> {
  readonly store: Store
  readonly clock?: Clock
  /** What several servers of a suite answered. */
  readonly statuses?: RouteStatuses
  /** Another process of the same host. */
  readonly sameAs?: SameHost
}

export async function startActivity(options: ServerOptions) {
  const { store, clock = systemClock, sameAs, statuses = recordStatuses(), ...rest } = options
  const keys = sameAs?.keys ?? [{ kid: 'k1', key: randomBytes(32) }]
  const platform = createPlatform({
    store,
    keys,
    clock,
    namespace: 'io.svc',
    subdomains: 'nested',
    isHttps: () => false,
    trustProxy: 0,
    instanceCacheSize: 10,
    log: SILENT,
  })
  const activity = createActivity({
    platform,
    owners: {
      async requireSettingsApp(ctx) {
        const token = ctx.get('Authorization')
        if (token === '') throw httpError(401, 'missing_token')
        if (token !== 'Bearer settings') throw httpError(403, 'forbidden')
      },
      isConfirmed: async (_instance, { code }) => code === 'good',
      rightsInWords: async (_instance, scope) => [`words of ${scope}`],
      kindInWords: (_instance, type) => `words of ${type}`,
    },
    ...rest,
  })
  const alice = sameAs?.alice ?? (await platform.instances.create({ domain: 'alice.localhost' }))
  const app = new Koa()
  app.silent = true
  app.use(statuses.middleware)
  app.use(platform.resolveInstance())
  app.use(activity.routes())
  app.use(() => {
    throw new RequestError('invalid_request')
  })
  const server: Listening = await listen(app)
  const send = loopbackFetch({ port: server.port })
  let acts = 0

  return {
    platform,
    activity,
    store,
    alice,
    keys,
    /** An action of the owner: a record of its own, and its entry, in one write. */
    async act(event: Partial<ActivityEvent> = {}): Promise<void> {
      acts += 1
      const id = `${process.pid}-${acts}-${randomBytes(4).toString('hex')}`
      const whole = { event: 'hint.changed', actor: { kind: 'owner' }, ...event } as const
      const result = await store.write([
        { op: 'put', key: recordKey(alice.id, 'done', id), value: {}, ifAbsent: true },
        ...platform.activity.pending(alice, whole),
      ])
      if (!result.written) throw new Error('the action did not happen')
    },
    call: (
      method: string,
      path: string,
      { token = 'settings', body, text, type = 'application/json' }: CallOptions = {},
    ) =>
      send(`http://alice.localhost${path}`, {
        method,
        headers: {
          ...(token !== '' && { Authorization: `Bearer ${token}` }),
          ...((body !== undefined || text !== undefined) && { 'Content-Type': type }),
        },
        ...((body !== undefined || text !== undefined) && { body: text ?? JSON.stringify(body) }),
      }),
    async close(): Promise<void> {
      await server.close()
      await activity.close()
      await platform.close()
    },
  }
}

type Start = (options?: Partial<ServerOptions>) => Promise<ActivityServer>

/** What starts the servers of a suite on an engine, closed after each test; `sameAs` shares the store of another one. */
export function serversOn(open: OpenStore, name: string, clock: () => Clock): Start {
  const servers: ActivityServer[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })
  return async (options = {}) => {
    const { sameAs } = options
    const isShared = sameAs !== undefined && name !== 'Redis'
    const store = isShared
      ? sameAs.store
      : await open({ clock: clock(), ...(sameAs && { sameAs: sameAs.store }) })
    const server = await startActivity({ store, clock: clock(), ...options })
    servers.push(server)
    return server
  }
}

function httpError(status: number, code: string): Error {
  return Object.assign(new Error(code), { status, code, expose: true })
}
