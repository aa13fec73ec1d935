import { randomUUID } from 'node:crypto'
import type { Instance, InstanceId, Logger } from '@svc/platform'
import { recordKey, type Store } from '@svc/store'
import { isMailError } from '../mail/mail-error.ts'
import type { RenderedMail } from '../mail/templates.ts'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createDigestItems } from './digest-items.ts'
import type { PreferenceStore } from '../preferences/preference-store.ts'

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
  readonly isAlive: (instance: Instance, record: NotificationRecord) => Promise<boolean>
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

export function createDigests(options: DigestsOptions): Digests {
  const { store, clock, log, outbox } = options
  const items = createDigestItems(options)
  let stop: (() => Promise<void>) | undefined

  async function deliver(instance: Instance, digestId: string): Promise<void> {
    for (;;) {
      const page = await outbox.listByDigest(instance.id, digestId, { limit: MAX_ITEMS })
      // Those that a worker holds are on their way already.
      const waiting = page.notifications.filter(({ record }) => record.lease === undefined)
      const wanted = await items.choose(instance, waiting)
      if (wanted.length > 0) await sendOne(instance, digestId, wanted)
      if (page.cursor === undefined || waiting.length === 0) return
    }
  }

  async function sendOne(
    instance: Instance,
    digestId: string,
    listed: readonly StoredNotification[],
  ): Promise<void> {
    const [first] = listed
    const host = instance.domain.replace(/:\d+$/, '')
    // The same mail again after a crash: receivers drop it by its id.
    const messageId = `<digest-${digestId}-${first?.record.id}@${host}>`
    const rendered = await options.render(
      instance,
      listed.map(({ record }) => record),
    )
    await options.send(instance, messageId, rendered)
    const now = clock.now()
    const attempt = { channel: 'mail', at: now, class: 'sent', code: 'digest' } as const
    const sent = { status: 'sent', sentAt: now, lastSentAt: now, finishedAt: now } as const
    for (const item of listed) {
      await items.settle(item, (record) => {
        const attempts = [...record.attempts, attempt]
        return { ...record, ...sent, channel: 'mail', attempts }
      })
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
    if (!held.written) {
      // Whoever has it may be dead.
      await store.scheduler.at(QUEUE, id, clock.now() + LOCK_MS)
      return
    }
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
