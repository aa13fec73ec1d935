import type { Instance, Logger } from '@svc/platform'
import { type Change, type Json, type Key, recordKey } from '@svc/store'
import type { AccountDocument, StoredOAuth } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import { accountEvent, type Announcements } from './announce.ts'
import { changeAccount, type ChangeResult } from './change-account.ts'
import { sequenceOf } from './stored-oauth.ts'
import type { AccountStore } from '../ports.ts'
import { hashToken } from './refresh-state.ts'

/**
 * Tokens of a provider's answer on their way into their account: kept first, so that neither a kill nor a store of
 * accounts that fails loses them. @see connectors.md 8.2.7
 */
export interface KeptTokens {
  /** Sealed. */
  readonly oauth: StoredOAuth
  /** Of the refresh token that was sent for them. */
  readonly sentHash: string
  /** Of the account they were asked for. */
  readonly sequence: number
}

/** Puts tokens where they belong, and nowhere else. */
export interface TokenKeeper {
  /** The account with them; undefined when it has other tokens than those that were sent meanwhile. */
  merge(instance: Instance, account: AccountDocument, kept: KeptTokens): AccountDocument | undefined
  /** Writes {@link TokenKeeper.merge}, whatever else changes; whoever does so tells everybody. */
  apply(instance: Instance, account: AccountDocument, kept: KeptTokens): Promise<ChangeResult>
}

export function createTokenKeeper(options: {
  readonly accounts: AccountStore
  readonly seal: AccountSeal
  readonly announcements: Announcements
  /** Plans the next refresh of an account as it is about to be. */
  readonly plan: (instance: Instance, account: AccountDocument) => Promise<void>
  readonly log: Logger
}): TokenKeeper {
  const { accounts, seal, announcements, plan, log } = options

  function merge(instance: Instance, account: AccountDocument, kept: KeptTokens) {
    // SPEC: D38 - never a wrong token: tokens that came of others than the account's own are worth nothing.
    if (sequenceOf(account.oauth) !== kept.sequence) return undefined
    const { refreshToken } = seal.credentialsOf(instance, account)
    if (refreshToken === undefined || hashToken(refreshToken) !== kept.sentHash) return undefined
    return { ...account, oauth: kept.oauth }
  }

  return {
    merge,
    async apply(instance, account, kept) {
      const merged = merge(instance, account, kept)
      // Planned first: of a process that dies right after the write, somebody else goes on.
      if (merged !== undefined) await plan(instance, merged)
      const result = await changeAccount(accounts, instance, account, (current) =>
        merge(instance, current, kept),
      )
      if (result?.written === true) {
        announcements.tell(instance, 'UPDATED', result.account)
        announcements.emit('account.refreshed', accountEvent(instance, result.account))
        log.info('account.refreshed', {
          instance: instance.domain,
          accountId: result.account._id,
          type: result.account.account_type,
        })
      }
      return result
    },
  }
}

export function keptKey(instance: Pick<Instance, 'id'>, accountId: string): Key {
  return recordKey(instance.id, 'account-orphan', accountId)
}

export function putKept(key: Key, kept: KeptTokens, expiresAt: number): Change {
  // Made of JSON values only; its optional members are left out, not undefined.
  return { op: 'put', key, value: kept as unknown as Json, expiresAt }
}
