import './entry/node-version.ts'
export type { Bus } from './bus.ts'
export { type Clock, systemClock } from './clock.ts'
export { describeError } from './describe-error.ts'
export { indexKey, recordKey, secretKey } from './keys.ts'
export { STORE_LOG_EVENTS } from './log/log-events.ts'
export type {
  LogEvent,
  LogEventOf,
  LogEvents,
  LogFields,
  LogFieldType,
} from './log/log-table.ts'
export {
  ensurePrivateFile,
  makePrivateFolder,
  openNewFile,
  openPresentFile,
  readPrivateFile,
  writeNewFile,
} from './files/private-files.ts'
export { silentLog, type StoreLog } from './log/store-log.ts'
export type { Scheduler, WakeUp } from './scheduler.ts'
export { isLongInteger, type Json, parseExact } from './json.ts'
export {
  type Change,
  type CheckChange,
  type Condition,
  type DeleteChange,
  type DumpedCounter,
  type DumpedRecord,
  type DumpedWakeUp,
  type DumpEntry,
  type DumpSelection,
  type Hit,
  type IndexEntry,
  type IndexKey,
  type InspectedRecord,
  type Key,
  type KindUsage,
  type Page,
  type PageRequest,
  type PutChange,
  type ReviseChange,
  type Revision,
  type Store,
  type StoredRecord,
  StoreUnavailableError,
  type TouchChange,
  type Usage,
  type WriteOptions,
  type WriteResult,
} from './store.ts'
