import { accountMemberContext, SEALED_MEMBERS } from '@svc/connectors'
import { type FoundRecord, type RecordKind, type SealContext, valueSchemas } from '@svc/platform'
import { ADMIN_TOKEN_RECORD } from './admin/named-tokens.ts'
import { DEMO_RECORDS } from './demo-records.ts'
import { RESTORED_RECORDS } from './backups/restored-record.ts'
import { VERSIONS_INDEX } from './documents/document-store.ts'
import { PROCESS_RECORD } from './processes/process-record.ts'
import { PUSH_KEY_CONTEXT } from './notifications/push-keys.ts'
import { STORE_RECORD } from './storage/store-record.ts'

const { boolean, instant, members, object, text } = valueSchemas

/** What the host keeps beside the packages. @param namespace - prefix of doctypes */
export function hostRecords(namespace: string): readonly RecordKind[] {
  const accounts = `${namespace}.accounts`
  return [
    PROCESS_RECORD,
    {
      kind: 'document',
      version: 1,
      schema: members({ type: text, id: text, fields: object }),
      tags: 'instance',
      places: { by: 'index', index: 'documents' },
      sealed: [
        {
          path: ['fields', ...SEALED_MEMBERS],
          context: (record, path) => ofAccount(accounts, record, path),
        },
      ],
      life: 'until deleted',
      export: 'yes',
      content:
        '`<doctype>/<id>`: a JSON document of `/data`; accounts are some, their secrets sealed for this account and field, under `<name>_encrypted`',
    },
    {
      kind: 'document-before',
      version: 1,
      schema: members(
        {
          type: text,
          id: text,
          rev: text,
          title: text,
          client: text,
          clientName: text,
          isDeleted: boolean,
          at: instant,
        },
        { fields: object },
      ),
      tags: 'instance',
      places: { by: 'index', index: VERSIONS_INDEX },
      life: '30 days after the change',
      export: 'yes',
      content:
        'a document as it was before an assistant changed or deleted it: which one, its revision, what it was called, and which assistant it was; without the document once the owner put it back',
    },
    {
      kind: 'installed-app',
      version: 1,
      schema: members({ slug: text, installedAt: instant }, { folder: text, manifest: object }),
      tags: 'instance',
      places: { by: 'index', index: 'apps' },
      life: 'until uninstalled, by `svc app uninstall`',
      export: 'yes',
      content: 'slug: when; for an app of another folder its manifest',
    },
    {
      kind: 'installed-konnector',
      version: 1,
      schema: members({ slug: text }),
      tags: 'instance',
      places: { by: 'index', index: 'konnectors' },
      life: 'until uninstalled, by `svc konnector uninstall`',
      export: 'yes',
      content: 'slug',
    },
    {
      kind: 'owner-phone',
      version: 1,
      schema: members({ phone: text }),
      tags: 'instance',
      places: { by: 'ids', ids: ['phone'] },
      life: 'until cleared, by the owner or by `svc instance update`',
      export: 'yes',
      content: 'the owner’s phone number: as the owner proved it, or as the operator wrote it',
    },
    {
      kind: 'quota-notice',
      version: 1,
      schema: text,
      tags: 'instance',
      places: { by: 'ids', ids: ['level'] },
      life: 'until the use falls below 85 % of the quota',
      export: { no: 'The quota of another host is another one.' },
      content: 'what the owner was told last: that the space is nearly full, or full',
    },
    {
      kind: 'web-push-key',
      version: 1,
      schema: members({ publicKey: text, sealed: text }),
      tags: ['host'],
      places: { by: 'ids', ids: ['current'] },
      sealed: [{ path: ['sealed'], context: () => ({ context: PUSH_KEY_CONTEXT }) }],
      life: 'for good',
      export: { no: 'It is the host’s.' },
      content: 'key pair of web pushes for development',
    },
    STORE_RECORD,
    ADMIN_TOKEN_RECORD,
    ...RESTORED_RECORDS,
    {
      kind: 'backup',
      version: 1,
      schema: members({ at: instant }),
      tags: ['host'],
      places: { by: 'ids', ids: ['verified'] },
      life: 'for good',
      export: { no: 'It is the host’s.' },
      content: 'when the last backup was verified',
    },
    {
      kind: 'probe',
      version: 1,
      schema: members({}),
      tags: ['host'],
      places: { by: 'nobody' },
      life: '60 s, once',
      export: { no: 'It is the host’s.' },
      content: 'a nonce that `/health/probe` answers to',
    },
    ...DEMO_RECORDS,
  ]
}

/** Of other documents nothing is sealed, whatever their apps call it. */
function ofAccount(
  accounts: string,
  { tag, value }: FoundRecord,
  [, ...path]: readonly string[],
): SealContext | undefined {
  const { type, id } = value as { readonly type: string; readonly id: string } // As the schema has it.
  return type === accounts ? accountMemberContext(tag, accounts, id, path) : undefined
}
