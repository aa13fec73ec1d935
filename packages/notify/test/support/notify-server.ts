import http from 'node:http'
import { type AppManifest, createOAuth, type KonnectorManifest, type OAuth } from '@svc/oauth-core'
import type { Instance, SealingKey } from '@svc/platform'
import type { Store } from '@svc/store'
import {
  fakeClock,
  type FakeClock,
  listen,
  type Mailbox,
  openMailbox,
  recordStatuses,
  requestLoopback,
  type RouteStatuses,
} from '@svc/testkit'
import { expect } from 'chai'
import Koa from 'koa'
import { notificationKey } from '../../src/outbox/notification-record.ts'
import {
  createNotify,
  type MailTransport,
  type NotificationChannel,
  type NoticePage,
  type Notify,
  type NotifyOptions,
  type OutgoingPush,
  type OutgoingText,
  smtpTransport,
} from '../../src/index.ts'
import { until } from './until.ts'

/** What the server seals with. */
export const SEALING_KEYS: readonly SealingKey[] = [{ kid: 'test', key: Buffer.alloc(32, 7) }]

const DOMAIN = 'alice.example.com'
const NS = 'io.svc'

/** An app that posts, with what the owner may choose about. */
const BANK: AppManifest = {
  slug: 'bank',
  name: 'Bank',
  permissions: {},
  routes: {},
  notifications: {
    balance: { description: 'The balance of an account is low' },
    bills: { description: 'A new bill' },
  },
}

/** The owner's own apps: the inbox and the settings. */
const HOME: AppManifest = {
  slug: 'home',
  name: 'Home',
  permissions: { inbox: { type: `${NS}.notifications`, verbs: ['GET', 'PATCH'] } },
  routes: {},
}
const SETTINGS: AppManifest = {
  slug: 'settings',
  name: 'Settings',
  permissions: { choices: { type: `${NS}.notifications.preferences`, verbs: ['GET', 'PATCH'] } },
  routes: {},
}

export interface JsonAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  // The test states what it expects and then asserts on it.
  readonly json: {
    readonly data?: never
    readonly errors?: readonly {
      readonly code: string
      readonly detail?: string
      readonly source?: { readonly pointer: string }
    }[]
    readonly [name: string]: unknown
  }
}

export interface Published {
  readonly verb: string
  readonly type: string
  readonly id: string
  readonly doc?: Readonly<Record<string, unknown>>
}

/** The whole package on a real server with a real SMTP server behind it; pushes and texts are kept. */
export interface NotifyServer {
  readonly oauth: OAuth
  readonly notify: Notify
  readonly clock: FakeClock
  readonly store: Store
  readonly instance: Instance
  readonly mailbox: Mailbox
  readonly pushes: readonly OutgoingPush[]
  readonly texts: readonly OutgoingText[]
  readonly events: readonly Published[]
  /** Pages that were shown, newest last. */
  readonly pages: readonly NoticePage[]
  readonly statuses: RouteStatuses
  readonly apps: Map<string, AppManifest>
  readonly konnectors: Map<string, KonnectorManifest & { readonly notifications?: object }>
  /** Headers of an app of the owner, logged in. */
  app(slug: 'bank' | 'home' | 'settings'): Promise<http.OutgoingHttpHeaders>
  send(
    method: string,
    target: string,
    asking?: {
      readonly headers?: http.OutgoingHttpHeaders
      readonly json?: unknown
      readonly body?: string
    },
  ): Promise<JsonAnswer>
  /** Posts as the bank; answers the id. */
  post(attributes: Readonly<Record<string, unknown>>): Promise<string>
  /** Resolves when the worker gave a notification to a digest; it is `queued` before, too. */
  gathered(id: string): Promise<void>
  /** The attributes of a notification of the bank. */
  read(id: string): Promise<Readonly<Record<string, unknown>>>
}

export interface NotifyServerOptions
  extends Partial<Omit<NotifyOptions, 'channels' | 'events' | 'log' | 'oauth'>> {
  readonly store: (clock: FakeClock) => Promise<Store>
  readonly timeZone?: string
  /** More categories of the bank. */
  readonly categories?: Readonly<Record<string, object>>
  /** Instead of the mailbox's. */
  readonly transport?: MailTransport
  /** Channels of the host. */
  readonly custom?: readonly NotificationChannel[]
  /** A test that delivers nothing. */
  readonly isIdle?: boolean
}

const closing: (() => Promise<void>)[] = []

/** For a hook of the suite that opens the stores: they are closed after it. */
export async function closeServers(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close()
}

export async function startNotify(options: NotifyServerOptions): Promise<NotifyServer> {
  const {
    categories,
    custom = [],
    timeZone,
    transport,
    isIdle = false,
    store: open,
    ...more
  } = options
  const clock = fakeClock()
  const store = await open(clock)
  const mailbox = await openMailbox()
  const bank = { ...BANK, notifications: { ...BANK.notifications, ...categories } }
  const apps = new Map([bank, HOME, SETTINGS].map((app) => [app.slug, app]))
  const konnectors: NotifyServer['konnectors'] = new Map()
  const pushes: OutgoingPush[] = []
  const texts: OutgoingText[] = []
  const events: Published[] = []
  const pages: NoticePage[] = []
  const oauth = createOAuth({
    store,
    clock,
    keys: SEALING_KEYS,
    apps: {
      installed: async (_, slug) => apps.get(slug),
      listInstalled: async () => [...apps.values()],
      available: async (_, slug) => apps.get(slug),
    },
    konnectors: { installed: async (_, slug) => konnectors.get(slug) },
  })
  oauth.useSessions({
    current: async ({ headers }) =>
      headers.cookie === 'session=owner'
        ? { id: 'owner', kind: 'normal', createdAt: 0 }
        : undefined,
  })
  const instance = await oauth.instances.create({
    domain: DOMAIN,
    email: 'alice@mail.example',
    publicName: 'Alice',
    ...(timeZone !== undefined && { timeZone }),
  })
  const notify = createNotify({
    ...more,
    oauth,
    channels: {
      mail: {
        transport:
          transport ?? smtpTransport({ host: '127.0.0.1', port: mailbox.port, disableTls: true }),
      },
      mobile: {
        gateway: { send: async (push) => (pushes.push(push), { class: 'sent' }) },
      },
      custom,
      sms: {
        gateway: { send: async (text) => (texts.push(text), { class: 'sent' }) },
      },
    },
    apps: {
      ...more.apps,
      konnectors: async () => [...konnectors.values()].map(({ slug }) => ({ slug })),
    },
    contacts: { contactOf: async () => ({ phone: '+33 6 12 34 56 78' }) },
    events: {
      publish: async (_, verb, event) => void events.push({ verb, ...event }),
    },
  })
  const statuses = recordStatuses()
  const koa = new Koa()
  koa.silent = true
  koa.use(statuses.middleware as Koa.Middleware) // The testkit knows no Koa.
  koa.use(oauth.resolveInstance())
  koa.use(
    notify.routes({
      pages: {
        async notice(ctx, page) {
          pages.push(page)
          ctx.status = 200
          ctx.type = 'html'
          ctx.body = page.title
        },
      },
    }),
  )
  const server = await listen(koa)
  const agent = new http.Agent()
  if (!isIdle) await notify.start()
  closing.push(async () => {
    agent.destroy()
    await server.close()
    await notify.close()
    await oauth.close()
    await mailbox.close()
    expect(statuses.undeclared(), 'answers that no row declares').to.deep.equal([])
  })

  const self: NotifyServer = {
    oauth,
    notify,
    clock,
    store,
    instance,
    mailbox,
    pushes,
    texts,
    events,
    pages,
    statuses,
    apps,
    konnectors,
    async app(slug) {
      const manifest = apps.get(slug)
      if (manifest === undefined) throw new Error(`no app ${slug}`)
      const token = await oauth.appTokens.issue(instance, manifest, 'owner')
      return { cookie: 'session=owner', authorization: `Bearer ${token}` }
    },
    async send(method, target, { headers = {}, json, body } = {}) {
      const sent = json === undefined ? body : JSON.stringify(json)
      const answer = await requestLoopback({ port: server.port }, agent, {
        method,
        url: new URL(target, instance.origin),
        headers: {
          ...(json !== undefined && { 'content-type': 'application/vnd.api+json' }),
          ...headers,
        },
        ...(sent !== undefined && { body: sent }),
      })
      const text = answer.body.toString()
      const isJson = String(answer.headers['content-type']).includes('json')
      const parsed = (isJson ? JSON.parse(text) : {}) as JsonAnswer['json']
      return { status: answer.status, headers: answer.headers, text, json: parsed }
    },
    async post(attributes) {
      const answer = await self.send('POST', '/notifications', {
        headers: await self.app('bank'),
        json: { data: { attributes: { title: 'Balance', ...attributes } } },
      })
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
      return (answer.json as unknown as { data: { id: string } }).data.id
    },
    gathered: (id) =>
      until(async () => {
        const stored = await store.get<{ digestId?: string }>(notificationKey(instance.id, id))
        return stored?.value.digestId !== undefined
      }),
    async read(id) {
      const answer = await self.send('GET', `/notifications/${id}`, {
        headers: await self.app('bank'),
      })
      return (answer.json as unknown as { data: { attributes: Record<string, unknown> } }).data
        .attributes
    },
  }
  return self
}
