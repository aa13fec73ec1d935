import type http from 'node:http'
import type { AppManifest, KonnectorManifest } from '@svc/oauth-core'
import { createRateLimits, type Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { afterTest, fakeClock, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
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
import { registerClient } from './manage-client.ts'
import { recordedLog } from './recorded-log.ts'
import { type Asking, serveKoa } from './serve-koa.ts'
import { openOAuth } from './test-oauth.ts'

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

type Attributes = Readonly<Record<string, unknown>>

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

export type IntakeServer = Awaited<ReturnType<typeof startIntake>>

export interface IntakeServerOptions {
  readonly lifetimes?: Lifetimes
  readonly maxUnfinished?: number
  readonly sourcePrefix?: string
  readonly store: (clock: FakeClock) => Promise<Store>
  readonly clock?: FakeClock
  readonly limits?: Partial<typeof DEFAULT_LIMITS>
  /** Another process of the same store and instance. */
  readonly sameAs?: {
    readonly apps: Map<string, AppManifest>
    readonly clock: FakeClock
    readonly instance: Instance
    readonly konnectors: Map<string, Notifying>
    readonly store: Store
  }
  /** Around the real one. */
  readonly wrapOutbox?: (outbox: Outbox) => Outbox
  readonly timeZone?: string
  readonly locale?: string
  readonly namespace?: string
}

/** The intake on a real server, nothing delivers. */
export async function startIntake(options: IntakeServerOptions) {
  const { sameAs, namespace, timeZone, locale, lifetimes = DEFAULT_LIFETIMES } = options
  const clock = options.clock ?? sameAs?.clock ?? fakeClock()
  const store = await options.store(clock)
  const apps = sameAs?.apps ?? new Map([['bank', BANK]])
  const konnectors =
    sameAs?.konnectors ??
    new Map<string, Notifying>([
      ['bills', { slug: 'bills', permissions: {}, notifications: { due: { stateful: true } } }],
    ])
  const { lines: logged, log } = recordedLog()
  const oauth = openOAuth({
    store,
    clock,
    log,
    installed: apps,
    available: (slug) => apps.get(slug) ?? { ...BANK, slug },
    konnectors,
    ...(namespace !== undefined && { namespace }),
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
  const intake = {
    rows: bindNotifyRoutes(posterRoutes, services),
    post: (to: Instance, notification: InternalNotification) =>
      postInternal({ ...services, catalogueOf }, to, notification),
    forget: (gone: Instance) => removeQueues(services, gone),
  }
  const server = await serveKoa(oauth.resolveInstance(), oauth.mount(intake.rows))
  const { statuses } = server
  afterTest(async () => {
    await server.close()
    await oauth.close()
    expect(statuses.undeclared(), 'answers that no row declares').to.deep.equal([])
  })

  async function send(method: string, target: string, asking?: Asking): Promise<Answer> {
    const url = new URL(target, instance.origin)
    const { json, ...answer } = await server.send(method, url, asking)
    return { ...answer, ...(json as object) } as Answer
  }
  /** Headers of a logged-in owner's app. */
  async function app(slug = 'bank'): Promise<http.OutgoingHttpHeaders> {
    const manifest = apps.get(slug) ?? { ...BANK, slug }
    const token = await oauth.appTokens.issue(instance, manifest, 'owner')
    return { cookie: 'session=owner', authorization: `Bearer ${token}` }
  }
  return {
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
    send,
    /** `POST /notifications`. */
    post: (headers: http.OutgoingHttpHeaders, attributes: Attributes, more = {}) =>
      send('POST', '/notifications', {
        headers: { ...headers, ...more },
        json: { data: { type: 'io.svc.notifications', attributes } },
      }),
    app,
    /** Headers of the bank, at the time of the start. */
    bank: await app(),
    async konnector(slug = 'bills') {
      const token = await oauth.konnectorTokens.issue(instance, slug)
      return { authorization: `Bearer ${token}` }
    },
    /** Headers of a new client. */
    async client(scope: string, metadata: Attributes = {}) {
      const id = await registerClient(oauth, instance, metadata)
      if (scope === '*') await oauth.clients.setFlagship(instance, id, true)
      const tokens =
        scope === '*'
          ? await oauth.clients.issueFlagshipTokens(instance, id)
          : await oauth.clients.issueTokens(instance, id, scope)
      return { id, headers: { authorization: `Bearer ${tokens?.access_token}` } }
    },
    /** Every stored notification of the source owner. */
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
    /** Stores a change as the engine would. */
    async change(id: string, fields: Partial<NotificationRecord>) {
      const stored = await outbox.get(instance.id, id)
      if (stored === undefined) throw new Error(`no notification ${id}`)
      await outbox.update(stored, { ...stored.record, ...fields })
    },
  }
}
