import type { Instance } from '@svc/platform'
import {
  channelOrder,
  currentChannel,
  type NotificationRecord,
  type NotificationStatus,
  type StoredNotification,
} from '../outbox/notification.ts'
import { isUnfinished } from '../outbox/notification-record.ts'
import { decideRelease } from '../preferences/release-rules.ts'
import type { NotifyServices } from '../services.ts'
import {
  afterCrash,
  expiryOf,
  finish,
  isRoundStart,
  putOff,
  unheld,
  withChannels,
} from './progress.ts'
import { isSourceAlive } from './sources.ts'

/** Decision about a notification that is due. */
export type Release =
  /** A channel is to be tried. */
  | { readonly kind: 'attempt'; readonly instance: Instance; readonly record: NotificationRecord }
  /** Nothing is sent now; the record as it is to be written. */
  | { readonly kind: 'settle'; readonly record: NotificationRecord }

type ReleaseServices = Pick<
  NotifyServices,
  'apps' | 'clock' | 'hostChannels' | 'oauth' | 'outbox' | 'retryPlan' | 'store'
>

/** Workers that a notification may take with it. @see notifications.md 12 rule 7 */
const MAX_CRASHES = 3
/** When one of an instance that is out of service is looked at again. Milliseconds. */
const BLOCKED_MS = 15 * 60_000
/** Shortest deferral, so that nothing turns in circles. Milliseconds. */
const SHORTEST_DEFERRAL_MS = 1000

/** Decides about a notification each time it is due: much may have changed since it was posted. @see notifications.md 11 */
export async function releaseNotification(
  services: ReleaseServices,
  stored: StoredNotification,
): Promise<Release> {
  const { clock, oauth, retryPlan } = services
  const now = clock.now()
  const settle = (record: NotificationRecord): Release => ({ kind: 'settle', record })
  let { record } = stored
  // Due although leased: its worker is gone.
  if (record.lease !== undefined) record = afterCrash(record, now, retryPlan)
  if (!isUnfinished(record)) return settle(record)
  const isFollowUp = record.status === 'sent'
  const end = (status: NotificationStatus, reason?: string): Release =>
    settle(isFollowUp ? finish(record, 'sent', now) : finish(record, status, now, reason))
  if (record.crashes >= MAX_CRASHES && record.crashes > stored.record.crashes) {
    return end('failed', 'poison')
  }

  const instance = await oauth.instances.byId(stored.instanceId)
  // It came while the instance was being removed.
  if (instance === undefined) return end('cancelled', 'source_gone')
  if (instance.status !== 'active') {
    const dueAt = now + BLOCKED_MS
    return settle({ ...putOff(record, dueAt), dueAt, isHeld: true })
  }
  if (!(await isSourceAlive(services, instance, record))) return end('cancelled', 'source_gone')
  if (isFollowUp) return { kind: 'attempt', instance, record: unheld(record) }
  if (now >= expiryOf(record)) return end('expired')
  if (await isOvertaken(services, { ...stored, record })) return end('collapsed')
  if (record.dueAt > now) return settle(record)

  if (isRoundStart(record)) {
    const asked = await askOwner(services, instance, record, now)
    if (asked !== 'unchanged') record = asked
    if (!isUnfinished(record) || record.dueAt > now) return settle(record)
  }
  // The owner turned off all remaining channels.
  if (currentChannel(record) === undefined) return end('skipped', 'muted')
  return { kind: 'attempt', instance, record: unheld(record) }
}

/** Whether a later one of the source is due as well. @see notifications.md 8 "undelivered ones" */
export async function isOvertaken(
  { clock, outbox }: Pick<NotifyServices, 'clock' | 'outbox'>,
  { instanceId, record: { id, sourceId, flags, scheduledAt } }: StoredNotification,
): Promise<boolean> {
  if (!flags.collapsible) return false
  // Its own time may be ahead, when a clock was: it is due all the same, and no older one overtakes it.
  const until = Math.max(clock.now(), scheduledAt)
  const last = await outbox.lastDueOfSource(instanceId, sourceId, until)
  return last !== undefined && last.record.id !== id
}

async function askOwner(
  services: ReleaseServices,
  instance: Instance,
  record: NotificationRecord,
  now: number,
): Promise<NotificationRecord | 'unchanged'> {
  const asked = { ...record, preferredChannels: channelOrder(record) }
  const decision = await decideRelease(services, instance, asked, now)
  const soonest = now + SHORTEST_DEFERRAL_MS
  switch (decision.kind) {
    case 'skip':
      return finish(record, 'skipped', now, decision.reason)
    case 'defer':
      return { ...putOff(record, Math.max(decision.until, soonest)), isHeld: true }
    case 'digest': {
      const { digestId, until } = decision
      return { ...putOff(record, Math.max(until, soonest)), digestId, isHeld: true }
    }
    case 'send': {
      const { channels } = decision
      const known = Object.keys(record.progress)
      const isSame =
        known.length === channels.length && channels.every((name) => known.includes(name))
      return isSame ? 'unchanged' : withChannels(record, channels)
    }
  }
}
