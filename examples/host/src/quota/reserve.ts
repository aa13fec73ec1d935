import { randomFillSync } from 'node:crypto'
import { closeSync, constants, existsSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openNewFile } from '@svc/store'

/** Room that is kept for what must always work. @see operation.md 8.5 */
export interface Reserve {
  /**
   * Makes it, unless it is there or being made. Nothing waits meanwhile: a slow disk takes seconds for it.
   * @throws the system's error when there is no room
   */
  make(): Promise<void>
  /** Gives the room away. False: there was none left to give. */
  release(): boolean
  isThere(): boolean
}

export const RESERVE_BYTES = 33_554_432
const STEP = 1024 * 1024

/** The file `reserve` of the data directory: random bytes, since a file system may compress or leave out others. */
export function createReserve(folder: string, bytes: number = RESERVE_BYTES): Reserve {
  const path = join(folder, 'reserve')
  const unfinished = `${path}.new`

  let making: Promise<void> | undefined

  async function write(): Promise<void> {
    try {
      await rm(unfinished, { force: true })
      closeSync(openNewFile(unfinished))
      const file = await open(unfinished, constants.O_WRONLY | constants.O_NOFOLLOW)
      try {
        const block = randomFillSync(Buffer.allocUnsafe(STEP))
        for (let left = bytes; left > 0; ) {
          // A system may write less than it was given.
          left -= (await file.write(block, 0, Math.min(STEP, left))).bytesWritten
        }
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
  }

  return {
    async make() {
      if (existsSync(path)) return
      making ??= write().finally(() => {
        making = undefined
      })
      await making
    },
    release() {
      if (!existsSync(path)) return false
      rmSync(path, { force: true })
      return true
    },
    isThere: () => existsSync(path),
  }
}
