import { type Instance, type Logger, randomHex } from '@svc/platform'
import type { RefreshPlan } from './refresh-plan.ts'
import { NO_STATE } from './refresh-state.ts'
import type { AccountStore } from '../ports.ts'
import { type AccountDocument, accountTypeName, type StoredOAuth } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import type { AccountWriter, Connection } from './account-writer.ts'
import { accountEvent, type Announcements } from './announce.ts'
import { changeAccount } from './change-account.ts'
import { connectedFields, subjectOf } from './connection-fields.ts'
import { sequenceOf } from './stored-oauth.ts'

export interface AccountWriterOptions {
  readonly accounts: AccountStore
  readonly announcements: Announcements
  readonly clock: { now(): number }
  readonly log: Logger
  readonly plan: RefreshPlan
  readonly seal: AccountSeal
}

export function createAccountWriter(options: AccountWriterOptions): AccountWriter {
  const { accounts, announcements, clock, log, plan, seal } = options

  async function create(instance: Instance, connection: Connection): Promise<AccountDocument> {
    const accountId = randomHex(16)
    const now = clock.now()
    const draft = {
      _id: accountId,
      account_type: connection.type.name,
      name: '',
      ...connectedFields({ seal, log, instance, accountId, connection, sequence: 0, now }),
    }
    // Planned first: of a process that dies right after the write, somebody else goes on.
    await plan.plan(instance, { account: { ...draft, _rev: '' }, state: NO_STATE }, connection.type)
    const account = await accounts.create(instance, draft)
    announcements.tell(instance, 'CREATED', account)
    return account
  }

  /** @see connectors.md 4.7 */
  async function reconnect(
    instance: Instance,
    accountId: string,
    connection: Connection,
  ): Promise<AccountDocument | 'account_mismatch' | 'account_not_found'> {
    const found = await accounts.get(instance, accountId)
    if (found === undefined || accountTypeName(found) !== connection.type.name) {
      return 'account_not_found'
    }
    const subject = subjectOf(connection)
    const isAnother = ({ oauth }: AccountDocument): boolean =>
      oauth?.subject !== undefined && subject !== undefined && oauth.subject !== subject
    const renew = (current: AccountDocument): AccountDocument | undefined =>
      isAnother(current) ? undefined : reconnected(instance, current, connection)
    const next = renew(found)
    if (next === undefined) return 'account_mismatch'
    await plan.plan(instance, { account: next, state: NO_STATE }, connection.type)
    const result = await changeAccount(accounts, instance, found, renew)
    if (result === undefined) return 'account_not_found'
    if (!result.written) return 'account_mismatch'
    announcements.tell(instance, 'UPDATED', result.account)
    return result.account
  }

  function reconnected(
    instance: Instance,
    current: AccountDocument,
    connection: Connection,
  ): AccountDocument {
    const { oauth_callback_results_encrypted: _, ...kept } = current
    // It goes on counting: whoever waits for a refresh sees that there are other tokens.
    const sequence = sequenceOf(current.oauth) + 1
    const accountId = current._id
    const now = clock.now()
    const fields = connectedFields({ seal, log, instance, accountId, connection, sequence, now })
    return {
      ...kept,
      ...fields,
      oauth: { ...keptToken(current.oauth, fields.oauth), ...fields.oauth },
    }
  }

  return {
    async connect(instance, connection) {
      const { kind, accountId = '' } = connection
      const account =
        kind === 'create'
          ? await create(instance, connection)
          : await reconnect(instance, accountId, connection)
      if (typeof account === 'string') return account
      announcements.emit('account.connected', { ...accountEvent(instance, account), how: kind })
      log.info('account.connected', {
        instance: instance.domain,
        accountId: account._id,
        type: connection.type.name,
        how: kind,
      })
      return { accountId: account._id }
    },
  }
}

/** Providers that give their refresh token once: it stays, when it is sure to be of the same user and still works. */
function keptToken(before: StoredOAuth | undefined, after: StoredOAuth): Partial<StoredOAuth> {
  const isSame = before?.subject !== undefined && before.subject === after.subject
  if (!isSame || before.status === 'reconnect_required') return {}
  const { refresh_token_encrypted, refresh_expires_at } = before
  if (refresh_token_encrypted === undefined || after.refresh_token_encrypted !== undefined)
    return {}
  return {
    refresh_token_encrypted,
    ...(refresh_expires_at !== undefined && { refresh_expires_at }),
  }
}
