import { type Member, readCursor } from './member.ts'
import type { Change, IndexEntry, IndexKey, Key, PageRequest } from '../store.ts'

/** Most changes in one write. */
const MAX_CHANGES = 128
/** Most keys in one getMany. */
const MAX_KEYS = 100
/** Most records on a page. */
const MAX_PAGE = 100
const MAX_SORT_BYTES = 256

/**
 * The instance part of a key, braces included (`{alice}`).
 * @throws TypeError when the key was not built by `keys.ts`
 */
export function instanceTag(key: Key | IndexKey): string {
  const end = typeof key === 'string' && key.charCodeAt(0) === 0x7b ? key.indexOf('}:') : -1
  if (end < 2) throw new TypeError('a key is built by recordKey, secretKey or indexKey')
  return key.slice(0, end + 1)
}

/** Throws TypeError unless all keys belong to one instance and their number is allowed. */
export function checkKeys(keys: readonly Key[]): void {
  if (keys.length > MAX_KEYS) throw new TypeError(`at most ${MAX_KEYS} keys are read at once`)
  const [first, ...others] = keys
  if (first === undefined) return
  const tag = instanceTag(first)
  for (const key of others) {
    if (instanceTag(key) !== tag) throw new TypeError('all keys of a call share an instance')
  }
}

/**
 * Checks a whole write before anything of it happens.
 * @returns the instance tag, or undefined when there are no changes
 * @throws TypeError naming the fault
 */
export function checkChanges(changes: readonly Change[]): string | undefined {
  const [first] = changes
  if (first === undefined) return undefined
  if (changes.length > MAX_CHANGES) throw new TypeError(`at most ${MAX_CHANGES} changes in a write`)
  const tag = instanceTag(first.key)
  const seen = new Set<string>()
  for (const change of changes) {
    if (instanceTag(change.key) !== tag) throw new TypeError('all keys of a call share an instance')
    if (seen.has(change.key)) throw new TypeError('a write changes a key at most once')
    seen.add(change.key)
    if (change.op === 'put') {
      checkInstant('expiresAt', change.expiresAt)
      for (const entry of change.indexes ?? []) checkIndexEntry(entry, tag)
    } else if (change.op === 'touch') {
      if (change.expiresAt === undefined) throw new TypeError('a touch names its expiresAt')
      checkInstant('expiresAt', change.expiresAt)
    } else if (change.op !== 'delete' && change.op !== 'revise' && change.op !== 'check') {
      throw new TypeError('a change is a put, delete, touch, revise or check')
    }
  }
  return tag
}

/** Throws TypeError unless the value is absent or a whole number of milliseconds. */
export function checkInstant(name: string, instant: number | undefined): void {
  if (instant !== undefined && !Number.isSafeInteger(instant)) {
    throw new TypeError(`${name} is a whole number of milliseconds since the epoch`)
  }
}

/** The JSON text of a value; TypeError when it has none. */
export function jsonText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError('a stored value is JSON')
  return text
}

/** Throws TypeError unless window and step make sense for a counter. */
export function checkHit(windowMs: number, by: number): void {
  if (!Number.isSafeInteger(windowMs) || windowMs < 1) {
    throw new TypeError('a window is a whole number of milliseconds, at least 1')
  }
  if (!Number.isSafeInteger(by)) throw new TypeError('a counter moves by a whole number')
}

/** A page asked for, with its defaults. */
export interface ListRequest {
  readonly limit: number
  readonly descending: boolean
  /** The last member already seen. */
  readonly after: Member | undefined
}

/** The page asked for; TypeError when it is malformed. */
export function readPage(page: PageRequest): ListRequest {
  const limit = page.limit ?? MAX_PAGE
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new TypeError(`a page has 1 to ${MAX_PAGE} records`)
  }
  const after = page.cursor === undefined ? undefined : readCursor(page.cursor)
  return { limit, descending: page.order === 'desc', after }
}

/** Throws TypeError unless the id can name a write. */
export function checkWriteId(id: string | undefined): void {
  if (id !== undefined && !/^[\w-]{16,128}$/.test(id)) {
    throw new TypeError('a write id has 16 to 128 characters of A-Z, a-z, 0-9, - and _')
  }
}

function checkIndexEntry(entry: IndexEntry, tag: string): void {
  if (instanceTag(entry.index) !== tag) {
    throw new TypeError('indexes share the instance of their record')
  }
  const { sort } = entry
  // Control characters separate sorts in the stored form; a lone surrogate has no UTF-8 form to compare by.
  // oxlint-disable-next-line no-control-regex
  const isPrintable = sort.isWellFormed() && !/[\u0000-\u001f]/.test(sort)
  if (!isPrintable || Buffer.byteLength(sort) > MAX_SORT_BYTES) {
    throw new TypeError(`a sort is printable text of at most ${MAX_SORT_BYTES} bytes`)
  }
}

/** Throws TypeError unless the name can be a queue's. */
export function checkQueue(queue: string): void {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(queue)) {
    throw new TypeError('a queue name has 1 to 64 lower-case letters, digits and hyphens')
  }
}

/** Throws TypeError unless a wake-up can be asked for like this. */
export function checkWakeUp(queue: string, id: string, when = 0): void {
  checkQueue(queue)
  if (typeof id !== 'string' || id.length < 1 || id.length > 512 || !id.isWellFormed()) {
    throw new TypeError('a wake-up id has 1 to 512 characters')
  }
  checkInstant('when', when)
}
