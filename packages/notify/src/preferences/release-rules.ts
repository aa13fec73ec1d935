import type { Instance } from '@svc/platform'
import type { ChannelName, NotificationRecord } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'
import { digestTime } from './digest-times.ts'
import { readPreferences } from './preference-store.ts'
import { channelNames } from './channel-choice.ts'
import { channelsLeft, isMuted } from './preferences.ts'
import { quietUntil } from './quiet-hours.ts'
import { zoneOf } from './zoned-time.ts'

/** Applies the owner's preferences to a notification before an attempt. */
export type ReleaseDecision =
  /** Over these channels, in the order of the notification; never empty. */
  | { readonly kind: 'send'; readonly channels: readonly ChannelName[] }
  | { readonly kind: 'skip'; readonly reason: 'muted' }
  /** Quiet hours: look again then. Milliseconds since the epoch. */
  | { readonly kind: 'defer'; readonly until: number }
  /** The digest of this id takes it along; due then. */
  | { readonly kind: 'digest'; readonly digestId: string; readonly until: number }

/** Queue of the scheduler; a wake-up's id is `<instance>/<digest>`. */
export const DIGEST_QUEUE = 'notification-digests'
/** How long a digest may be late. */
const DIGEST_GRACE_MS = 30 * 60_000

/**
 * Decides by the owner's preferences, before the first attempt and again after a deferral. What this server itself says
 * cannot be muted; high priority passes quiet hours and digests.
 * @see notifications.md 23, ranks 2, 8, 9
 */
export async function decideRelease(
  services: Pick<NotifyServices, 'hostChannels' | 'store'>,
  instance: Instance,
  record: NotificationRecord,
  now: number,
): Promise<ReleaseDecision> {
  const { preferences: chosen } = await readPreferences(services, instance)
  const source = Object.hasOwn(chosen.sources, record.postedBy)
    ? chosen.sources[record.postedBy]
    : undefined
  const categories = source?.categories ?? {}
  const isOurs = record.originator === 'stack' || record.originator === 'cli'
  const category =
    !isOurs && Object.hasOwn(categories, record.category) ? categories[record.category] : undefined
  if (!isOurs && isMuted(source, category, now, channelNames(services)))
    return { kind: 'skip', reason: 'muted' }

  const channels = channelsLeft(category, record.preferredChannels)
  if (channels.length === 0) return { kind: 'skip', reason: 'muted' }
  if (record.priority === 'high') return { kind: 'send', channels }

  const zone = zoneOf(instance)
  const quiet =
    chosen.quietHours === undefined ? undefined : quietUntil(now, zone, chosen.quietHours)
  // A digest is a mail: without mail there is nothing to gather for.
  const isGathered = category?.digest !== undefined && channels.includes('mail')
  if (isGathered && record.digestId === undefined && category?.digest !== undefined) {
    const due = digestTime(now, zone, category.digest)
    const until = (chosen.quietHours && quietUntil(due, zone, chosen.quietHours)) ?? due
    await announceDigest(services, instance, String(until), until)
    return { kind: 'digest', digestId: String(until), until }
  }
  // The digest is under way; should it never come, the notification goes on alone.
  if (record.digestId !== undefined && now < Number(record.digestId) + DIGEST_GRACE_MS) {
    return { kind: 'defer', until: Number(record.digestId) + DIGEST_GRACE_MS }
  }
  if (quiet !== undefined) return { kind: 'defer', until: quiet }
  return { kind: 'send', channels }
}

/** Makes sure that the digest goes out then. Durable when it resolves. */
async function announceDigest(
  { store }: Pick<NotifyServices, 'store'>,
  { id }: Pick<Instance, 'id'>,
  digestId: string,
  due: number,
): Promise<void> {
  await store.scheduler.at(DIGEST_QUEUE, `${id}/${digestId}`, due)
}
