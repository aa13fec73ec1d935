import type { Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import type { AccountType } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import type { CallAbout } from '../token-client/provider.ts'
import { revokeToken } from '../token-client/revoke.ts'
import { type AccountDocument, accountTypeName } from './account.ts'
import { type AccountSource, BY_OPERATOR, noteAccount } from './account-activity.ts'
import { accountEvent, notifySubscribers, removeDocument } from './account-changes.ts'
import { credentialsOf } from './account-seal.ts'
import { failingClosed, inProgress } from './refresh-errors.ts'
import { acquireRefreshLock, releaseOrLog } from './refresh-lock.ts'
import { cancelRefresh } from './refresh-plan.ts'
import { stateKey } from './refresh-state.ts'
import { journalKey, loadAccount } from './token-journal.ts'
import { forgetAccountOfType } from './type-health.ts'

/** Of whoever deletes it: a refresh ends in that time, or is stuck. Milliseconds. */
export const DELETION_WAIT_MS = 15_000

/**
 * Tells the provider, as far as it listens, and deletes the account.
 * @throws ConnectorError `account_not_found`, `oauth_refresh_in_progress`; StoreUnavailableError
 * @see connectors.md 4.9
 */
export async function deleteAccount(
  services: ConnectorsServices,
  instance: Instance,
  accountId: string,
  type: AccountType | undefined,
  about: CallAbout,
  source: AccountSource,
): Promise<void> {
  const { deletions } = services
  const lock = await acquireRefreshLock(services, instance, accountId, DELETION_WAIT_MS)
  if (lock === undefined) throw inProgress()
  const key = `${instance.id}/${accountId}`
  try {
    const loaded = await loadAccount(services, instance, accountId)
    if (loaded === undefined) throw new ConnectorError('account_not_found')
    const { account } = loaded
    deletions.add(key)
    await revokeAccount(services, instance, account, type, about)
    const note = noteAccount(services, instance, account, source, 'account.removed')
    if (!(await removeDocument(services, instance, account, note))) {
      throw new ConnectorError('account_not_found')
    }
    notifySubscribers(services, instance, 'DELETED', account)
    await forgetAccount(services, instance, account)
  } finally {
    deletions.delete(key)
    await releaseOrLog(services, instance, accountId, lock)
  }
}

/** For the host itself: an operator asks. @throws ConnectorError `account_not_found` */
export function deleteAsOperator(
  services: ConnectorsServices,
  instance: Instance,
  accountId: string,
): Promise<void> {
  return failingClosed(async () => {
    const loaded = await loadAccount(services, instance, accountId)
    if (loaded === undefined) throw new ConnectorError('account_not_found')
    const name = accountTypeName(loaded.account)
    const type = await services.accountTypes.get(name, instance.context)
    const about = { instance: instance.domain }
    await deleteAccount(services, instance, accountId, type, about, BY_OPERATOR)
  })
}

/** What follows once an account is gone, whoever deleted it. */
export async function noteDeleted(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  source: AccountSource,
): Promise<void> {
  if (services.deletions.has(`${instance.id}/${account._id}`)) return
  // The host's own write removed it: the entry comes right after.
  const note = noteAccount(services, instance, account, source, 'account.removed')
  await forgetAccount(services, instance, account, note)
}

async function revokeAccount(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  type: AccountType | undefined,
  about: CallAbout,
): Promise<void> {
  if (type === undefined || type.fault !== undefined) return
  const { accessToken, refreshToken } = credentialsOf(services, instance, account)
  const token = refreshToken ?? accessToken
  if (token === undefined) return
  const hint = refreshToken === undefined ? 'access_token' : 'refresh_token'
  await revokeToken(services, type, token, hint, about)
}

async function forgetAccount(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  note: readonly Change[] = [],
): Promise<void> {
  const { accountTypes, emit, log, store } = services
  await cancelRefresh(services, instance, account._id)
  await store.write([
    { op: 'delete', key: stateKey(instance, account._id) },
    { op: 'delete', key: journalKey(instance, account._id) },
    ...note,
  ])
  const type = await accountTypes.get(accountTypeName(account), instance.context)
  if (type !== undefined) {
    await forgetAccountOfType(services, { typeId: type.id, instance, accountId: account._id })
  }
  emit('account.disconnected', accountEvent(instance, account))
  log.info('account.disconnected', { domain: instance.domain, accountId: account._id })
}
