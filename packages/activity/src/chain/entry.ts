import { createHash } from 'node:crypto'
import { ACTIVITY_EVENTS, type ActivityEvent, type ActivityOrigin, networkOf } from '@svc/platform'
import type { Json } from '@svc/store'
import canonicalize from 'canonicalize'
import { MAX_ENTRY_BYTES, MAX_NAME_LENGTH } from '../limits.ts'

/** What happened, before it has its place in the chain. */
export type Noted = Readonly<Record<string, Json>> & {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly event: string
  readonly group: string
  readonly actor: Readonly<Record<string, string>>
  readonly outcome: 'ok' | 'refused'
}

/** An entry of the chain. @see owner.md 5.2 */
export type Entry = Noted & {
  readonly v: 1
  /** Of the chain, 32 hexadecimal characters. */
  readonly chain: string
  readonly seq: number
  /** Hash of the entry before it. */
  readonly prev: string
  readonly hash: string
}

/** Where the next entry goes. */
export interface Place {
  readonly chain: string
  readonly seq: number
  readonly prev: string
}

/** `prev` of the first entry of a chain. */
export const NO_HASH: string = '0'.repeat(64)
/** What its place adds to an entry, at most. */
const PLACE_BYTES = 264
/** Characters of a name where everything in an entry is long, in bytes, too. */
const SHORT_NAME_LENGTH = 25

/** The one text of a value. @see RFC 8785 */
export function canonical(value: Json): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('nothing to write down')
  return text
}

export function hashOf(entry: Json): string {
  return createHash('sha256')
    .update(`svc-activity-1\n${canonical(entry)}`)
    .digest('hex')
}

/** The entry at its place. */
export function entryAt(noted: Noted, { chain, seq, prev }: Place): Entry {
  // The members of both, which the type of JSON objects does not see.
  const entry = { ...noted, v: 1, chain, seq, prev } as unknown as Omit<Entry, 'hash'>
  return { ...entry, hash: hashOf(entry as Json) } as Entry
}

/** Why an entry does not stand where it should, or what stands before it cannot be trusted. */
export type EntryFault = 'changed' | 'gap' | 'missing' | 'moved'

/** @param wanted - where it should stand; a chain without a name is any */
export function faultOf(entry: Entry, wanted: Place): EntryFault | undefined {
  const { hash, ...rest } = entry
  if (hashOf(rest as Json) !== hash) return 'changed'
  if (entry.event === 'record.gap') return 'gap'
  if (entry.seq !== wanted.seq) return entry.seq > wanted.seq ? 'missing' : 'moved'
  if (entry.chain === wanted.chain) return entry.prev === wanted.prev ? undefined : 'moved'
  return continues(entry, wanted) ? undefined : 'moved'
}

/** A restored store goes on with a chain of its own, which names where the old one ended (D85). */
function continues({ event, prev, detail }: Entry, wanted: Place): boolean {
  const { chain, seq, hash } = (detail ?? {}) as Readonly<Record<string, Json>>
  return (
    event === 'store.restored' &&
    prev === NO_HASH &&
    chain === wanted.chain &&
    seq === wanted.seq - 1 &&
    hash === wanted.prev
  )
}

/** Where the entry after this one goes. */
export function placeAfter({ chain, seq, hash }: Pick<Entry, 'chain' | 'hash' | 'seq'>): Place {
  return { chain, seq: seq + 1, prev: hash }
}

/** What is kept of an event: bounded, and nothing of it empty. */
export function notedOf(event: ActivityEvent, now: number): Noted {
  const whole = bounded(event, now, MAX_NAME_LENGTH)
  if (isShort(whole)) return whole
  const { detail: _, ...rest } = event
  const shortened = { ...rest, detail: { shortened: true } }
  const withNames = bounded(shortened, now, MAX_NAME_LENGTH)
  return isShort(withNames) ? withNames : bounded(shortened, now, SHORT_NAME_LENGTH)
}

/** Whether all of an event finds room in an entry. */
export function fitsEntry(event: ActivityEvent, now: number): boolean {
  return isShort(bounded(event, now, MAX_NAME_LENGTH))
}

function isShort(noted: Noted): boolean {
  return Buffer.byteLength(canonical(noted)) <= MAX_ENTRY_BYTES - PLACE_BYTES
}

function bounded(given: ActivityEvent, now: number, length: number): Noted {
  const { event, actor, origin, target, outcome = 'ok', reason, detail, count, until } = given
  return {
    time: now,
    event,
    group: ACTIVITY_EVENTS.get(event) ?? 'record',
    actor: texts(actor, length),
    outcome,
    ...(origin !== undefined && texts(withNetwork(origin), length)),
    ...(target !== undefined && { target: texts(target, length) }),
    ...(reason !== undefined && { reason: cut(reason, length) }),
    ...(detail !== undefined && { detail: detail as Json }),
    ...(count !== undefined && { count }),
    ...(until !== undefined && { until }),
  } as unknown as Noted // Texts and numbers.
}

function withNetwork(origin: ActivityOrigin): ActivityOrigin {
  const { ip = '' } = origin
  return ip === '' ? origin : { ...origin, ip: networkOfAddress(ip) }
}

/** An address of IPv6 as its /64; one that is given as that already stays. */
export function networkOfAddress(ip: string): string {
  return ip.endsWith('/64') ? ip : networkOf(ip)
}

function texts(given: object, length: number): Readonly<Record<string, string>> {
  const members = Object.entries(given as Readonly<Record<string, string | undefined>>)
  return Object.fromEntries(
    members.flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, cut(text, length)] as const],
    ),
  )
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}
