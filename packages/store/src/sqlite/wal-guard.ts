import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import { describeError } from '../describe-error.ts'
import type { StoreEventLog } from '../log/store-log.ts'

/** The write-ahead file is written back once it is larger. @see operation.md 8.7 */
export const WAL_BYTES: number = 16 * 1024 * 1024
/** A reader that holds the write-ahead file back for longer is logged. */
const HELD_MS = 60_000
/** Between two looks. */
const PERIOD_MS = 10_000

/** Watches the write-ahead file of a store. */
export interface WalGuard {
  /** Looks once. */
  check(): void
  stop(): void
}

/**
 * SQLite writes the file back by itself at a commit; a reader of another process, such as a copy, keeps it from beginning
 * anew, and it grows. That is tried again here, and told once for each time it is held.
 */
export function startWalGuard(options: {
  readonly db: DatabaseSync
  /** Of the store; without one there is nothing to watch. */
  readonly path: string | undefined
  readonly clock: Clock
  readonly log: StoreEventLog
}): WalGuard {
  const { db, path, clock, log } = options
  if (path === undefined) return { check() {}, stop() {} }
  const wal = `${path}-wal`
  let heldSince: number | undefined
  let isTold = false

  function isHeld(): boolean {
    const { size = 0 } = statSync(wal, { throwIfNoEntry: false }) ?? {}
    if (size <= WAL_BYTES) return false
    // Waits for nobody.
    const row = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    return Number(row?.['busy']) !== 0 || Number(row?.['checkpointed']) < Number(row?.['log'])
  }

  function check(): void {
    try {
      if (!isHeld()) {
        heldSince = undefined
        isTold = false
        return
      }
      heldSince ??= clock.now()
      const heldMs = clock.now() - heldSince
      if (heldMs <= HELD_MS || isTold) return
      isTold = true
      const bytes = statSync(wal, { throwIfNoEntry: false })?.size ?? 0
      log.warn(
        { event: 'store.wal_held', bytes, heldMs },
        'a reader holds the write-ahead file back',
      )
    } catch (error) {
      const cause = describeError(error)
      log.error(
        { event: 'store.wal_check_failed', cause },
        'the write-ahead file cannot be checked',
      )
    }
  }

  const timer = setInterval(check, PERIOD_MS)
  timer.unref()
  return { check, stop: () => clearInterval(timer) }
}
