import type { Instance } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { TokenSet } from '../token-client/provider.ts'

/** What came back from a provider's pages. */
export interface Connection {
  readonly type: AccountType
  /** Of the exchange; absent for types without token endpoint (D38), whose connectors exchange `callbackQuery`. */
  readonly tokens?: TokenSet
  /** Query of the provider's redirect, every value of every name, without `state` and `iss`. */
  readonly callbackQuery: Readonly<Record<string, readonly string[]>>
  /** What `start` asked for, space-separated; granted when the provider does not say otherwise. */
  readonly requestedScope: string
  /** `reconnect`: into the account `accountId`, in its place. */
  readonly kind: 'create' | 'reconnect'
  readonly accountId?: string
  /** `sub` of an id token that was verified. */
  readonly subject?: string
}

/** Keeps what an owner connected. @see connectors.md 4.7, 7.2 */
export interface AccountWriter {
  /**
   * Writes the sealed account, tells subscribers, emits `account.connected` and plans its next refresh. Nothing is
   * written for `account_mismatch` (another user of the provider than before) and `account_not_found` (deleted
   * meanwhile, or of another type).
   */
  connect(
    instance: Instance,
    connection: Connection,
  ): Promise<{ readonly accountId: string } | 'account_mismatch' | 'account_not_found'>
}
