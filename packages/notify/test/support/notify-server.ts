import type http from 'node:http'
import type { AppManifest, KonnectorManifest } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { fakeClock, type FakeClock, openMailbox } from '@svc/testkit'
import { expect } from 'chai'
import { notificationKey } from '../../src/outbox/notification-record.ts'
import {
  createNotify,
  type MailTransport,
  type NotificationChannel,
  type NoticePage,
  type NotifyOptions,
  type OutgoingPush,
  type OutgoingText,
  smtpTransport,
} from '../../src/index.ts'
import { registerClient } from './manage-client.ts'
import { type Asking, serveKoa } from './serve-koa.ts'
import { openOAuth } from './test-oauth.ts'
import { until } from './until.ts'

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

type Attributes = Readonly<Record<string, unknown>>

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

interface Published {
  readonly verb: string
  readonly type: string
  readonly id: string
  readonly doc?: Readonly<Record<string, unknown>>
}

export type NotifyServer = Awaited<ReturnType<typeof startNotify>>

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
  readonly webpush?: NonNullable<NotifyOptions['channels']['mobile']>['webpush']
  /** A test that delivers nothing. */
  readonly isIdle?: boolean
}

const closing: (() => Promise<void>)[] = []

/** For a hook of the suite that opens the stores: they are closed after it. */
export async function closeServers(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close()
}

/** The whole package on a real server with a real SMTP server behind it; pushes and texts are kept. */
export async function startNotify(options: NotifyServerOptions) {
  const {
    categories,
    custom = [],
    timeZone,
    transport,
    webpush,
    isIdle = false,
    store: open,
    ...more
  } = options
  const clock = fakeClock()
  const store = await open(clock)
  const mailbox = await openMailbox()
  const bank = { ...BANK, notifications: { ...BANK.notifications, ...categories } }
  const apps = new Map([bank, HOME, SETTINGS].map((app) => [app.slug, app]))
  const konnectors = new Map<string, KonnectorManifest & { notifications?: object }>()
  const pushes: OutgoingPush[] = []
  const texts: OutgoingText[] = []
  const events: Published[] = []
  /** Those that were shown, newest last. */
  const pages: NoticePage[] = []
  const oauth = openOAuth({ store, clock, installed: apps, konnectors })
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
        ...(webpush !== undefined && { webpush }),
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
  const routes = notify.routes({
    pages: {
      async notice(ctx, page) {
        pages.push(page)
        ctx.status = 200
        ctx.type = 'html'
        ctx.body = page.title
      },
    },
  })
  const server = await serveKoa(oauth.resolveInstance(), routes)
  const { statuses } = server
  if (!isIdle) await notify.start()
  closing.push(async () => {
    await server.close()
    await notify.close()
    await oauth.close()
    await mailbox.close()
    expect(statuses.undeclared(), 'answers that no row declares').to.deep.equal([])
  })

  async function send(method: string, target: string, asking?: Asking): Promise<JsonAnswer> {
    return (await server.send(method, new URL(target, instance.origin), asking)) as JsonAnswer
  }
  /** Headers of an app of the owner, logged in. */
  async function app(slug: 'bank' | 'home' | 'settings'): Promise<http.OutgoingHttpHeaders> {
    const manifest = apps.get(slug)
    if (manifest === undefined) throw new Error(`no app ${slug}`)
    const token = await oauth.appTokens.issue(instance, manifest, 'owner')
    return { cookie: 'session=owner', authorization: `Bearer ${token}` }
  }
  /** Answers the id. */
  async function postAs(headers: http.OutgoingHttpHeaders, attributes: Attributes) {
    const asking = { headers, json: { data: { attributes } } }
    const answer = await send('POST', '/notifications', asking)
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
    return (answer.json as unknown as { data: { id: string } }).data.id
  }
  /** The attributes of a notification of the bank. */
  async function readOne(id: string): Promise<Attributes> {
    const answer = await send('GET', `/notifications/${id}`, { headers: await app('bank') })
    return (answer.json as unknown as { data: { attributes: Attributes } }).data.attributes
  }
  return {
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
    app,
    send,
    /** Posts as the bank; answers the id. */
    post: async (attributes: Attributes) =>
      postAs(await app('bank'), { title: 'Balance', ...attributes }),
    postAs,
    /** Headers of a new client. */
    async client(scope: string, metadata: Attributes) {
      const id = await registerClient(oauth, instance, metadata)
      const tokens = await oauth.clients.issueTokens(instance, id, scope)
      return { id, headers: { authorization: `Bearer ${tokens?.access_token}` } }
    },
    /** Changes the owner's preferences. */
    async choose(attributes: unknown, meta?: unknown) {
      const headers = await app('settings')
      const json = { data: { attributes, meta } }
      return send('PATCH', '/notifications/preferences', { headers, json })
    },
    /** Waits until a notification of the bank has the status; its attributes. */
    async becomes(id: string, status: string) {
      await until(async () => (await readOne(id))['status'] === status)
      return readOne(id)
    },
    /** Resolves when the worker gave a notification to a digest; it is `queued` before, too. */
    gathered: (id: string) =>
      until(async () => {
        const stored = await store.get<{ digestId?: string }>(notificationKey(instance.id, id))
        return stored?.value.digestId !== undefined
      }),
    read: readOne,
  }
}
