import { statfs } from 'node:fs/promises'
import { describeError } from '@svc/store'
import type { HostEventLog } from '../log/log.ts'

/** Bytes and places for files that are free, and how many there are. */
export interface Space {
  readonly bytes: number
  readonly freeBytes: number
  readonly inodes: number
  readonly freeInodes: number
}

/** Whether the file system of the embedded store has little room. */
export interface LowSpace {
  /** While it is, routes that grow are refused. */
  isLow(): boolean
  /** Looks now. Never rejects. */
  look(): Promise<void>
  stop(): void
}

const PERIOD_MS = 10_000
const MIN_BYTES = 256 * 1024 * 1024
const MIN_SHARE = 0.02
const MIN_INODES = 0.05

/**
 * Looks every 10 s. The mode is left at twice what it was entered at, so that it does not flicker.
 * @param look - at the file system; undefined: it does not tell
 * @see operation.md 8.4
 */
export function watchSpace(look: () => Promise<Space>, log: HostEventLog): LowSpace {
  let isLow = false

  async function lookNow(): Promise<void> {
    try {
      const space = await look()
      const next = isLow ? !hasRoom(space, 2) : !hasRoom(space, 1)
      if (next === isLow) return
      isLow = next
      const { freeBytes, freeInodes } = space
      if (isLow) log.warn('store.low_space', { freeBytes, freeInodes })
      else log.info('store.space_back', { freeBytes, freeInodes })
    } catch (error) {
      log.warn('store.space_unknown', { cause: describeError(error) })
    }
  }

  const timer = setInterval(() => void lookNow(), PERIOD_MS)
  timer.unref()
  return { isLow: () => isLow, look: lookNow, stop: () => clearInterval(timer) }
}

function hasRoom({ bytes, freeBytes, inodes, freeInodes }: Space, times: number): boolean {
  // Where a whole file system is smaller than the bound, a tenth of it is left for what must always work.
  const bound = Math.min(Math.max(MIN_BYTES, bytes * MIN_SHARE), bytes / 10)
  // Some file systems have no fixed number of inodes.
  return freeBytes >= bound * times && (inodes === 0 || freeInodes >= inodes * MIN_INODES * times)
}

/** Whether so many bytes fit. */
export function hasRoomFor({ freeBytes }: Space, bytes: number): boolean {
  return freeBytes >= bytes
}

/** @param folder - any of the file system */
export async function spaceOf(folder: string): Promise<Space> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(folder)
  return { bytes: bsize * blocks, freeBytes: bsize * bavail, inodes: files, freeInodes: ffree }
}
