/** Where a store tells what an operator should know; a pino logger fits. */
export interface StoreLog {
  /** Works, but not as it should: `fields.event` names it (`store.appendonly_off`). */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  /** Failed: `fields.event` names it, `fields.cause` says why, without content. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Says nothing. */
export const silentLog: StoreLog = { warn: () => {}, error: () => {} }
