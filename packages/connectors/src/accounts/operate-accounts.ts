import type { Instance } from '@svc/platform'
import type { AccountType, AccountTypes } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { AccountLoader, LoadedAccount } from './account-loader.ts'
import { failingClosed } from './refresh-errors.ts'
import { demandRefreshable, hasTokenEndpoint } from './refreshable.ts'
import type { Refresher } from './refresh-account.ts'
import { type AccountDocument, accountTypeName } from './account.ts'
import type { Deletion } from './delete-account.ts'

/** What the endpoints of accounts do for tokens, for the host itself: an operator asks. */
export interface AccountOperations {
  /**
   * Fresh tokens, as the refresh endpoint gives them, without a token's permissions.
   * @throws ConnectorError of connectors.md 10
   */
  refreshAccount(
    instance: Instance,
    accountId: string,
    options?: { readonly isForced?: boolean },
  ): Promise<AccountDocument>
  /** Revokes at the provider, as far as that listens, then deletes. @throws ConnectorError `account_not_found` */
  removeAccount(instance: Instance, accountId: string): Promise<void>
}

export function createAccountOperations(options: {
  readonly types: Pick<AccountTypes, 'get'>
  readonly loader: AccountLoader
  readonly refresher: Refresher
  readonly deletion: Deletion
}): AccountOperations {
  const { types, loader, refresher, deletion } = options

  async function find(instance: Instance, accountId: string): Promise<LoadedAccount> {
    const loaded = await loader.load(instance, accountId)
    if (loaded === undefined) throw new ConnectorError('account_not_found')
    return loaded
  }

  function typeOf(instance: Instance, account: AccountDocument): Promise<AccountType | undefined> {
    return types.get(accountTypeName(account), instance.context)
  }

  return {
    refreshAccount: (instance, accountId, { isForced = false } = {}) =>
      failingClosed(async () => {
        const loaded = await find(instance, accountId)
        demandRefreshable(loaded.account)
        const type = await typeOf(instance, loaded.account)
        if (type === undefined) throw new ConnectorError('account_type_not_found')
        if (type.fault !== undefined || !hasTokenEndpoint(type)) {
          throw new ConnectorError('account_type_misconfigured')
        }
        return refresher.refresh({ instance, type, loaded, isForced })
      }),
    removeAccount: (instance, accountId) =>
      failingClosed(async () => {
        const { account } = await find(instance, accountId)
        const type = await typeOf(instance, account)
        await deletion.remove(instance, accountId, type, { instance: instance.domain })
      }),
  }
}
