import { randomUUID } from 'node:crypto'
import type { Instance, InstanceId, Logger } from '@svc/oauth-core'
import { recordKey, type Store } from '@svc/store'
import { isMailError } from '../mail-error.ts'
import type { RenderedMail } from '../templates.ts'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { isMuted } from './preferences.ts'
import type { PreferenceStore } from './preference-store.ts'

/** Mails that list what came since the last one. @see notifications.md 23.9, docs/decisions/0182 */
export interface Digests {
  /** Makes sure that the digest goes out then. Durable when it resolves. */
  announce(instance: Pick<Instance, 'id'>, digestId: string, due: number): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export interface DigestsOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: Logger
  readonly outbox: Outbox
  readonly preferences: PreferenceStore
  readonly instanceById: (id: InstanceId) => Promise<Instance | undefined>
  readonly render: (
    instance: Instance,
    items: readonly NotificationRecord[],
  ) => Promise<RenderedMail>
  /** @throws MailError */
  readonly send: (instance: Instance, messageId: string, mail: RenderedMail) => Promise<void>
}

const QUEUE = 'notification-digests'
/** While one process writes and sends a digest, no other does. */
const LOCK_MS = 60_000
/** Items of one mail; the next one takes the rest. */
const MAX_ITEMS = 100
const MAX_TRIES = 10

export function createDigests(options: DigestsOptions): Digests {
  const { store, clock, log, outbox, preferences } = options
  let stop: (() => Promise<void>) | undefined

  async function deliver(instance: Instance, digestId: string): Promise<void> {
    for (;;) {
      const page = await outbox.listByDigest(instance.id, digestId, { limit: MAX_ITEMS })
      // Those that a worker holds are on their way already.
      const waiting = page.notifications.filter(({ record }) => record.lease === undefined)
      const wanted = await leaveOutMuted(instance, waiting)
      if (wanted.length > 0) await sendOne(instance, digestId, wanted)
      if (page.cursor === undefined || waiting.length === 0) return
    }
  }

  async function leaveOutMuted(
    instance: Instance,
    found: readonly StoredNotification[],
  ): Promise<readonly StoredNotification[]> {
    const { sources } = (await preferences.read(instance)).preferences
    const now = clock.now()
    const kept: StoredNotification[] = []
    for (const stored of found) {
      const source = Object.hasOwn(sources, stored.record.postedBy)
        ? sources[stored.record.postedBy]
        : undefined
      const category = source?.categories?.[stored.record.category]
      if (!isMuted(source, category, now)) kept.push(stored)
      else await finish(stored, { status: 'skipped', reason: 'muted', finishedAt: now })
    }
    return kept
  }

  async function sendOne(
    instance: Instance,
    digestId: string,
    items: readonly StoredNotification[],
  ): Promise<void> {
    const [first] = items
    const host = instance.domain.replace(/:\d+$/, '')
    // The same mail again after a crash: receivers drop it by its id.
    const messageId = `<digest-${digestId}-${first?.record.id}@${host}>`
    const rendered = await options.render(
      instance,
      items.map(({ record }) => record),
    )
    await options.send(instance, messageId, rendered)
    const now = clock.now()
    for (const item of items) {
      const attempts = [
        ...item.record.attempts,
        { channel: 'mail', at: now, class: 'sent', code: 'digest' } as const,
      ]
      const sent = { sentAt: now, lastSentAt: now, finishedAt: now, attempts }
      await finish(item, { status: 'sent', channel: 'mail', ...sent })
    }
  }

  /** Again when the owner marked it meanwhile. */
  async function finish(
    stored: StoredNotification,
    patch: Partial<NotificationRecord>,
  ): Promise<void> {
    let current: StoredNotification | undefined = stored
    for (let tries = 0; tries < MAX_TRIES && current !== undefined; tries += 1) {
      if (current.record.finishedAt !== undefined) return
      if (await outbox.update(current, { ...current.record, ...patch })) return
      current = await outbox.get(stored.instanceId, stored.record.id)
    }
  }

  async function wake(id: string): Promise<void> {
    const slash = id.indexOf('/')
    const instanceId = id.slice(0, slash) as InstanceId // made by `announce`
    const digestId = id.slice(slash + 1)
    const instance = await options.instanceById(instanceId)
    if (instance === undefined || instance.status !== 'active') return
    const key = recordKey(instanceId, 'notification-digest', digestId)
    const expiresAt = clock.now() + LOCK_MS
    const lock = { op: 'put', key, value: { by: randomUUID() }, expiresAt } as const
    const held = await store.write([{ ...lock, ifAbsent: true }])
    if (!held.written) return
    try {
      await deliver(instance, digestId)
    } catch (error) {
      // What never works is left to the notifications themselves: they go on alone after a while.
      if (isMailError(error) && error.failure === 'permanent') {
        log.warn('digest.refused', { domain: instance.domain, reason: error.reason })
        return
      }
      throw error
    } finally {
      await store.write([{ op: 'delete', key, ifRevision: held.revision }])
    }
  }

  return {
    announce: (instance, digestId, due) =>
      store.scheduler.at(QUEUE, `${instance.id}/${digestId}`, due),
    async start() {
      stop ??= await store.scheduler.process(QUEUE, ({ id }) => wake(id))
    },
    async close() {
      await stop?.()
      stop = undefined
    },
  }
}
