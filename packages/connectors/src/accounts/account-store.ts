import type { Instance } from '@svc/platform'
import {
  type Change,
  type Condition,
  indexKey,
  type Json,
  type Key,
  recordKey,
  type Revision,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { AccountStore } from '../ports.ts'
import type { AccountDocument } from './account.ts'

/** Accounts in the store, for hosts without documents of their own. */
export interface StoredAccounts extends AccountStore {
  /** Removes every account of an instance, each after `before` was told of it. */
  removeAll(
    instance: Instance,
    before: (instance: Instance, account: AccountDocument) => Promise<void>,
  ): Promise<void>
}

const KIND = 'account'
const INDEX = 'accounts'

export function createStoredAccounts(store: Store): StoredAccounts {
  async function put(
    instance: Instance,
    { _rev: _, ...account }: Readonly<Record<string, unknown>> & { readonly _id: string },
    condition: Condition,
    also: readonly Change[] = [],
  ): Promise<AccountDocument | undefined> {
    const result = await store.write([
      {
        op: 'put',
        key: keyOf(instance, account._id),
        value: account as Json, // Documents are JSON.
        indexes: [{ index: indexKey(instance.id, INDEX), sort: account._id }],
        ...condition,
      },
      ...also,
    ])
    if (!result.written) return undefined
    // What was given was a document but for its revision.
    return { ...account, _rev: result.revision } as unknown as AccountDocument
  }

  return {
    async get(instance, id) {
      const record = await store.get(keyOf(instance, id))
      return record && toAccount(record)
    },
    async create(instance, account, also) {
      const named = { ...account, _id: String(account['_id']) }
      const created = await put(instance, named, { ifAbsent: true }, also)
      if (created === undefined) throw new Error('an account of this id exists')
      return created
    },
    // `_rev` is a revision of the store: only this file makes these documents.
    update: (instance, account, also) =>
      put(instance, account, { ifRevision: account._rev as Revision }, also),
    async delete(instance, id, rev, also = []) {
      const condition = { ifRevision: rev as Revision } // As above.
      const { written } = await store.write([
        { op: 'delete', key: keyOf(instance, id), ...condition },
        ...also,
      ])
      return written
    },
    async list(instance, page) {
      const { records, cursor } = await store.list(indexKey(instance.id, INDEX), page)
      return { accounts: records.map(toAccount), ...(cursor !== undefined && { cursor }) }
    },
    async removeAll(instance, before) {
      let cursor: string | undefined
      do {
        const page = await store.list(indexKey(instance.id, INDEX), cursor ? { cursor } : {})
        for (const record of page.records) await before(instance, toAccount(record))
        const deletions = page.records.map(({ key }) => ({ op: 'delete', key }) as const)
        if (deletions.length > 0) await store.write(deletions)
        cursor = page.cursor
      } while (cursor !== undefined)
    },
  }
}

function keyOf({ id }: Instance, account: string): Key {
  return recordKey(id, KIND, account)
}

/** Only accounts stand under these keys. */
function toAccount({ value, revision }: StoredRecord): AccountDocument {
  return { ...(value as object), _rev: revision } as unknown as AccountDocument
}
