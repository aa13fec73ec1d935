import type { LogEventOf, LogFields } from './log-table.ts'
import type { STORE_LOG_EVENTS } from './log-events.ts'

/** Where a store tells what an operator should know; a pino logger fits. */
export interface StoreLog {
  /** Works, but not as it should: `fields.event` names it (`store.appendonly_off`). */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  /** Failed: `fields.event` names it, `fields.cause` says why, without content. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/**
 * Says nothing.
 * @example
 * const store = sqliteStore({ file: ':memory:', log: silentLog })
 */
export const silentLog: StoreLog = { warn: () => {}, error: () => {} }

type Events = typeof STORE_LOG_EVENTS

type Line<Level> = {
  [Name in LogEventOf<Events, Level>]: { readonly event: Name } & FieldsOf<Events[Name]>
}[LogEventOf<Events, Level>]

type FieldsOf<Row> = LogFields<Row> extends [] ? unknown : NonNullable<LogFields<Row>[0]>

/** As engines write to it: the events of the table at their levels, with their fields, and nothing else. */
export interface StoreEventLog {
  warn(fields: Line<'warn'>, message: string): void
  error(fields: Line<'error'>, message: string): void
}
