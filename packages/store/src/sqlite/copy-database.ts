import { backup, type DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { unavailable } from './write-batch.ts'

/** Pages between two writes of others. @see operation.md 4.1 */
const STEP_PAGES = 64
/** A copy that meets a commit at its first step has nothing, and begins again. */
const ATTEMPTS = 1000

/** Copies an open database over its own connection, so that its own writes never make the copy start again. */
export async function copyDatabase(db: DatabaseSync, target: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const pages = await backup(db, target, { rate: STEP_PAGES })
      if (pages > 0) return
    } catch (error) {
      // A step that found a write under way is told with the message of the target, which has no fault.
      if ((error as Error).message !== 'not an error') throw unavailable(error)
    }
    await setImmediate()
  }
  throw unavailable(new Error('its writes leave no moment for a copy'))
}
