import { type AppManifest, createOAuth, type OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Channel } from '../../src/channels/channel.ts'
import type { Quota } from '../../src/channels/delivery-quotas.ts'
import type { Background } from '../../src/engine/background.ts'
import type { Concurrency } from '../../src/engine/dispatcher.ts'
import { createEngine } from '../../src/engine/engine.ts'
import {
  type ChannelName,
  notificationId,
  type NotificationRecord,
  type NotificationStatus,
} from '../../src/outbox/notification.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../../src/lifetimes.ts'
import { createOutbox, type Outbox } from '../../src/outbox/outbox.ts'
import type { NotifyApps } from '../../src/ports.ts'
import { until } from './until.ts'

export const BANK: AppManifest = { slug: 'bank', name: 'Bank', permissions: {}, routes: {} }

/** Outbox and engine on a real store, with instances of a real server; channels are the test's. */
export interface EngineBench {
  readonly oauth: OAuth
  readonly outbox: Outbox
  readonly engine: Background
  readonly alice: Instance
  readonly installed: Map<string, AppManifest>
  readonly logged: string[]
  /** Accepts a notification of the app `bank`, as the intake would. */
  post(changes?: Partial<NotificationRecord>, instance?: Instance): Promise<string>
  read(id: string, instance?: Instance): Promise<NotificationRecord>
  /** Waits until it has the status. */
  becomes(id: string, status: NotificationStatus, instance?: Instance): Promise<NotificationRecord>
  instance(name: string): Promise<Instance>
  close(): Promise<void>
}

export interface BenchOptions {
  readonly store: Store
  readonly clock?: { now(): number }
  readonly channels: readonly Channel[]
  readonly quotas?: Readonly<Partial<Record<ChannelName, Quota>>>
  readonly lifetimes?: Partial<Lifetimes>
  readonly channelDelays?: readonly number[]
  readonly roundDelays?: readonly number[]
  readonly concurrency?: Concurrency
  readonly apps?: NotifyApps
  /** Another process of the same store and instances. */
  readonly sameAs?: EngineBench
  /** @defaultValue started */
  readonly isIdle?: true
}

export async function startEngine(options: BenchOptions): Promise<EngineBench> {
  const { store, sameAs } = options
  const installed = sameAs?.installed ?? new Map([[BANK.slug, BANK]])
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const oauth = createOAuth({
    store,
    log,
    ...(options.clock && { clock: options.clock }),
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async () => undefined,
    },
  })
  const { clock } = oauth
  const alice =
    sameAs?.alice ??
    (await oauth.instances.create({ domain: 'alice.example.com', email: 'alice@mail.example' }))
  const lifetimes = { ...DEFAULT_LIFETIMES, shutdown: 1000, ...options.lifetimes }
  const outbox = createOutbox({ store, clock, lifetimes, log })
  const services = {
    oauth,
    store,
    clock,
    outbox,
    lifetimes,
    log,
    channels: Object.fromEntries(options.channels.map((channel) => [channel.name, channel])),
    hostChannels: [],
    quotas: options.quotas ?? {},
    apps: options.apps ?? {},
    retryPlan: {
      channelDelays: options.channelDelays ?? [20, 40, 60],
      roundDelays: options.roundDelays ?? [80, 80],
      random: Math.random,
    },
  }
  const engine = createEngine(services, options.concurrency ?? { total: 8, perInstance: 2 })
  if (options.isIdle === undefined) await engine.start()

  const self: EngineBench = {
    oauth,
    outbox,
    engine,
    alice,
    installed,
    logged,
    async post(changes = {}, { id: instanceId } = alice) {
      const now = clock.now()
      const { createdAt = now, scheduledAt = createdAt } = changes
      const id = notificationId(createdAt)
      const record: NotificationRecord = {
        id,
        createdAt,
        scheduledAt,
        sourceId: 'svc/app/bank/balance/',
        originator: 'app',
        owner: 'bank',
        slug: 'bank',
        postedBy: 'io.svc.apps/bank',
        category: 'balance',
        title: 'Hello',
        preferredChannels: ['mail'],
        flags: { collapsible: false, stateful: false, multiple: false, sensitive: false },
        version: 1,
        dueAt: scheduledAt,
        lastSentAt: createdAt,
        status: scheduledAt > now ? 'scheduled' : 'queued',
        round: 0,
        progress: {},
        attempts: [],
        crashes: 0,
        ...changes,
      }
      // Only those without a client of their own are an app's.
      const { slug: _slug, ...unlinked } = record
      const posted = record.clientId === undefined ? record : unlinked
      if (!(await outbox.insert(instanceId, posted))) throw new Error('not accepted')
      return id
    },
    async read(id, { id: instanceId } = alice) {
      const stored = await outbox.get(instanceId, id)
      if (stored === undefined) throw new Error(`no notification ${id}`)
      return stored.record
    },
    async becomes(id, status, instance) {
      let last: NotificationRecord | undefined
      try {
        await until(async () => (last = await self.read(id, instance)).status === status)
      } catch (cause) {
        throw new Error(`${status} was expected: ${JSON.stringify(last)} ${logged.join('\n')}`, {
          cause,
        })
      }
      return self.read(id, instance)
    },
    instance: (name) =>
      oauth.instances.create({ domain: `${name}.example.com`, email: `${name}@mail.example` }),
    async close() {
      await engine.close()
      await oauth.close()
    },
  }
  return self
}
