import type { SealContext, SealedValue, Sealer, ValueSealer } from '@svc/platform'
import {
  type IndexEntry,
  type IndexKey,
  indexKey,
  type Json,
  type Key,
  type Page,
  recordKey,
  type Store,
} from '@svc/store'
import { ACCOUNT_TYPES_TAG, type AccountTypeEntry, parseAccountTypeId } from './account-type.ts'
import { isSealedField } from './secrets.ts'

/** An entry as it is stored: sealed fields stand under `<name>_encrypted`. */
export type AccountTypeRecord = Readonly<Record<string, Json>>

/** An entry as it could be opened. */
export interface OpenedEntry {
  readonly entry: AccountTypeEntry
  /** Names of the fields that did not open. */
  readonly unreadable: readonly string[]
}

const KIND = 'account-type'
const SUFFIX = '_encrypted'
const INFO = 'svc/account/v1'

export function keyOfId(id: string): Key {
  return recordKey(ACCOUNT_TYPES_TAG, KIND, id)
}

export function idOfKey(key: Key): string {
  return key.slice(keyOfId('-').length - 1)
}

/** Seals what is stored of account types. @see connectors.md 3.4, 7.3 */
export function accountTypeSealer(sealer: Pick<Sealer, 'derive'>): ValueSealer {
  return sealer.derive(ACCOUNT_TYPES_TAG, INFO)
}

export function sealRecord(values: ValueSealer, entry: AccountTypeEntry): AccountTypeRecord {
  const fields = Object.entries(entry).map(([name, value]) => {
    if (!isSealedField(name)) return [name, value] as const
    const sealed = values.seal(JSON.stringify(value), aadOf(entry._id, name))
    return [`${name}${SUFFIX}`, sealed] as const
  })
  // Entries come out of `JSON.parse`.
  return Object.fromEntries(fields) as AccountTypeRecord
}

/** @param id - of the record's key: a record under another key does not open */
export function openRecord(
  values: ValueSealer,
  id: string,
  record: AccountTypeRecord,
): OpenedEntry {
  const unreadable: string[] = []
  const fields = Object.entries(record).flatMap(([name, value]) => {
    if (!name.endsWith(SUFFIX)) return [[name, value] as const]
    const field = name.slice(0, -SUFFIX.length)
    try {
      const plain: unknown = JSON.parse(values.open(String(value), aadOf(id, field)).toString())
      return [[field, plain] as const]
    } catch {
      unreadable.push(field)
      return []
    }
  })
  return { entry: { ...Object.fromEntries(fields), _id: id }, unreadable }
}

/** What the store holds sealed of account types. */
export async function* sealedAccountTypes(store: Store): AsyncGenerator<SealedValue> {
  let cursor: string | undefined
  do {
    const page: Page<AccountTypeRecord> = await store.list<AccountTypeRecord>(
      ALL_ACCOUNT_TYPES,
      cursor === undefined ? {} : { cursor },
    )
    for (const { key, value } of page.records) yield* sealedFieldsOf(idOfKey(key), value)
    cursor = page.cursor
  } while (cursor !== undefined)
}

function* sealedFieldsOf(id: string, record: AccountTypeRecord): Generator<SealedValue> {
  for (const [name, value] of Object.entries(record)) {
    if (!name.endsWith(SUFFIX)) continue
    const sealed = String(value)
    const aad = aadOf(id, name.slice(0, -SUFFIX.length))
    yield { sealed, open: (sealer) => sealer.derive(ACCOUNT_TYPES_TAG, INFO).open(sealed, aad) }
  }
}

/** What a field is sealed for. */
export function accountTypeContext(id: string, field: string): SealContext {
  return { salt: ACCOUNT_TYPES_TAG, info: INFO, aad: aadOf(id, field) }
}

function aadOf(id: string, field: string): string {
  return `account_types|${id}|${field}`
}

const SLUG = /^[a-z0-9-]{1,64}$/

/** How many entries of one slug are found. @see connectors.md 2.3 (3) */
export const MAX_OF_SLUG: number = 100

export const ALL_ACCOUNT_TYPES: IndexKey = indexKey(ACCOUNT_TYPES_TAG, 'account-types')

/** Entries of a slug in one context, or the global ones. */
export function slugIndex(slug: string, context: string | undefined): IndexKey {
  const name = context === undefined ? slug : `${context}/${slug}`
  return indexKey(ACCOUNT_TYPES_TAG, `slug:${name}`)
}

/** Where an entry is listed. */
export function indexesOf({ _id: sort, slug }: AccountTypeEntry): readonly IndexEntry[] {
  const all = { index: ALL_ACCOUNT_TYPES, sort }
  if (typeof slug !== 'string' || !isAccountTypeSlug(slug)) return [all]
  return [all, { index: slugIndex(slug, parseAccountTypeId(sort)?.context), sort }]
}

export function isAccountTypeSlug(slug: string): boolean {
  return SLUG.test(slug)
}
