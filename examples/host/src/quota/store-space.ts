import type { WriteFailure } from '@svc/store/sqlite'
import { createFullDisk, probeFolder } from './full-disk.ts'
import { hasRoomFor, spaceOf, watchSpace } from './low-space.ts'
import { createReserve, RESERVE_BYTES } from './reserve.ts'
import type { HostEventLog } from '../log/log.ts'

/** The room of the embedded store: whether there is little, or none, and what is kept back for that. */
export interface StoreSpace {
  /** While it is, routes that grow are refused. */
  isLow(): boolean
  /** For the store. */
  onWriteFailure(failure: WriteFailure): boolean
  /** Looks at the file system, then every 10 s, and has the reserve made when there is none. */
  start(): Promise<void>
  /** Waits for a reserve that is being made. */
  stop(): Promise<void>
}

/**
 * @param folder - the data directory
 * @param end - ends the process after a failed sync
 */
export function createStoreSpace(folder: string, log: HostEventLog, end: () => void): StoreSpace {
  const reserve = createReserve(folder)
  const full = createFullDisk({ reserve, log, end, probe: () => probeFolder(folder) })
  /** Whether a missing reserve means a full disk: it does not before the first one was tried. */
  let isTried = false
  let recovered = Promise.resolve()
  const watch = watchSpace(async () => {
    const space = await spaceOf(folder)
    // As much again stays free, else the next write would take it away.
    recovered = full.recover(hasRoomFor(space, 2 * RESERVE_BYTES))
    return space
  }, log)
  return {
    isLow: () => watch.isLow() || (isTried && full.isFull()),
    onWriteFailure: full.onWriteFailure,
    async start() {
      await watch.look()
      void recovered.then(() => {
        isTried = true
      })
    },
    async stop() {
      watch.stop()
      await recovered
    },
  }
}
