import type { IndexKey, StoredRecord } from '@svc/store'
import { LRUCache } from 'lru-cache'
import { ACCOUNT_TYPE_STORE_OPTIONS, type AccountTypeStoreOptions } from './account-type-options.ts'
import {
  type AccountTypeRecord,
  ALL_ACCOUNT_TYPES,
  accountTypeSealer,
  openRecord,
  sealRecord,
  idOfKey,
  indexesOf,
  isAccountTypeSlug,
  keyOfId,
  MAX_OF_SLUG,
  type OpenedEntry,
  slugIndex,
} from './account-type-record.ts'
import {
  type AccountType,
  accountTypeId,
  type AccountTypes,
  isAccountTypeName,
  isContextName,
  type MaskedAccountType,
  parseAccountTypeId,
} from './account-type.ts'
import { admitEntry } from './entry-gate.ts'
import { createEntryReader } from './entry-reader.ts'
import { guardEntry, maskEntry } from './secrets.ts'

type StoredType = StoredRecord<AccountTypeRecord>

const CACHED_TYPES = 1000

/**
 * Account types in the store, their secrets sealed. Every call reads the store, so that a change counts at once in all
 * processes; only what was made of a revision is kept.
 * @throws TypeError listing every fault of the options with its path
 * @see connectors.md 3
 */
export function createAccountTypes(options: AccountTypeStoreOptions): Required<AccountTypes> {
  const settled = ACCOUNT_TYPE_STORE_OPTIONS.settle(options)
  const { store, log } = settled
  const values = accountTypeSealer(settled.sealer)
  const reader = createEntryReader({ log })
  const resolved = new LRUCache<string, { readonly revision: string; readonly type: AccountType }>({
    max: CACHED_TYPES,
  })

  function open(stored: StoredType): OpenedEntry {
    const id = idOfKey(stored.key)
    const opened = openRecord(values, id, stored.value)
    if (opened.unreadable.length > 0) {
      log.error('account_type.integrity_failed', { accountType: id, fields: opened.unreadable })
    }
    return opened
  }

  function resolve(stored: StoredType): AccountType {
    const { revision } = stored
    const id = idOfKey(stored.key)
    const known = resolved.get(id)
    if (known?.revision === revision) return known.type
    const { entry, unreadable } = open(stored)
    const type = reader.read(id, entry, unreadable)
    resolved.set(id, { revision, type })
    return type
  }

  /** All members of an index, page by page. */
  async function* members(index: IndexKey): AsyncGenerator<readonly StoredType[], void> {
    let cursor: string | undefined
    do {
      const page = await store.list<AccountTypeRecord>(
        index,
        cursor === undefined ? {} : { cursor },
      )
      yield page.records
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  /** Those of a page of global entries that have no entry of the same name in the context. */
  async function notReplaced(
    page: readonly StoredType[],
    context: string | undefined,
  ): Promise<readonly StoredType[]> {
    if (context === undefined || page.length === 0) return page
    const keys = page.map(({ key }) => keyOfId(accountTypeId(idOfKey(key), context)))
    const replacing = await store.getMany(keys)
    return page.filter((_, index) => replacing[index] === undefined)
  }

  async function get(name: string, context: string | undefined): Promise<AccountType | undefined> {
    if (!isAccountTypeName(name)) return undefined
    const ids = isContextName(context) ? [accountTypeId(name, context), name] : [name]
    const found = await store.getMany<AccountTypeRecord>(ids.map(keyOfId))
    const stored = found.find((record) => record !== undefined)
    return stored && resolve(stored)
  }

  async function findBySlug(
    slug: string,
    context: string | undefined,
  ): Promise<readonly AccountType[]> {
    if (!isAccountTypeSlug(slug)) return []
    const own = isContextName(context) ? context : undefined
    const found: StoredType[] = []
    if (own !== undefined) {
      for await (const page of members(slugIndex(slug, own))) {
        found.push(...page)
        if (found.length >= MAX_OF_SLUG) break
      }
    }
    for await (const page of members(slugIndex(slug, undefined))) {
      if (found.length >= MAX_OF_SLUG) break
      found.push(...(await notReplaced(page, own)))
    }
    return found.slice(0, MAX_OF_SLUG).map(resolve)
  }

  async function put(value: unknown): Promise<boolean> {
    const entry = await admitEntry(settled, value)
    const key = keyOfId(entry._id)
    // A lost race means that somebody else was first: this entry comes after theirs, and is not new.
    for (;;) {
      const before = await store.get(key)
      const condition =
        before === undefined ? { ifAbsent: true as const } : { ifRevision: before.revision }
      const { written } = await store.write([
        {
          op: 'put',
          key,
          value: sealRecord(values, entry),
          indexes: indexesOf(entry),
          ...condition,
        },
      ])
      if (!written) continue
      const isNew = before === undefined
      log.info('account_type.stored', { accountType: entry._id, isNew })
      return isNew
    }
  }

  async function remove(id: string): Promise<boolean> {
    if (parseAccountTypeId(id) === undefined) return false
    const { written } = await store.write([{ op: 'delete', key: keyOfId(id), ifPresent: true }])
    if (written) log.info('account_type.removed', { accountType: id })
    return written
  }

  return {
    get,
    findBySlug,
    put,
    delete: remove,
    async getRaw(id) {
      if (parseAccountTypeId(id) === undefined) return undefined
      const stored = await store.get<AccountTypeRecord>(keyOfId(id))
      return stored && guardEntry(open(stored).entry)
    },
    async list() {
      const masked: MaskedAccountType[] = []
      for await (const page of members(ALL_ACCOUNT_TYPES)) {
        for (const stored of page) masked.push(maskStored(stored))
      }
      return masked
    },
  }

  function maskStored(stored: StoredType): MaskedAccountType {
    return maskEntry(open(stored).entry)
  }
}
