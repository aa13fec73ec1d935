import type { Instance } from '@svc/oauth-core'
import {
  indexKey,
  type Json,
  type Key,
  recordKey,
  type Revision,
  type Store,
  type StoredRecord,
} from '@svc/store'
import type { AccountDocument } from '../../src/accounts/account.ts'
import type { AccountStore } from '../../src/ports.ts'

/** Accounts as a host keeps its documents: in the store, with its revisions. */
export function storeAccounts(store: Store): AccountStore {
  const keyOf = ({ id }: Instance, account: string): Key => recordKey(id, 'test-account', account)
  const indexOf = ({ id }: Instance) => indexKey(id, 'test-accounts')

  async function put(
    instance: Instance,
    { _rev: _, ...account }: Record<string, unknown> & { readonly _id: string },
    condition: { readonly ifAbsent: true } | { readonly ifRevision: Revision },
  ): Promise<AccountDocument | undefined> {
    const result = await store.write([
      {
        op: 'put',
        key: keyOf(instance, account._id),
        value: account as Json, // Documents are JSON.
        indexes: [{ index: indexOf(instance), sort: account._id }],
        ...condition,
      },
    ])
    if (!result.written) return undefined
    return { ...account, _rev: result.revision } as unknown as AccountDocument
  }

  return {
    async get(instance, id) {
      const record = await store.get(keyOf(instance, id))
      return record && documentOf(record)
    },
    async create(instance, account) {
      const created = await put(
        instance,
        { ...account, _id: String(account['_id']) },
        { ifAbsent: true },
      )
      if (created === undefined) throw new Error('the account exists')
      return created
    },
    update: (instance, account) => put(instance, account, { ifRevision: account._rev as Revision }),
    async delete(instance, id, rev) {
      const change = {
        op: 'delete',
        key: keyOf(instance, id),
        ifRevision: rev as Revision,
      } as const
      return (await store.write([change])).written
    },
    async list(instance, page) {
      const { records, cursor } = await store.list(indexOf(instance), page)
      const accounts = records.map(documentOf)
      return { accounts, ...(cursor !== undefined && { cursor }) }
    },
  }
}

/** Only accounts stand under these keys. */
function documentOf({ value, revision }: StoredRecord): AccountDocument {
  return { ...(value as object), _rev: revision } as unknown as AccountDocument
}
