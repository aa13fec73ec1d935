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
export type { AccountDocument, AccountStatus, StoredOAuth } from './accounts/account.ts'
export {
  ConnectorError,
  type ConnectorErrorCode,
  type ConnectorErrorOptions,
  ERRORS,
} from './connector-error.ts'
export type { AccountImport, AccountViewer, Connectors } from './connectors.ts'
export { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
export { type ConnectorsBucket, DEFAULT_LIMITS } from './limits.ts'
export type { ConnectorsOptions } from './options.ts'
export type {
  AccountEvent,
  AccountStore,
  ConnectorEvents,
  ConnectorManifest,
  ConnectorManifests,
  EventSink,
  OwnerLogins,
} from './ports.ts'
