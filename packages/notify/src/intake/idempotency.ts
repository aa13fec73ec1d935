import { createHash } from 'node:crypto'
import type { InstanceId } from '@svc/platform'
import {
  type Change,
  type IndexKey,
  indexKey,
  isLongInteger,
  type Json,
  type Key,
  type Revision,
  secretKey,
} from '@svc/store'
import { NotifyError } from '../notify-error.ts'
import type { NotificationRecord } from '../outbox/notification.ts'

/** A repeatable request. @see notifications.md 3.4 */
export interface IdempotentRequest {
  /** Of the record that remembers it. */
  readonly key: Key
  /** It is in this index. */
  readonly index: IndexKey
  /** SHA-256 of the attributes as canonical JSON, base64url. */
  readonly hash: string
}

/** Mutable parts of the first answer, stored for replay. */
const CHANGING = ['version', 'status', 'reason', 'channel', 'sentAt', 'lastSentAt'] as const

type Snapshot = Pick<NotificationRecord, (typeof CHANGING)[number]>

/** An answer under its key. */
export interface AnswerRow {
  readonly hash: string
  /** Of the notification. */
  readonly id: string
  readonly skipped?: 'same_state'
  readonly snapshot: Snapshot
}

const VISIBLE = /^[!-~]{1,255}$/

/**
 * The record of the request's key; undefined without one.
 * @param subject - whom the token is for: keys are its own
 * @throws NotifyError 400 `invalid_request`
 */
export function idempotentRequest(
  instanceId: InstanceId,
  subject: string,
  header: string,
  attributes: unknown,
): IdempotentRequest | undefined {
  if (header === '') return undefined
  if (!VISIBLE.test(header)) {
    const description = 'Idempotency-Key must be 1 to 255 visible ASCII characters'
    throw new NotifyError('invalid_request', { description })
  }
  return {
    key: secretKey(instanceId, 'notification-answer', JSON.stringify([subject, header])),
    index: indexKey(instanceId, 'notification-answers'),
    hash: createHash('sha256').update(canonicalJson(attributes)).digest('base64url'),
  }
}

/** Remembers an answer in the write that makes it; two at a time: one of the writes does not happen. */
export function answerChange(
  { key, index, hash }: IdempotentRequest,
  answer: { readonly record: NotificationRecord; readonly skipped?: 'same_state' },
  expiresAt: number,
  before?: Revision,
): Change {
  const { record, skipped } = answer
  const snapshot = Object.fromEntries(CHANGING.map((name) => [name, record[name]]))
  const value = { hash, id: record.id, snapshot, ...(skipped !== undefined && { skipped }) }
  const condition = before === undefined ? { ifAbsent: true as const } : { ifRevision: before }
  return { op: 'put', key, value, expiresAt, indexes: [{ index, sort: '' }], ...condition }
}

/** @throws NotifyError 422 `idempotency_key_reused` when the key came with something else */
export function checkSame(row: AnswerRow, { hash }: IdempotentRequest): void {
  if (row.hash === hash) return
  const description = 'the Idempotency-Key was used with other attributes'
  throw new NotifyError('idempotency_key_reused', { description })
}

/** The record as the first answer showed it. */
export function asAnswered(
  record: NotificationRecord,
  { snapshot }: AnswerRow,
): NotificationRecord {
  const unchanging = Object.fromEntries(
    Object.entries(record).filter(([name]) => !CHANGING.some((changing) => changing === name)),
  )
  // Together they are the record of that moment.
  return { ...unchanging, ...snapshot } as NotificationRecord
}

/** JSON with the members of every object in one order. @see RFC 8785, whose numbers and texts are those of JSON.stringify */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

function sorted(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null || isLongInteger(value)) return value as Json // came from JSON
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
