import '@svc/store/node-version'
export type { EventSink } from '@svc/platform'
export type {
  AccountType,
  AccountTypeEntry,
  AccountTypeFault,
  AccountTypes,
  GrantMode,
  MaskedAccountType,
  Secret,
  TokenMode,
} from './account-types/account-type.ts'
export { AccountTypeError } from './account-types/entry-gate.ts'
export type {
  AccountTypesFileOptions,
  AccountTypeStoreOptions,
  EntryGateOptions,
  EntryReaderOptions,
} from './account-types/account-type-options.ts'
export { createAccountTypes } from './account-types/account-type-store.ts'
export { type AccountTypesFile, accountTypesFromFile } from './account-types/account-types-file.ts'
export { sealedAccountTypes } from './account-types/account-type-record.ts'
export { createSecret, maskEntry, secretsForConnector } from './account-types/secrets.ts'
export { PRESETS, type Preset } from './account-types/presets.ts'
export { createEntryReader, type EntryReader } from './account-types/entry-reader.ts'
export type { AccountDocument, AccountStatus, StoredOAuth } from './accounts/account.ts'
export { type FailingAccountType, failingAccountTypes } from './accounts/type-health.ts'
export { LEGACY_SECRETS } from './accounts/legacy-auth.ts'
export { withoutSealed } from './accounts/sealed-fields.ts'
export {
  ConnectorError,
  type ConnectorErrorCode,
  ERRORS,
} from './connector-error.ts'
export type { AccountImport, AccountViewer, Connectors, ConnectorsFigures } from './connectors.ts'
export { createConnectors } from './create-connectors.ts'
export { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
export { type ConnectorsBucket, DEFAULT_LIMITS } from './limits.ts'
export type { ConnectorsOptions } from './options.ts'
export type {
  AccountEvent,
  AccountStore,
  ConnectorEvents,
  ConnectorManifest,
  ConnectorManifests,
  ConnectorPages,
  OwnerLogins,
} from './ports.ts'
export { accountMemberContext, connectorsRecords, SEALED_MEMBERS } from './records.ts'
export type { CallClass } from './token-client/provider.ts'
export { CONNECTORS_LOG_EVENTS } from './log/log-events.ts'
