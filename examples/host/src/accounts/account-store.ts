import type { AccountDocument, AccountStore } from '@svc/connectors'
import { OAuthError } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { DocumentStore, Fields, StoredDocument } from '../documents/document-store.ts'

/** Of an instance, and bytes of one. @see operation.md 8.1 */
const MAX_ACCOUNTS = 200
const MAX_ACCOUNT_BYTES = 65_536

/** Accounts among the documents of the host. @param type - `<namespace>.accounts` */
export function createAccountStore(documents: DocumentStore, type: string): AccountStore {
  return {
    async get(instance, id) {
      const document = await documents.get(instance, type, id)
      return document && toAccount(document)
    },
    async create(instance, account, also) {
      const id = String(account['_id'])
      const document = { type, id, fields: toFields(account) }
      await requireRoom(documents, instance, document)
      const rev = await documents.put(instance, document, 'absent', also)
      if (rev === undefined) throw new Error('an account of this id exists')
      return toAccount({ ...document, rev })
    },
    async update(instance, account: AccountDocument, also) {
      const { _id: id, _rev: before } = account
      const document = { type, id, fields: toFields(account) }
      const rev = await documents.put(instance, document, { rev: before }, also)
      return rev === undefined ? undefined : toAccount({ ...document, rev })
    },
    delete: (instance, id, rev, also) => documents.delete(instance, type, id, { rev }, also),
    async list(instance, page) {
      const { documents: found, cursor } = await documents.list(instance, type, page)
      return { accounts: found.map(toAccount), ...(cursor !== undefined && { cursor }) }
    },
  }
}

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

/**
 * Lets one more account be made.
 * @throws OAuthError `quota_exceeded`
 */
export async function requireRoom(
  documents: Pick<DocumentStore, 'list'>,
  instance: Instance,
  { type, fields }: Pick<StoredDocument, 'fields' | 'type'>,
): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(fields)) > MAX_ACCOUNT_BYTES) {
    throw new OAuthError('quota_exceeded', { description: 'the account is too large' })
  }
  let count = 0
  let cursor: string | undefined
  do {
    const page = await documents.list(instance, type, cursor === undefined ? {} : { cursor })
    count += page.documents.length
    cursor = page.cursor
  } while (cursor !== undefined)
  if (count < MAX_ACCOUNTS) return
  throw new OAuthError('quota_exceeded', {
    description: `there are ${MAX_ACCOUNTS} accounts already`,
  })
}
