import { type Instance, randomHex } from '@svc/platform'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, accountTypeName, sequenceOf, type StoredOAuth } from './account.ts'
import { type AccountSource, noteAccount } from './account-activity.ts'
import { accountEvent, changeAccount, notifySubscribers } from './account-changes.ts'
import { connectedFields, type Connection, subjectOf } from './connection-fields.ts'
import { planRefresh } from './refresh-plan.ts'
import { NO_STATE } from './refresh-state.ts'
import { noteAccountOfType } from './type-health.ts'

/** Why nothing was written: it is another user of the provider than before, or the account is gone or of another type. */
export type ConnectRefusal = 'account_mismatch' | 'account_not_found'

/**
 * Keeps what an owner connected: writes the sealed account, tells subscribers, emits `account.connected` and plans its
 * next refresh.
 * @see connectors.md 4.7, 7.2
 */
export async function connectAccount(
  services: ConnectorsServices,
  instance: Instance,
  connection: Connection,
  source: AccountSource,
): Promise<{ readonly accountId: string } | ConnectRefusal> {
  const { kind, accountId = '' } = connection
  const account =
    kind === 'create'
      ? await createAccount(services, instance, connection, source)
      : await reconnectAccount(services, instance, accountId, connection, source)
  if (typeof account === 'string') return account
  const seen = { typeId: connection.type.id, instance, accountId: account._id }
  await noteAccountOfType(services, seen)
  services.emit('account.connected', { ...accountEvent(instance, account), how: kind })
  services.log.info('account.connected', {
    domain: instance.domain,
    accountId: account._id,
    type: connection.type.name,
    how: kind,
  })
  return { accountId: account._id }
}

async function createAccount(
  services: ConnectorsServices,
  instance: Instance,
  connection: Connection,
  source: AccountSource,
): Promise<AccountDocument> {
  const accountId = randomHex(16)
  const { type } = connection
  const draft = {
    _id: accountId,
    account_type: type.name,
    name: '',
    ...connectedFields(services, { instance, accountId }, connection, 0),
  }
  // Planned first: when this process dies right after the write, another one goes on.
  await planRefresh(services, instance, { account: { ...draft, _rev: '' }, state: NO_STATE }, type)
  const note = noteAccount(services, instance, draft, source, 'account.connected')
  const account = await services.accounts.create(instance, draft, note)
  notifySubscribers(services, instance, 'CREATED', account)
  return account
}

/** @see connectors.md 4.7 */
async function reconnectAccount(
  services: ConnectorsServices,
  instance: Instance,
  accountId: string,
  connection: Connection,
  source: AccountSource,
): Promise<AccountDocument | ConnectRefusal> {
  const { type } = connection
  const found = await services.accounts.get(instance, accountId)
  if (found === undefined || accountTypeName(found) !== type.name) return 'account_not_found'
  const subject = subjectOf(connection)
  const isAnother = ({ oauth }: AccountDocument): boolean =>
    oauth?.subject !== undefined && subject !== undefined && oauth.subject !== subject
  const renew = (current: AccountDocument): AccountDocument | undefined =>
    isAnother(current) ? undefined : reconnected(services, instance, current, connection)
  const next = renew(found)
  if (next === undefined) return 'account_mismatch'
  await planRefresh(services, instance, { account: next, state: NO_STATE }, type)
  const result = await changeAccount(services, instance, found, renew, () =>
    noteAccount(services, instance, found, source, 'account.reconnected'),
  )
  if (result === undefined) return 'account_not_found'
  if (!result.written) return 'account_mismatch'
  notifySubscribers(services, instance, 'UPDATED', result.account)
  return result.account
}

function reconnected(
  services: ConnectorsServices,
  instance: Instance,
  current: AccountDocument,
  connection: Connection,
): AccountDocument {
  const { oauth_callback_results_encrypted: _, ...kept } = current
  // It goes on counting: whoever waits for a refresh sees that there are other tokens.
  const sequence = sequenceOf(current.oauth) + 1
  const fields = connectedFields(
    services,
    { instance, accountId: current._id },
    connection,
    sequence,
  )
  return {
    ...kept,
    ...fields,
    oauth: {
      // SPEC: D103 - who the first user was is not forgotten for one who is unknown.
      ...(current.oauth?.subject !== undefined && { subject: current.oauth.subject }),
      ...keptToken(current.oauth, fields.oauth),
      ...fields.oauth,
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
