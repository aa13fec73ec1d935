import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { unavailable } from './write-batch.ts'
import { backup, type DatabaseSync } from './engine.ts'

/** Pages between two writes of others. @see operation.md 4.1 */
const STEP_PAGES = 64
/** A copy that meets a commit at its first step has nothing, and begins again. */
const ATTEMPTS = 1000
/** Pages after which what was copied is brought to the disk. */
const SYNC_PAGES = 8192

/** Copies an open database over its own connection, so that its own writes never make the copy start again. */
export async function copyDatabase(
  db: DatabaseSync,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  const syncing = syncSteadily(target)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const pages = await backup(db, target, {
        rate: STEP_PAGES,
        progress({ totalPages, remainingPages }) {
          signal?.throwIfAborted() // What is thrown here ends the copy.
          syncing.copied(totalPages - remainingPages)
        },
      })
      await syncing.settled()
      if (pages > 0) return
    } catch (error) {
      // A step that found a write under way is told with the message of the target, which has no fault.
      if ((error as Error).message !== 'not an error') throw unavailable(error)
    }
    await setImmediate()
  }
  throw unavailable(new Error('its writes leave no moment for a copy'))
}

/**
 * Brings a copy to the disk while it is made. The last step of SQLite does that for all that is left, and nobody reads or
 * writes the source meanwhile: with a large store, for as long as the disk takes.
 */
function syncSteadily(target: string) {
  let running: Promise<void> | undefined
  let last = 0
  async function sync(): Promise<void> {
    const file = await open(target, 'r')
    try {
      await file.datasync()
    } finally {
      await file.close()
    }
  }
  return {
    copied(pages: number): void {
      if (pages < last) last = 0
      if (running !== undefined || pages - last < SYNC_PAGES) return
      last = pages
      running = sync()
        // Only early: what fails here fails again in the last step.
        .catch(() => {})
        .finally(() => {
          running = undefined
        })
    },
    async settled(): Promise<void> {
      await running
    },
  }
}
