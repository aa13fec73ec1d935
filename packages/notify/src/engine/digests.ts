import { randomUUID } from 'node:crypto'
import type { Instance, InstanceId } from '@svc/platform'
import { recordKey } from '@svc/store'
import type { DigestItem, MailLinks } from '../mail/app-mails.ts'
import { isMailError, MailError } from '../mail/mail-error.ts'
import { hostOf, sendToOwner } from '../mail/mail-sender.ts'
import type { RenderedMail } from '../mail/templates.ts'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import { readPreferences } from '../preferences/preference-store.ts'
import { channelNames } from '../preferences/channel-choice.ts'
import { channelsLeft, isMuted } from '../preferences/preferences.ts'
import { DIGEST_QUEUE } from '../preferences/release-rules.ts'
import { digestLinks } from '../preferences/unsubscribe-link.ts'
import { actionLinkOf } from '../render/action-link.ts'
import { posterOf } from '../render/poster.ts'
import type { NotifyServices } from '../services.ts'
import { type Background, processQueue } from './background.ts'
import { isOvertaken } from './release.ts'
import { isSourceAlive } from './sources.ts'

type DigestServices = Pick<
  NotifyServices,
  | 'apps'
  | 'clock'
  | 'hostChannels'
  | 'lifetimes'
  | 'loadTemplates'
  | 'log'
  | 'mailSender'
  | 'oauth'
  | 'outbox'
  | 'quotas'
  | 'settingsSlug'
  | 'store'
>

/** While one process writes and sends a digest, no other does. */
const LOCK_MS = 60_000
/** Items of one mail; the next one takes the rest. */
const MAX_ITEMS = 100
const MAX_TRIES = 10

/** Sends mails that list what came since the last one. @see notifications.md 23.9, docs/decisions/0182 */
export function createDigests(services: DigestServices): Background {
  return processQueue(services.store, DIGEST_QUEUE, (id) => handleWakeUp(services, id))
}

async function handleWakeUp(services: DigestServices, id: string): Promise<void> {
  const { clock, log, oauth, store } = services
  const slash = id.indexOf('/')
  const instanceId = id.slice(0, slash) as InstanceId // made where the digest is announced
  const digestId = id.slice(slash + 1)
  const instance = await oauth.instances.byId(instanceId)
  if (instance === undefined || instance.status !== 'active') return
  const key = recordKey(instanceId, 'notification-digest', digestId)
  const expiresAt = clock.now() + LOCK_MS
  const lock = { op: 'put', key, value: { by: randomUUID() }, expiresAt } as const
  const held = await store.write([{ ...lock, ifAbsent: true }])
  if (!held.written) {
    // The holder of the lease may be dead.
    await store.scheduler.at(DIGEST_QUEUE, id, clock.now() + LOCK_MS)
    return
  }
  try {
    await deliverDigest(services, instance, digestId)
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

async function deliverDigest(
  services: DigestServices,
  instance: Instance,
  digestId: string,
): Promise<void> {
  for (;;) {
    const page = await services.outbox.listByDigest(instance.id, digestId, { limit: MAX_ITEMS })
    // Those that a worker has leased are on their way already.
    const waiting = page.notifications.filter(({ record }) => record.lease === undefined)
    const wanted = await chooseItems(services, instance, waiting)
    if (wanted.length > 0) await sendDigest(services, instance, digestId, wanted)
    if (page.cursor === undefined || waiting.length === 0) return
  }
}

/**
 * Decides anew what a digest holds: much may have changed since its items were gathered.
 * @returns those to be listed, in their order; the others are settled
 */
async function chooseItems(
  services: DigestServices,
  instance: Instance,
  gathered: readonly StoredNotification[],
): Promise<readonly StoredNotification[]> {
  const { sources } = (await readPreferences(services, instance)).preferences
  const now = services.clock.now()
  const chosen: StoredNotification[] = []
  for (const stored of gathered) {
    const { category: name, postedBy } = stored.record
    const source = ownMember(sources, postedBy)
    const category = ownMember(source?.categories ?? {}, name)
    if (!(await isSourceAlive(services, instance, stored.record))) {
      const gone = { status: 'cancelled', reason: 'source_gone', finishedAt: now } as const
      await settleItem(services, stored, (record) => ({ ...record, ...gone }))
    } else if (isMuted(source, category, now, channelNames(services))) {
      const muted = { status: 'skipped', reason: 'muted', finishedAt: now } as const
      await settleItem(services, stored, (record) => ({ ...record, ...muted }))
    } else if (await isOvertaken(services, stored)) {
      const collapsed = { status: 'collapsed', finishedAt: now } as const
      await settleItem(services, stored, (record) => ({ ...record, ...collapsed }))
    } else if (channelsLeft(category, ['mail']).length === 0) {
      await settleItem(services, stored, (record) => dueAlone(record, now))
    } else chosen.push(stored)
  }
  return chosen
}

/** Writes what became of an item, again when the owner marked it meanwhile; not when it is finished or leased. */
export async function settleItem(
  { outbox }: Pick<NotifyServices, 'outbox'>,
  stored: StoredNotification,
  change: (record: NotificationRecord) => NotificationRecord,
): Promise<void> {
  let current: StoredNotification | undefined = stored
  for (let tries = 0; tries < MAX_TRIES && current !== undefined; tries += 1) {
    const { finishedAt, lease } = current.record
    if (finishedAt !== undefined || lease !== undefined) return
    const { isHeld: _isHeld, ...settled } = change(current.record)
    if (await outbox.update(current, settled)) return
    current = await outbox.get(stored.instanceId, stored.record.id)
  }
}

async function sendDigest(
  services: DigestServices,
  instance: Instance,
  digestId: string,
  listed: readonly StoredNotification[],
): Promise<void> {
  const records = listed.map(({ record }) => record)
  // The same mail again after a crash: receivers drop it by its id.
  const messageId = `<digest-${digestId}-${records[0]?.id}@${hostOf(instance.domain)}>`
  const links = await digestLinks(services, instance)
  const mail = await renderDigest(services, instance, records, links)
  await sendWithinQuota(services, instance, messageId, mail)
  const now = services.clock.now()
  const attempt = { channel: 'mail', at: now, class: 'sent', code: 'digest' } as const
  const sent = { status: 'sent', sentAt: now, lastSentAt: now, finishedAt: now } as const
  for (const item of listed) {
    await settleItem(services, item, (record) => {
      const attempts = [...record.attempts, attempt]
      return { ...record, ...sent, channel: 'mail', attempts }
    })
  }
}

/** Writes one mail that lists several notifications, by app and the newest first. @see notifications.md 23.9 */
export async function renderDigest(
  services: Pick<NotifyServices, 'apps' | 'loadTemplates' | 'oauth'>,
  instance: Instance,
  records: readonly NotificationRecord[],
  links: MailLinks,
): Promise<RenderedMail> {
  const { apps, loadTemplates, oauth } = services
  const items = await Promise.all(
    records.map(async (record): Promise<DigestItem> => {
      const { title, message, createdAt: time, data } = record
      const [{ name }, link] = await Promise.all([
        posterOf(oauth, apps, instance, record),
        actionLinkOf(oauth.apps, apps, instance, data?.['redirectLink']),
      ])
      return {
        time,
        title,
        ...(name !== undefined && { sender: name }),
        ...(message !== undefined && { message }),
        ...(link !== undefined && { url: link.url }),
      }
    }),
  )
  const templates = await loadTemplates()
  return templates.render(instance, { template: 'digest', variables: { items, links } })
}

/** @throws MailError */
async function sendWithinQuota(
  { lifetimes, mailSender, quotas }: DigestServices,
  instance: Instance,
  messageId: string,
  mail: RenderedMail,
): Promise<void> {
  const quota = quotas.mail
  if (quota !== undefined && !(await quota.take(instance))) {
    throw new MailError('transient', 'quota_spent')
  }
  try {
    const signal = AbortSignal.timeout(lifetimes.attempt)
    await sendToOwner(mailSender, instance, { ...mail, messageId, template: 'digest' }, signal)
  } catch (error) {
    await quota?.giveBack(instance)
    throw error
  }
}

/** Due alone: a digest is a mail, and mails are off. */
function dueAlone(record: NotificationRecord, now: number): NotificationRecord {
  const { digestId: _digestId, ...rest } = record
  return { ...rest, dueAt: now }
}

function ownMember<Value>(
  members: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}
