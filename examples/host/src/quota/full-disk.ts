import { closeSync, fsyncSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describeError, openNewFile } from '@svc/store'
import type { WriteFailure } from '@svc/store/sqlite'
import type { Reserve } from './reserve.ts'
import type { HostEventLog } from '../log/log.ts'

/** What a data directory says when something is written to it. */
export type DiskState = 'usable' | 'ENOSPC' | 'EDQUOT' | 'EROFS' | 'EIO' | 'unknown'

/** What is done when the store cannot write. */
export interface FullDisk {
  /** For the store: true when room was made. */
  onWriteFailure(failure: WriteFailure): boolean
  /** Whether nothing may grow, since the reserve is used up. */
  isFull(): boolean
  /** Makes the reserve anew when there is room again. Never rejects. */
  recover(hasRoom: boolean): Promise<void>
}

const EVENTS = {
  ENOSPC: 'store.full',
  EDQUOT: 'store.quota_exceeded',
  EROFS: 'store.read_only',
  EIO: 'store.io_error',
} as const

/**
 * Gives the reserve away at the first write that finds no room, so that revocations, logouts and deletions are still
 * durable. SQLite tells little about a failure, so the directory is asked.
 * @param end - ends the process, since nothing that follows a failed sync can be trusted
 * @see operation.md 8.5, 8.6
 */
export function createFullDisk(parts: {
  readonly reserve: Reserve
  readonly log: HostEventLog
  readonly probe: () => DiskState
  readonly end: () => void
}): FullDisk {
  const { reserve, log, probe, end } = parts
  let told: DiskState = 'usable'

  function tell(state: DiskState, cause: unknown): void {
    if (state === told || state === 'usable') return
    told = state
    const event = state === 'unknown' ? 'store.write_failed' : EVENTS[state]
    log.error(event, { cause: describeError(cause) })
  }

  return {
    onWriteFailure({ reason, cause }) {
      if (reason === 'sync') {
        tell('EIO', cause)
        end()
        return false
      }
      const probed = probe()
      // A few bytes may still fit where a whole transaction does not.
      const state = reason === 'full' && probed === 'usable' ? 'ENOSPC' : probed
      tell(state === 'usable' ? 'unknown' : state, cause)
      if (state !== 'ENOSPC' && state !== 'EDQUOT') return false
      try {
        return reserve.release()
      } catch (error) {
        log.error('store.reserve_stuck', { cause: describeError(error) })
        return false
      }
    },
    isFull: () => !reserve.isThere(),
    async recover(hasRoom) {
      if (!hasRoom || reserve.isThere()) return
      try {
        await reserve.make()
        if (told !== 'usable') log.info('store.writable')
        told = 'usable'
      } catch (error) {
        log.warn('store.no_reserve', { cause: describeError(error) })
      }
    },
  }
}

/** Writes a little into a folder, durably, and says how that went. */
export function probeFolder(folder: string): DiskState {
  const path = join(folder, 'probe')
  try {
    rmSync(path, { force: true })
    const file = openNewFile(path)
    try {
      writeSync(file, Buffer.alloc(4096, 1))
      fsyncSync(file)
    } finally {
      closeSync(file)
      rmSync(path, { force: true })
    }
    return 'usable'
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return code in EVENTS ? (code as keyof typeof EVENTS) : 'unknown'
  }
}
