import http from 'node:http'
import { type AppManifest, createOAuth, type KonnectorManifest, type OAuth } from '@svc/oauth-core'
import { createRateLimits, type Instance, type RouteRow } from '@svc/platform'
import type { Store } from '@svc/store'
import {
  afterTest,
  fakeClock,
  type FakeClock,
  listen,
  recordStatuses,
  requestLoopback,
  type RouteStatuses,
} from '@svc/testkit'
import { expect } from 'chai'
import Koa from 'koa'
import { postInternal } from '../../src/intake/post-internal.ts'
import type { PostServices } from '../../src/intake/post-notification.ts'
import { createPosting } from '../../src/intake/posting.ts'
import { removeQueues } from '../../src/intake/source-queue.ts'
import { catalogueOf } from '../../src/mail/catalogue.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../../src/lifetimes.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { InternalNotification } from '../../src/notify.ts'
import { NotifyError } from '../../src/notify-error.ts'
import { createOutbox, type Outbox } from '../../src/outbox/outbox.ts'
import type { NotificationRecord } from '../../src/outbox/notification.ts'
import { bindNotifyRoutes, posterRoutes } from '../../src/routes.ts'
import { registerClient } from './register-client.ts'

export const DOMAIN = 'alice.example.com'

/** An app with one category of each kind. */
export const BANK: AppManifest = {
  slug: 'bank',
  name: 'Bank',
  permissions: {},
  routes: {},
  notifications: {
    plain: {},
    balance: { stateful: true, multiple: true, collapsible: true, default_priority: 'high' },
    slow: { stateful: true, min_interval: '1h' },
    bills: { multiple: true, templates: { mail: 'file:./bills.tpl' }, time_to_live: '2h' },
    secret: { sensitive: true },
    broken: { multiple: 'yes' },
  },
}

export type Notifying = KonnectorManifest & {
  readonly notifications?: Readonly<Record<string, unknown>>
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** Of a 201 or 200. */
  readonly data: {
    readonly type: string
    readonly id: string
    readonly meta: { readonly rev: string; readonly skipped?: string }
    readonly links: { readonly self: string }
    readonly attributes: Readonly<Record<string, unknown>>
  }
  /** Of a refusal. */
  readonly errors: readonly {
    readonly status: string
    readonly title: string
    readonly code: string
    readonly detail?: string
    readonly source?: { readonly pointer?: string }
  }[]
}

export interface Asking {
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

/** The intake on a real server, nothing delivers. */
export interface IntakeServer {
  readonly oauth: OAuth
  readonly outbox: Outbox
  readonly intake: {
    readonly rows: readonly RouteRow[]
    post(instance: Instance, notification: InternalNotification): Promise<NotificationRecord>
    forget(instance: Instance): Promise<void>
  }
  readonly store: Store
  readonly clock: FakeClock
  readonly instance: Instance
  readonly apps: Map<string, AppManifest>
  readonly konnectors: Map<string, Notifying>
  readonly logged: readonly string[]
  readonly statuses: RouteStatuses
  send(method: string, target: string, asking?: Asking): Promise<Answer>
  /** `POST /notifications`. */
  post(
    headers: http.OutgoingHttpHeaders,
    attributes: Readonly<Record<string, unknown>>,
    more?: http.OutgoingHttpHeaders,
  ): Promise<Answer>
  /** Headers of a logged-in owner's app. */
  app(slug?: string): Promise<http.OutgoingHttpHeaders>
  konnector(slug?: string): Promise<http.OutgoingHttpHeaders>
  /** Headers of a new client. */
  client(
    scope: string,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly headers: http.OutgoingHttpHeaders }>
  /** Every stored notification of the source owner. */
  records(originator?: string, owner?: string): Promise<readonly NotificationRecord[]>
  /** Stores a change as the engine would. */
  change(id: string, fields: Partial<NotificationRecord>): Promise<void>
}

export interface IntakeServerOptions {
  readonly lifetimes?: Lifetimes
  readonly maxUnfinished?: number
  readonly sourcePrefix?: string
  readonly store: (clock: FakeClock) => Promise<Store>
  readonly clock?: FakeClock
  readonly limits?: Partial<typeof DEFAULT_LIMITS>
  /** Another process of the same store and instance. */
  readonly sameAs?: IntakeServer
  /** Around the real one. */
  readonly wrapOutbox?: (outbox: Outbox) => Outbox
  readonly timeZone?: string
  readonly locale?: string
  readonly namespace?: string
}

export async function startIntake(options: IntakeServerOptions): Promise<IntakeServer> {
  const { sameAs, namespace, timeZone, locale, lifetimes = DEFAULT_LIFETIMES } = options
  const clock = options.clock ?? sameAs?.clock ?? fakeClock()
  const store = await options.store(clock)
  const apps = sameAs?.apps ?? new Map([['bank', BANK]])
  const konnectors =
    sameAs?.konnectors ??
    new Map<string, Notifying>([
      ['bills', { slug: 'bills', permissions: {}, notifications: { due: { stateful: true } } }],
    ])
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const oauth = createOAuth({
    store,
    clock,
    log,
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async (_, slug) => apps.get(slug),
      listInstalled: async () => [...apps.values()],
      available: async (_, slug) => apps.get(slug) ?? { ...BANK, slug },
    },
    konnectors: { installed: async (_, slug) => konnectors.get(slug) },
    ...(namespace !== undefined && { namespace }),
  })
  oauth.useSessions({
    current: async ({ headers }) =>
      headers.cookie === 'session=owner'
        ? { id: 'owner', kind: 'normal', createdAt: 0 }
        : undefined,
  })
  const instance =
    sameAs?.instance ??
    (await oauth.instances.create({
      domain: DOMAIN,
      ...(timeZone !== undefined && { timeZone }),
      ...(locale !== undefined && { locale }),
    }))
  const inner = createOutbox({ store, clock, lifetimes, log })
  const outbox = options.wrapOutbox?.(inner) ?? inner
  const limits = createRateLimits({
    store,
    clock,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    tooMany: (_, retryAfterS) => new NotifyError('rate_limited', { retryAfterS }),
  })
  const { maxUnfinished = 200, sourcePrefix = 'svc' } = options
  const services: PostServices = {
    oauth,
    store,
    clock,
    hostChannels: [],
    log,
    outbox,
    lifetimes,
    namespace: oauth.namespace,
    apps: { konnector: async (_, slug) => konnectors.get(slug) },
    posting: createPosting({ limits, maxUnfinished, sourcePrefix }),
  }
  const intake: IntakeServer['intake'] = {
    rows: bindNotifyRoutes(posterRoutes, services),
    post: (to, notification) => postInternal({ ...services, catalogueOf }, to, notification),
    forget: (gone) => removeQueues(services, gone),
  }
  const statuses = recordStatuses()
  const koa = new Koa()
  koa.silent = true
  // The testkit knows no Koa.
  koa.use(statuses.middleware as Koa.Middleware)
  koa.use(oauth.resolveInstance())
  koa.use(oauth.mount(intake.rows))
  const server = await listen(koa)
  const agent = new http.Agent()
  afterTest(async () => {
    agent.destroy()
    await server.close()
    await oauth.close()
    expect(statuses.undeclared(), 'answers that no row declares').to.deep.equal([])
  })

  const self: IntakeServer = {
    oauth,
    outbox,
    intake,
    store,
    clock,
    instance,
    apps,
    konnectors,
    logged,
    statuses,
    async send(method, target, { headers = {}, body } = {}) {
      const answer = await requestLoopback({ port: server.port }, agent, {
        method,
        headers,
        url: new URL(target, instance.origin),
        ...(body !== undefined && { body }),
      })
      const text = answer.body.toString()
      const json = text === '' ? {} : (JSON.parse(text) as object)
      return { status: answer.status, headers: answer.headers, text, ...json } as Answer
    },
    post: (headers, attributes, more = {}) =>
      self.send('POST', '/notifications', {
        headers: { 'content-type': 'application/vnd.api+json', ...headers, ...more },
        body: JSON.stringify({ data: { type: 'io.svc.notifications', attributes } }),
      }),
    async app(slug = 'bank') {
      const manifest = apps.get(slug) ?? { ...BANK, slug }
      const token = await oauth.appTokens.issue(instance, manifest, 'owner')
      return { cookie: 'session=owner', authorization: `Bearer ${token}` }
    },
    async konnector(slug = 'bills') {
      const token = await oauth.konnectorTokens.issue(instance, slug)
      return { authorization: `Bearer ${token}` }
    },
    async client(scope, metadata = {}) {
      const id = await registerClient(oauth, instance, metadata)
      if (scope === '*') await oauth.clients.setFlagship(instance, id, true)
      const tokens =
        scope === '*'
          ? await oauth.clients.issueFlagshipTokens(instance, id)
          : await oauth.clients.issueTokens(instance, id, scope)
      return { id, headers: { authorization: `Bearer ${tokens?.access_token}` } }
    },
    async records(originator = 'app', owner = 'bank') {
      const all: NotificationRecord[] = []
      for (let cursor: string | undefined; ; ) {
        const request = cursor === undefined ? {} : { cursor }
        const page = await outbox.listByOwner(instance.id, { originator, owner }, request)
        all.push(...page.notifications.map(({ record }) => record))
        if (page.cursor === undefined) return all
        cursor = page.cursor
      }
    },
    async change(id, fields) {
      const stored = await outbox.get(instance.id, id)
      if (stored === undefined) throw new Error(`no notification ${id}`)
      await outbox.update(stored, { ...stored.record, ...fields })
    },
  }
  return self
}
