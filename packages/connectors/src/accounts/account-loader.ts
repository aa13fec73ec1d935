import type { Instance, Logger } from '@svc/platform'
import { describeError, type Json, type Store, type StoredRecord } from '@svc/store'
import type { AccountDocument } from './account.ts'
import type { AccountStore } from '../ports.ts'
import { keptKey, type KeptTokens, type TokenKeeper } from './token-journal.ts'
import { NO_STATE, type RefreshState, stateKey } from './refresh-state.ts'

/** An account as it stands, and what is remembered of its refreshes. */
export interface LoadedAccount {
  readonly account: AccountDocument
  readonly state: RefreshState
}

export interface AccountLoader {
  /** With tokens that did not get into the account yet. Undefined: there is no such account. */
  load(instance: Instance, accountId: string): Promise<LoadedAccount | undefined>
}

export function createAccountLoader(options: {
  readonly store: Store
  readonly accounts: AccountStore
  readonly keeper: TokenKeeper
  readonly log: Logger
}): AccountLoader {
  const { store, accounts, keeper, log } = options

  async function settle(
    instance: Instance,
    account: AccountDocument,
    record: StoredRecord,
  ): Promise<AccountDocument | undefined> {
    const kept = record.value as unknown as KeptTokens // As `putKept` wrote it.
    try {
      const result = await keeper.apply(instance, account, kept)
      await store.write([{ op: 'delete', key: record.key, ifRevision: record.revision }])
      return result?.account
    } catch (cause) {
      // They stay where they are; until then they are read from there.
      log.warn('account.store_failed', {
        instance: instance.domain,
        accountId: account._id,
        cause: describeError(cause),
      })
      return keeper.merge(instance, account, kept) ?? account
    }
  }

  return {
    async load(instance, accountId) {
      // The state first: whatever ends in between is then known from the account, or counts as still running.
      const [state, kept] = await store.getMany<Json>([
        stateKey(instance, accountId),
        keptKey(instance, accountId),
      ])
      const found = await accounts.get(instance, accountId)
      if (found === undefined) return undefined
      const account = kept === undefined ? found : await settle(instance, found, kept)
      if (account === undefined) return undefined
      // As `putState` wrote it.
      return { account, state: (state?.value as unknown as RefreshState | undefined) ?? NO_STATE }
    },
  }
}
