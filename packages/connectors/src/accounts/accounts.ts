import type { Instance, RouteRow } from '@svc/platform'
import type { AccountImport, AccountViewer } from '../connectors.ts'
import type { AccountDocument } from './account.ts'
import type { AccountWriter } from './account-writer.ts'
import type { AccountOperations } from './operate-accounts.ts'

/** Everything that happens to accounts that exist: what `createConnectors` is made of beside the flow. */
export interface Accounts extends AccountWriter, AccountOperations {
  /** `POST …/refresh` and `DELETE`. */
  readonly rows: readonly RouteRow[]
  view(
    instance: Instance,
    account: AccountDocument,
    viewer: AccountViewer,
  ): Promise<Readonly<Record<string, unknown>>>
  fieldsForConnector(
    instance: Instance,
    account: AccountDocument,
  ): Promise<Readonly<Record<string, unknown>>>
  importAccount(instance: Instance, input: AccountImport): Promise<AccountDocument>
  /** Seals the secrets of a log-in and password account that the host writes. @see connectors.md 7.3.5 */
  sealAuth(instance: Instance, account: AccountDocument): AccountDocument
  accountDeleted(instance: Instance, account: AccountDocument): Promise<void>
  /** Of every instance. @returns how many accounts were sealed again */
  rotate(): Promise<number>
  /** Starts refreshing ahead of expiry, unless that is off. */
  start(): Promise<void>
  close(): Promise<void>
}
