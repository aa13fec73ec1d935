import { type FoundRecord, type RecordKind, type SealContext, valueSchemas } from '@svc/platform'
import type { Json } from '@svc/store'
import { ACCOUNT_TYPES_TAG } from './account-types/account-type.ts'
import { accountTypeContext } from './account-types/account-type-record.ts'
import { accountContext, INFO } from './accounts/seal-context.ts'
import { SEALED_SUFFIX } from './accounts/sealed-fields.ts'
import { SHARD_TAGS } from './flow/shards.ts'

const { count, digest, instant, list, members, membersAndOthers, text } = valueSchemas

/** Every member that is sealed, at any depth. */
export const SEALED_MEMBERS: readonly string[] = ['**', `*${SEALED_SUFFIX}`]

/** `oauth` of an account that is refreshed; what a host put beside it stays. */
const OAUTH = membersAndOthers(
  { access_token_encrypted: text, status: text, refresh_seq: { type: 'number' } },
  { refresh_token_encrypted: text, token_type: text, expires_at: text, scope: text },
)

const FAILURE = members({ class: text }, { retryAfterS: { type: 'number' } })

/**
 * What a sealed member of an account was sealed for.
 * @param type - `<namespace>.accounts`
 * @param path - to it, in the account
 */
export function accountMemberContext(
  instanceId: string,
  type: string,
  accountId: string,
  path: readonly string[],
): SealContext {
  const field = path.join('.').slice(0, -SEALED_SUFFIX.length)
  return { salt: instanceId, info: INFO, aad: accountContext(instanceId, type, accountId, field) }
}

/** What is kept of accounts and their types. @param namespace - prefix of doctypes */
export function connectorsRecords(namespace: string): readonly RecordKind[] {
  const accounts = `${namespace}.accounts`
  const ofAccount = ({ tag, id }: FoundRecord, path: readonly string[]): SealContext =>
    accountMemberContext(tag, accounts, id, path)
  return [
    {
      kind: 'account-type',
      version: 1,
      schema: membersAndOthers({ _id: text }),
      tags: [ACCOUNT_TYPES_TAG],
      places: { by: 'index', index: 'account-types' },
      sealed: [
        {
          path: [`*${SEALED_SUFFIX}`],
          context: ({ id }, [name = '']) =>
            accountTypeContext(id, name.slice(0, -SEALED_SUFFIX.length)),
        },
      ],
      life: 'until the operator deletes it',
      export: { no: 'Account types are the operator’s.' },
      content:
        'id: the entry as the operator wrote it; secrets and parameters of calls sealed for this id and field, under `<name>_encrypted`',
    },
    {
      kind: 'account',
      version: 1,
      schema: membersAndOthers({ _id: text }),
      tags: 'instance',
      places: { by: 'index', index: 'accounts' },
      sealed: [{ path: SEALED_MEMBERS, context: ofAccount }],
      life: 'until the owner, a connector or the operator deletes it',
      export: 'yes',
      content:
        'an account of a host without documents of its own: its type, name and state; secrets sealed for this account and field, under `<name>_encrypted`',
    },
    {
      kind: 'account-state',
      version: 1,
      schema: text,
      tags: 'instance',
      places: { by: 'index', index: 'account-states' },
      sealed: [{ path: [], context: wholeValue }],
      life: '15 min, the newest 200 of an instance; used once, by the provider’s answer',
      export: { no: 'It is short-lived.' },
      content:
        'SHA-256 of the state: a flow that waits for a provider’s answer: type, what it is for, state of the app, scope, redirect URI, code verifier, nonces, issuer, SHA-256 of the browser’s cookie',
    },
    {
      kind: 'account-state-place',
      version: 1,
      schema: text,
      tags: SHARD_TAGS,
      places: { by: 'nobody' },
      life: '15 min',
      export: { no: 'It is short-lived.' },
      content: 'SHA-256 of the state: instance id',
    },
    {
      kind: 'account-ticket',
      version: 1,
      schema: text,
      tags: 'instance',
      places: { by: 'nobody' },
      sealed: [{ path: [], context: wholeValue }],
      life: '60 s; used once, by the second hop',
      export: { no: 'It is short-lived.' },
      content:
        'SHA-256 of the ticket: a flow and the provider’s answer, on the way from the callback host to the instance',
    },
    {
      kind: 'account-lock',
      version: 1,
      schema: members({ since: instant }),
      tags: 'instance',
      places: { by: 'nobody' },
      life: '30 s, renewed while it is held',
      export: { no: 'It is a lock.' },
      content: 'account: since when somebody asks its provider',
    },
    {
      kind: 'account-refresh',
      version: 1,
      schema: members(
        { finished: count },
        {
          asking: members({ since: instant, tokenHash: digest }),
          last: members({ at: instant }, { failure: FAILURE }),
          refused: members({ tokenHash: digest, until: instant }),
          failing: members(
            { sequence: { type: 'number' }, since: instant, at: instant, count },
            {
              retryAfterS: { type: 'number' },
              refusal: members({ reason: text, since: instant, at: instant, count }),
            },
          ),
          written: text,
          outdated: list(text),
        },
      ),
      tags: 'instance',
      places: { by: 'index', index: 'account-refreshes' },
      life: '7 days after the last attempt; with its account',
      export: 'yes',
      content:
        'account: attempts that ended, how the last one did, failures in a row, SHA-256 of a refresh token that was sent or refused, revisions that refreshes replaced',
    },
    {
      kind: 'account-type-health',
      version: 1,
      schema: members(
        { accounts: list(members({ account: digest, at: instant })) },
        {
          refreshedAt: instant,
          failing: members(
            { since: instant, at: instant, class: text, reason: text },
            { loggedAt: instant },
          ),
        },
      ),
      tags: [ACCOUNT_TYPES_TAG],
      places: { by: 'index', index: 'account-type-health' },
      life: '90 days after an account of the type was connected or refreshed',
      export: { no: 'It says how all accounts of a type fare.' },
      content:
        'account type: SHA-256 of instance and id of the accounts refreshed last, when one got new tokens, since when and why all fail',
    },
    {
      kind: 'account-orphan',
      version: 1,
      schema: members({ oauth: OAUTH, sentHash: digest, sequence: { type: 'number' } }),
      tags: 'instance',
      places: { by: 'index', index: 'account-orphans' },
      sealed: [{ path: ['oauth', `*${SEALED_SUFFIX}`], context: ofAccount }],
      life: '24 h, usually milliseconds: until somebody puts them into the account',
      export: 'yes',
      content:
        'account: tokens of a provider’s answer on their way into it; SHA-256 of the refresh token that was sent for them',
    },
  ]
}

/** A value that is sealed as a whole, for its very key. */
function wholeValue({ tag, key }: FoundRecord<Json>): SealContext {
  return { salt: tag, info: INFO, aad: key }
}
