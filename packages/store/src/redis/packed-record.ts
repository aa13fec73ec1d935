import { instanceTag } from '../writes/arguments.ts'
import { parseStored } from '../parse-stored.ts'
import type { IndexEntry, IndexKey, Key, Revision, StoredRecord } from '../store.ts'

/*
 * A record as one Redis string, so that reading it is one GET:
 *
 *   <revision> LF <expiresAt or nothing> LF <entries> LF <JSON>
 *
 * Entries are NUL, then for each of them: index name, SOH, sort, NUL. None of the parts can hold a control character.
 * The scripts in scripts.ts read the same form.
 */

/** The head of a packed record: revision and expiry. */
export function packHead(revision: string, expiresAt: number | undefined): string {
  return `${revision}\n${expiresAt ?? ''}\n`
}

/** The rest of a packed record: entries and value. */
export function packTail(entries: readonly IndexEntry[], text: string): string {
  if (entries.length === 0) return `\n${text}`
  const names = entries.map(({ index, sort }) => `${indexName(index)}\u0001${sort}\u0000`)
  return `\u0000${names.join('')}\n${text}`
}

/** Reads a packed record; undefined when it is dead. */
export function unpack(key: Key, packed: string, now: number): StoredRecord | undefined {
  const headEnd = packed.indexOf('\n')
  const expiryEnd = packed.indexOf('\n', headEnd + 1)
  const entriesEnd = packed.indexOf('\n', expiryEnd + 1)
  const revision = packed.slice(0, headEnd) as Revision // Packed from a Revision.
  const value = parseStored(packed.slice(entriesEnd + 1))
  if (expiryEnd === headEnd + 1) return { key, value, revision }
  const expiresAt = Number(packed.slice(headEnd + 1, expiryEnd))
  return expiresAt > now ? { key, value, revision, expiresAt } : undefined
}

/** The index entries of a packed record. */
export function unpackEntries(key: Key, packed: string): readonly IndexEntry[] {
  const expiryEnd = packed.indexOf('\n', packed.indexOf('\n') + 1)
  const entries = packed.slice(expiryEnd + 1, packed.indexOf('\n', expiryEnd + 1))
  const start = `${instanceTag(key)}:index:`
  return entries
    .split('\u0000')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\u0001')
      const index = `${start}${entry.slice(0, end)}` as IndexKey // Packed from an IndexKey of the same instance.
      return { index, sort: entry.slice(end + 1) }
    })
}

const INDEX_PART = '}:index:'

/** An index's name, without its instance. */
export function indexName(index: IndexKey): string {
  return index.slice(index.indexOf(INDEX_PART) + INDEX_PART.length)
}

// Kinds of records begin with a small letter: names with # never meet a record's key.

/** Redis key of an index. */
export function physicalIndex(tag: string, name: string): string {
  return `${tag}:#index:${name}`
}

/** Redis key of a counter. */
export function physicalCounter(tag: string, counter: Key): string {
  return `${tag}:#count:${counter.slice(tag.length + 1)}`
}

/** Redis key of a write's kept answer. */
export function physicalAnswer(tag: string, id: string): string {
  return `${tag}:#answer:${id}`
}

/** The logical key of a counter's Redis key, or undefined when it is none. */
export function counterKey(physical: string): Key | undefined {
  const [, tag, rest] = /^(\{[\w-]{1,64}\}):#count:(.+)$/s.exec(physical) ?? []
  return tag === undefined ? undefined : (`${tag}:${rest}` as Key) // Made by physicalCounter.
}

/** Whether a Redis key is a record's. */
export function isRecordKey(physical: string): physical is Key {
  return /^\{[\w-]{1,64}\}:[a-z][a-z0-9-]{0,31}:/.test(physical)
}
