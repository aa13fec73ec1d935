import { isLongInteger, type Json, parseExact } from '@svc/store'
import { MAX_ID_LENGTH } from '../limits.ts'
import { isDoctype } from './doctype.ts'

/** What can happen to a document; `NOTIFIED`: it was sent without being stored. */
export const EVENT_VERBS = ['CREATED', 'UPDATED', 'DELETED', 'NOTIFIED'] as const

/**
 * What happened to a document.
 * @example
 * await realtime.publish(instance, 'CREATED', { type: 'io.svc.files', id: 'one' })
 */
export type EventVerb = (typeof EVENT_VERBS)[number]

/** Something that happened to a document of an instance. */
export interface RealtimeEvent {
  /** Doctype. */
  readonly type: string
  /** At most 256 characters. */
  readonly id: string
  /** Sent along; without secrets. Over the limit `documentBytes` the event goes out without it. */
  readonly doc?: Readonly<Record<string, unknown>>
}

/** An event that was looked at: its document is plain JSON of bearable size. */
export interface CheckedEvent {
  readonly verb: EventVerb
  readonly type: string
  readonly id: string
  readonly doc?: { readonly [name: string]: Json | undefined }
}

/**
 * The event as it is handed on, its document reduced to JSON.
 * @throws TypeError for a malformed type, id or document
 */
export function checkEvent(
  verb: EventVerb,
  event: RealtimeEvent,
  documentBytes: number,
): CheckedEvent {
  const { type, id, doc } = event
  if (!EVENT_VERBS.includes(verb)) throw new TypeError('an event has an unknown verb')
  if (typeof type !== 'string' || !isDoctype(type)) throw new TypeError('an event has no doctype')
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) {
    throw new TypeError('an event has no id, or too long a one')
  }
  if (doc === undefined) return { verb, type, id }
  const text = JSON.stringify(doc)
  if (Buffer.byteLength(text) > documentBytes) return { verb, type, id }
  const plain: unknown = parseExact(text)
  if (!isJsonObject(plain)) throw new TypeError('the document of an event is not an object')
  return { verb, type, id, doc: plain }
}

/** The text frame that subscribers get. @see realtime.md 2.4 */
export function eventFrame({ verb, type, id, doc }: CheckedEvent): Buffer {
  const payload = doc === undefined ? { type, id } : { type, id, doc }
  return Buffer.from(JSON.stringify({ event: verb, payload }))
}

/** Whether something that was parsed is a JSON object. */
export function isJsonObject(
  value: unknown,
): value is { readonly [name: string]: Json | undefined } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLongInteger(value)
  )
}
