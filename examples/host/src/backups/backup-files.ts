import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openNewFile } from '@svc/store'

/** `svc-<UTC time>.db`, of Redis `.rdb`; encrypted with `.age` behind it. */
const NAME = /^svc-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.(?:db|rdb)(?:\.age)?$/
/** What is being written, by which process: `.svc-<UTC time>.<process id>.unfinished`. */
const UNFINISHED = /^\.svc-\d{8}T\d{6}Z\.(\d+)\.(?:\w+\.)?unfinished$/

/** A backup in a folder. */
export interface BackupFile {
  readonly file: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The part of the names that a backup of this moment has. */
export function stemOf(at: number): string {
  return `svc-${new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')}`
}

/** Where the manifest of a backup is: beside it, without `.age`, with `.json`. */
export function manifestOf(file: string): string {
  return `${file.replace(/\.(?:db|rdb)(?:\.age)?$/, '')}.json`
}

/** A place for what becomes a backup: nothing looks for it under that name. */
export function unfinishedIn(directory: string, stem: string): string {
  return join(directory, `.${stem}.${process.pid}.unfinished`)
}

/** Whether a path is one that {@link unfinishedIn} made. */
export function isUnfinished(file: string): boolean {
  return UNFINISHED.test(basename(file))
}

/** The finished backups of a folder, newest first. */
export function listBackups(directory: string): readonly BackupFile[] {
  return readdirSync(directory)
    .flatMap((name) => {
      const parts = NAME.exec(name)
      if (parts === null) return []
      const [year = 0, month = 1, day, hour, minute, second] = parts.slice(1).map(Number)
      return [
        { file: join(directory, name), at: Date.UTC(year, month - 1, day, hour, minute, second) },
      ]
    })
    .toSorted((one, other) => other.at - one.at)
}

/** Removes what processes left that were killed while they made a backup. */
export function removeLeftOvers(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = Number(UNFINISHED.exec(name)?.[1] ?? Number.NaN)
    if (!Number.isNaN(pid) && !isAlive(pid)) rmSync(join(directory, name), { force: true })
  }
}

/** Makes what was written to a file, or the names in a folder, survive a power failure. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Copies a file to one that is not there yet, durably. */
export async function copyToNew(from: string, to: string): Promise<void> {
  await pipeline(
    createReadStream(from, { highWaterMark: 1 << 20 }),
    createWriteStream(to, { fd: openNewFile(to), flush: true }),
  )
}

/** As {@link syncPath}, while others are served: a large file takes as long as the disk does. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
