import type { AccountDocument } from '@svc/connectors'
import type { Fields, StoredDocument } from '../documents/document-store.ts'

/** A document of the type `<namespace>.accounts` as an account: its owner's apps may have written anything. */
export function toAccount({ id, rev, fields }: Omit<StoredDocument, 'type'>): AccountDocument {
  const { account_type: type, name } = fields
  return {
    ...fields,
    _id: id,
    _rev: rev,
    account_type: typeof type === 'string' ? type : '',
    name: typeof name === 'string' ? name : '',
  }
}

/** The fields of an account: what the store keeps beside id and revision. */
export function toFields(account: Readonly<Record<string, unknown>>): Fields {
  // Accounts are JSON.
  return Object.fromEntries(
    Object.entries(account).filter(([name]) => !name.startsWith('_')),
  ) as Fields
}
