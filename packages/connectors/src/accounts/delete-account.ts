import type { Instance, Logger } from '@svc/platform'
import type { Store } from '@svc/store'
import type { AccountType } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { AccountStore } from '../ports.ts'
import type { AccountLoader } from './account-loader.ts'
import { keptKey } from './token-journal.ts'
import { inProgress } from './refresh-errors.ts'
import type { RefreshLocks } from './refresh-lock.ts'
import type { RefreshPlan } from './refresh-plan.ts'
import { stateKey } from './refresh-state.ts'
import type { CallAbout, TokenClient } from '../token-client/provider.ts'
import type { AccountDocument } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import { accountEvent, type Announcements } from './announce.ts'

export interface DeletionOptions {
  readonly accounts: AccountStore
  readonly announcements: Announcements
  readonly loader: AccountLoader
  readonly locks: RefreshLocks
  readonly log: Logger
  readonly plan: RefreshPlan
  readonly seal: AccountSeal
  readonly store: Store
  readonly tokenClient: Pick<TokenClient, 'revoke'>
}

export interface Deletion {
  /**
   * Tells the provider, as far as it listens, and deletes the account.
   * @throws ConnectorError `account_not_found`, `oauth_refresh_in_progress`; StoreUnavailableError
   */
  remove(
    instance: Instance,
    accountId: string,
    type: AccountType | undefined,
    about: CallAbout,
  ): Promise<void>
  /** What follows once an account is gone, whoever deleted it. */
  noteDeleted(instance: Instance, account: AccountDocument): Promise<void>
}

/** Of whoever deletes it: a refresh ends in that time, or is stuck. Milliseconds. */
export const DELETION_WAIT_MS = 15_000
/** How often a document is read anew because somebody else changed it meanwhile. */
const TRIES = 5

/** @see connectors.md 4.9 */
export function createDeletion(options: DeletionOptions): Deletion {
  const { accounts, announcements, loader, locks, log, plan, seal, store, tokenClient } = options
  /** Accounts that are being deleted here: the host's hook tells of them too. */
  const underWay = new Set<string>()

  async function revoke(
    instance: Instance,
    account: AccountDocument,
    type: AccountType | undefined,
    about: CallAbout,
  ): Promise<void> {
    if (type === undefined || type.fault !== undefined) return
    const { accessToken, refreshToken } = seal.credentialsOf(instance, account)
    const token = refreshToken ?? accessToken
    if (token === undefined) return
    const hint = refreshToken === undefined ? 'access_token' : 'refresh_token'
    await tokenClient.revoke(type, token, hint, about)
  }

  async function deleteDocument(instance: Instance, account: AccountDocument): Promise<void> {
    let current: AccountDocument | undefined = account
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await accounts.delete(instance, account._id, current._rev)) return
      current = await accounts.get(instance, account._id)
      if (current === undefined) throw new ConnectorError('account_not_found')
    }
    throw new Error('an account keeps changing')
  }

  async function forget(instance: Instance, account: AccountDocument): Promise<void> {
    await plan.cancel(instance, account._id)
    await store.write([
      { op: 'delete', key: stateKey(instance, account._id) },
      { op: 'delete', key: keptKey(instance, account._id) },
    ])
    announcements.emit('account.disconnected', accountEvent(instance, account))
    log.info('account.disconnected', { instance: instance.domain, accountId: account._id })
  }

  return {
    async remove(instance, accountId, type, about) {
      const lock = await locks.acquire(instance, accountId, DELETION_WAIT_MS)
      if (lock === undefined) throw inProgress()
      const key = `${instance.id}/${accountId}`
      try {
        const loaded = await loader.load(instance, accountId)
        if (loaded === undefined) throw new ConnectorError('account_not_found')
        const { account } = loaded
        underWay.add(key)
        await revoke(instance, account, type, about)
        await deleteDocument(instance, account)
        announcements.tell(instance, 'DELETED', account)
        await forget(instance, account)
      } finally {
        underWay.delete(key)
        await lock.release().catch((cause: unknown) => {
          log.warn('account.unlock_failed', {
            instance: instance.domain,
            accountId,
            cause: String(cause),
          })
        })
      }
    },
    async noteDeleted(instance, account) {
      if (!underWay.has(`${instance.id}/${account._id}`)) await forget(instance, account)
    },
  }
}
