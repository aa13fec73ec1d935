import { createHash } from 'node:crypto'
import type { InstanceId } from '@svc/platform'
import {
  type IndexEntry,
  type IndexKey,
  indexKey,
  type Json,
  type Key,
  recordKey,
  type StoredRecord,
} from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import {
  type ChannelGroup,
  FINAL_STATUSES,
  groupOf,
  nextChannel,
  type NotificationRecord,
  type NotificationStatus,
  type Priority,
  purgeTime,
  type StoredNotification,
} from './notification.ts'

/** Bodies, read only for sending: stored beside the record, which is rewritten often. */
export type NotificationBody = Pick<NotificationRecord, 'content' | 'contentHtml'>

/** Whose notifications: `<originator>/<owner>`. */
export interface SourceOwner {
  readonly originator: string
  readonly owner: string
}

export function notificationKey(instanceId: InstanceId, id: string): Key {
  return recordKey(instanceId, 'notification', id)
}

export function bodyKey(instanceId: InstanceId, id: string): Key {
  return recordKey(instanceId, 'notification-body', id)
}

/** Indexes of an instance; see docs/data-model.md. */
export const INDEXES = {
  all: (id: InstanceId): IndexKey => indexKey(id, 'notifications'),
  digest: (id: InstanceId, digestId: string): IndexKey =>
    indexKey(id, `notifications-digest:${digest(digestId)}`),
  /** The one of mails has no channel in its name: it also has the records from before there were other channels. */
  due: (id: InstanceId, isHigh: boolean, group: ChannelGroup): IndexKey =>
    indexKey(
      id,
      `notifications-due:${isHigh ? 'high' : 'normal'}${group === 'mail' ? '' : `:${group}`}`,
    ),
  held: (id: InstanceId): IndexKey => indexKey(id, 'notifications-held'),
  inbox: (id: InstanceId): IndexKey => indexKey(id, 'notifications-inbox'),
  overtaking: (id: InstanceId, sourceId: string): IndexKey =>
    indexKey(id, `notifications-overtaking:${digest(sourceId)}`),
  owner: (id: InstanceId, source: SourceOwner): IndexKey =>
    indexKey(id, `notifications-owner:${ownerDigest(source)}`),
  purge: (id: InstanceId): IndexKey => indexKey(id, 'notifications-purge'),
  source: (id: InstanceId, sourceId: string): IndexKey =>
    indexKey(id, `notifications-source:${digest(sourceId)}`),
  unfinished: (id: InstanceId, source: SourceOwner): IndexKey =>
    indexKey(id, `notifications-unfinished:${ownerDigest(source)}`),
  unread: (id: InstanceId): IndexKey => indexKey(id, 'notifications-unread'),
} as const

/** Whether a worker still has something to do for it. */
export function isUnfinished(record: NotificationRecord): boolean {
  return !FINAL_STATUSES.has(record.status) || record.hasFollowUp === true
}

export function isHigh(priority: Priority | undefined): boolean {
  return priority === 'high'
}

/** Every index entry of a record; nothing but the record decides them. */
export function indexEntries(
  id: InstanceId,
  record: NotificationRecord,
  lifetimes: Lifetimes,
): readonly IndexEntry[] {
  const { createdAt, scheduledAt, dueAt, sourceId, status } = record
  const created = instant(createdAt)
  const entries: IndexEntry[] = [
    { index: INDEXES.all(id), sort: created },
    { index: INDEXES.owner(id, record), sort: created },
    { index: INDEXES.source(id, sourceId), sort: created },
  ]
  const enter = (index: IndexKey, sort: string): void => void entries.push({ index, sort })
  if (isUnfinished(record)) {
    enter(INDEXES.due(id, isHigh(record.priority), groupOf(nextChannel(record))), instant(dueAt))
  } else enter(INDEXES.purge(id), instant(purgeTime(record, lifetimes)))
  if (!FINAL_STATUSES.has(status)) {
    enter(INDEXES.unfinished(id, record), instant(dueAt))
    if (isHeldBack(record)) enter(INDEXES.held(id), created)
    if (record.digestId !== undefined) enter(INDEXES.digest(id, record.digestId), created)
  }
  if (record.flags.collapsible && !NEVER_OVERTAKES.has(status)) {
    enter(INDEXES.overtaking(id, sourceId), `${instant(scheduledAt)}${created}`)
  }
  if (isInInbox(record)) {
    enter(INDEXES.inbox(id), instant(scheduledAt))
    if (record.readAt === undefined) enter(INDEXES.unread(id), instant(scheduledAt))
  }
  return entries
}

/** What another choice of the owner may let go: put off, or waiting for another round of the channels left. */
function isHeldBack({ isHeld, lease, round, status }: NotificationRecord): boolean {
  return status === 'queued' && lease === undefined && (isHeld === true || round > 0)
}

/** Those that no earlier one gives way to. @see notifications.md 8 "undelivered ones" */
const NEVER_OVERTAKES: ReadonlySet<NotificationStatus> = new Set(['failed', 'cancelled', 'skipped'])

/** Not yet due, withdrawn, overtaken, stale, or not wanted by the owner: nothing to show. */
const NOT_IN_INBOX: ReadonlySet<NotificationStatus> = new Set([
  'scheduled',
  'skipped',
  'collapsed',
  'expired',
  'cancelled',
])

function isInInbox({ archivedAt, status }: NotificationRecord): boolean {
  return archivedAt === undefined && !NOT_IN_INBOX.has(status)
}

/** The record as it is stored: without its bodies. */
export function toValue(record: NotificationRecord): Json {
  const { content: _content, contentHtml: _contentHtml, ...light } = record
  return light as unknown as Json // An interface of JSON members; only its missing index signature differs.
}

/** The bodies as stored; undefined without bodies. */
export function toBodyValue({ content, contentHtml }: NotificationRecord): Json | undefined {
  if (content === undefined && contentHtml === undefined) return undefined
  return { content, contentHtml }
}

export function fromStored(
  instanceId: InstanceId,
  { value, revision }: StoredRecord,
  body?: StoredRecord,
): StoredNotification {
  // Written by `toValue` and `toBodyValue`.
  const light = value as unknown as NotificationRecord
  const bodies = (body?.value ?? {}) as NotificationBody
  return { instanceId, record: { ...light, ...bodies }, revision }
}

/** Milliseconds since the epoch as text that sorts like the number. */
function instant(ms: number): string {
  return String(Math.max(0, ms)).padStart(15, '0')
}

function ownerDigest({ originator, owner }: SourceOwner): string {
  return digest(`${originator}/${owner}`)
}

/** Sources and owners come from outside: any text, of any length. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
