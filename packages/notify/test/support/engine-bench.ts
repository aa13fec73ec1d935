import type { AppManifest } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Channel } from '../../src/channels/channel.ts'
import type { Quota } from '../../src/channels/delivery-quotas.ts'
import type { Concurrency } from '../../src/engine/dispatcher.ts'
import { createEngine } from '../../src/engine/engine.ts'
import {
  type ChannelName,
  notificationId,
  type NotificationRecord,
  type NotificationStatus,
} from '../../src/outbox/notification.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../../src/lifetimes.ts'
import { createOutbox } from '../../src/outbox/outbox.ts'
import type { NotifyApps } from '../../src/ports.ts'
import { recordedLog } from './recorded-log.ts'
import { sampleNotification } from './sample-notification.ts'
import { openOAuth } from './test-oauth.ts'
import { until } from './until.ts'

export const BANK: AppManifest = { slug: 'bank', name: 'Bank', permissions: {}, routes: {} }

export type EngineBench = Awaited<ReturnType<typeof startEngine>>

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
  readonly sameAs?: { readonly installed: Map<string, AppManifest>; readonly alice: Instance }
  /** @defaultValue started */
  readonly isIdle?: true
}

/** Outbox and engine on a real store, with instances of a real server; channels are the test's. */
export async function startEngine(options: BenchOptions) {
  const { store, sameAs } = options
  const installed = sameAs?.installed ?? new Map([[BANK.slug, BANK]])
  const { lines: logged, log } = recordedLog()
  const { clock: given } = options
  const oauth = openOAuth({ store, log, installed, ...(given && { clock: given }) })
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

  async function readOne(id: string, { id: instanceId } = alice): Promise<NotificationRecord> {
    const stored = await outbox.get(instanceId, id)
    if (stored === undefined) throw new Error(`no notification ${id}`)
    return stored.record
  }
  return {
    oauth,
    outbox,
    engine,
    alice,
    installed,
    logged,
    /** Accepts a notification of the app `bank`, as the intake would. */
    async post(changes: Partial<NotificationRecord> = {}, { id: instanceId } = alice) {
      const now = clock.now()
      const { createdAt = now, scheduledAt = createdAt } = changes
      const id = notificationId(createdAt)
      const record = sampleNotification({
        id,
        title: 'Hello',
        createdAt,
        scheduledAt,
        dueAt: scheduledAt,
        lastSentAt: createdAt,
        status: scheduledAt > now ? 'scheduled' : 'queued',
        ...changes,
      })
      // Only those without a client of their own are an app's.
      const { slug: _slug, ...unlinked } = record
      const posted = record.clientId === undefined ? record : unlinked
      if (!(await outbox.insert(instanceId, posted))) throw new Error('not accepted')
      return id
    },
    read: readOne,
    /** Waits until it has the status. */
    async becomes(id: string, status: NotificationStatus, instance?: Instance) {
      let last: NotificationRecord | undefined
      try {
        await until(async () => (last = await readOne(id, instance)).status === status)
      } catch (cause) {
        throw new Error(`${status} was expected: ${JSON.stringify(last)} ${logged.join('\n')}`, {
          cause,
        })
      }
      return readOne(id, instance)
    },
    instance: (name: string) =>
      oauth.instances.create({ domain: `${name}.example.com`, email: `${name}@mail.example` }),
    async close() {
      await engine.close()
      await oauth.close()
    },
  }
}
