import type { InstanceId } from '@svc/platform'
import type { Json, Revision } from '@svc/store'
import { randomBytes } from 'node:crypto'
import type { Lifetimes } from '../lifetimes.ts'

/** Who posted. `stack`: this server itself; `cli`: its operator. @see notifications.md 2 */
export type Originator = 'app' | 'oauth' | 'konnector' | 'stack' | 'cli'

/** The channels that every server knows, whether or not it has them. */
export const CHANNELS = ['mobile', 'sms', 'mail'] as const
export type KnownChannel = (typeof CHANNELS)[number]

/** A {@link KnownChannel}, or a channel of the host. */
export type ChannelName = string

/** Allowed names of the host's channels. */
export const HOST_CHANNEL: RegExp = /^[a-z][a-z0-9_-]{1,15}$/

/**
 * What notifications wait in, and places to work on them belong to: one for each known channel, and one for all those of
 * the host, so that what waits for a channel that the host no longer has is looked at, too.
 */
export const CHANNEL_GROUPS = ['mobile', 'sms', 'mail', 'host'] as const
export type ChannelGroup = (typeof CHANNEL_GROUPS)[number]

export function groupOf(name: ChannelName): ChannelGroup {
  return CHANNELS.find((known) => known === name) ?? 'host'
}

/**
 * How urgent a notification is; a push carries it to its provider. @see notifications.md 3.1
 */
export type Priority = 'high' | 'normal'

/** @see notifications.md 12 */
export type NotificationStatus =
  | 'scheduled'
  | 'queued'
  | 'sending'
  | 'sent'
  | 'skipped'
  | 'collapsed'
  | 'expired'
  | 'failed'
  | 'cancelled'

/** How an attempt ended. @see notifications.md 10.3 */
export type AttemptClass = 'sent' | 'permanent' | 'transient' | 'config'

/** One try of a channel, without tokens, numbers or addresses. */
export interface Attempt {
  readonly channel: ChannelName
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly class: AttemptClass
  /** Stable reason, such as `no_device`, `smtp_550`. */
  readonly code?: string
  /** Faults that did not keep it from going out, such as `template_error`. */
  readonly warnings?: readonly string[]
}

/** The part of a category's declaration that applies to an accepted notification; copied at acceptance. @see notifications.md 4 */
export interface CategoryFlags {
  readonly collapsible: boolean
  readonly stateful: boolean
  readonly multiple: boolean
  /** Push says only that there is something; the app fetches the text (23.10). */
  readonly sensitive: boolean
  readonly ttlMs?: number
  readonly minIntervalMs?: number
  /** `mail`, `mobile`, `sms` and `mail.text`, each perhaps with a locale suffix, to `file:…`. */
  readonly templates?: Readonly<Record<string, string>>
}

/** Where a channel stands. */
export interface ChannelProgress {
  /** How its last attempt ended; absent: none yet in this round. */
  readonly last?: Exclude<AttemptClass, 'sent'>
  readonly code?: string
  /** Attempts in this round. */
  readonly tries: number
  /** Whether it has nothing more to do in this round. */
  readonly isDone: boolean
  /** Channel state for the next attempt, such as the devices already reached. */
  readonly memo?: Json
}

/** Content of a notification, validated when it was posted. */
export interface NotificationContent {
  readonly categoryId?: string
  readonly title: string
  readonly message?: string
  /** The request's, else the category's. */
  readonly priority?: Priority
  readonly state?: string
  /** Each once; never empty. */
  readonly preferredChannels: readonly ChannelName[]
  /** As given, for the answer; absent: the default was taken. */
  readonly givenChannels?: readonly ChannelName[]
  readonly data?: { readonly [name: string]: Json | undefined }
  /** As given, for the answer. */
  readonly at?: string
  readonly sound?: string
  readonly content?: string
  readonly contentHtml?: string
}

/** A notification as it is stored. Times are milliseconds since the epoch. */
export interface NotificationRecord extends NotificationContent {
  /** UUID version 7, lower case. */
  readonly id: string
  /** `svc/<originator>/<owner>/<category>/<category_id>`. @see notifications.md 6 */
  readonly sourceId: string
  readonly originator: Originator
  /** Owner of the source: slug, or client id of an unlinked client. Empty for `stack`. */
  readonly owner: string
  /** `AccessContext.owner` of the poster (D30): who may read and cancel it. */
  readonly postedBy: string
  readonly slug?: string
  /** Of an unlinked client. */
  readonly clientId?: string
  /** The client of the app of `slug` that posted it: what waits of it goes with it. */
  readonly linkedClientId?: string
  readonly category: string
  readonly flags: CategoryFlags
  /** Revision for `data.meta.rev`: a count. */
  readonly version: number
  readonly createdAt: number
  /** When it is to be sent at first; `createdAt` unless `at` was in the future. */
  readonly scheduledAt: number
  readonly lastSentAt: number

  readonly status: NotificationStatus
  /** Why it was not sent. */
  readonly reason?: string
  readonly channel?: ChannelName
  readonly sentAt?: number
  /** When it became final. */
  readonly finishedAt?: number
  /** When it is to be looked at next. */
  readonly dueAt: number
  /** Rounds over all channels that ended without success. */
  readonly round: number
  readonly progress: Readonly<Record<ChannelName, ChannelProgress>>
  readonly attempts: readonly Attempt[]
  /** The lease of the worker that is at work on it. */
  readonly lease?: { readonly token: string; readonly until: number }
  /** Leases that ran out with their worker. */
  readonly crashes: number
  /** Whether devices are still tried though it counts as sent (16.1.6). */
  readonly hasFollowUp?: true
  /** Put off by the owner's choices, or with its instance: looked at again when those change. */
  readonly isHeld?: true
  /** The owner's digest that lists it: id of the digest. */
  readonly digestId?: string
  /** Bodies were erased after their time (14). */
  readonly isErased?: true
  /** Stays beyond its time as the newest of its source, and is looked at again then (14). */
  readonly keptUntil?: number

  /** The owner saw it in the inbox. */
  readonly readAt?: number
  readonly archivedAt?: number
}

/** A record and what it takes to replace it. */
export interface StoredNotification {
  readonly instanceId: InstanceId
  readonly record: NotificationRecord
  readonly revision: Revision
}

export const FINAL_STATUSES: ReadonlySet<NotificationStatus> = new Set([
  'sent',
  'skipped',
  'collapsed',
  'expired',
  'failed',
  'cancelled',
])

/** Channels of a notification, in order: mail is always the last resort. @see notifications.md 10.1 */
export function channelOrder({
  preferredChannels,
}: Pick<NotificationRecord, 'preferredChannels'>): readonly ChannelName[] {
  return [...new Set([...preferredChannels, 'mail' as const])]
}

/** The channel that is tried now; undefined: none is left in this round. */
export function currentChannel(
  record: Pick<NotificationRecord, 'preferredChannels' | 'progress'>,
): ChannelName | undefined {
  return channelOrder(record).find((name) => record.progress[name]?.isDone === false)
}

/** The channel that a notification waits for; before its first round the one it would like best. */
export function nextChannel(
  record: Pick<NotificationRecord, 'preferredChannels' | 'progress'>,
): ChannelName {
  return currentChannel(record) ?? channelOrder(record)[0] ?? 'mail'
}

/**
 * When the next purge step of a finished notification is due: first its bodies go, then the record. Milliseconds
 * since the epoch. @see notifications.md 14
 */
export function purgeTime(
  record: NotificationRecord,
  lifetimes: Pick<Lifetimes, 'bodies' | 'finished'>,
): number {
  const { createdAt, finishedAt = createdAt, isErased, keptUntil } = record
  if (isErased === undefined) return finishedAt + lifetimes.bodies
  return keptUntil ?? finishedAt + lifetimes.finished
}

/** An identifier by RFC 9562 section 5.7 (UUID version 7), lower case. @param now - milliseconds since the epoch */
export function notificationId(now: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return [...parts, hex.slice(20)].join('-')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text can be the id of a notification. */
export function isNotificationId(text: string): boolean {
  return UUID.test(text)
}
