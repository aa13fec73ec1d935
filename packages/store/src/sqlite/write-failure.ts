/** Why SQLite could not make a write durable. */
export interface WriteFailure {
  /**
   * `full`: no space, as far as SQLite knows; `read-only`; `io`: any other error of the file system, an exceeded quota
   * among them; `sync`: what was written may not be on the disk, and nothing that follows can be trusted; `other`.
   */
  readonly reason: 'full' | 'read-only' | 'io' | 'sync' | 'other'
  readonly cause: unknown
}

const READ_ONLY = 8
const IO_ERROR = 10
const FULL = 13
/** `SQLITE_IOERR_FSYNC` and `SQLITE_IOERR_DIR_FSYNC`. */
const SYNC_ERRORS: readonly number[] = [1034, 1290]

/** What an error of SQLite means. @see https://www.sqlite.org/rescode.html */
export function writeFailure(cause: unknown): WriteFailure {
  const isCoded = cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number'
  const code = isCoded ? Number(cause.errcode) : 0
  return { reason: reasonOf(code), cause }
}

function reasonOf(code: number): WriteFailure['reason'] {
  if (SYNC_ERRORS.includes(code)) return 'sync'
  // The lowest byte is the kind.
  const kind = code & 0xff
  if (kind === FULL) return 'full'
  if (kind === READ_ONLY) return 'read-only'
  return kind === IO_ERROR ? 'io' : 'other'
}
