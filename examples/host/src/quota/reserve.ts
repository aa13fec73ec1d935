import { randomFillSync } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Room that is kept for what must always work. @see operation.md 8.5 */
export interface Reserve {
  /** Makes it, unless it is there. @throws the system's error when there is no room */
  make(): void
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

  function write(): void {
    const file = openSync(unfinished, 'w', 0o600)
    try {
      const block = randomFillSync(Buffer.allocUnsafe(STEP))
      for (let left = bytes; left > 0; left -= STEP) writeSync(file, block, 0, Math.min(STEP, left))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(unfinished, path)
  }

  return {
    make() {
      if (existsSync(path)) return
      try {
        write()
      } catch (error) {
        rmSync(unfinished, { force: true })
        throw error
      }
    },
    release() {
      if (!existsSync(path)) return false
      rmSync(path, { force: true })
      return true
    },
    isThere: () => existsSync(path),
  }
}
