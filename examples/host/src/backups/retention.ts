import { rmSync } from 'node:fs'
import { type BackupFile, listBackups, manifestOf } from './backup-files.ts'

/** How many days, weeks and months have a backup. */
export interface Keep {
  readonly d: number
  readonly w: number
  readonly m: number
}

const FORM = /^(?:\d{1,4}[dwm])(?:,\d{1,4}[dwm])*$/
const DAY_MS = 24 * 3600 * 1000

/** Reads `7d,4w,12m`. @throws Error when it is malformed, or keeps nothing */
export function parseKeep(text: string): Keep {
  const keep = { d: 0, w: 0, m: 0 }
  if (FORM.test(text)) {
    for (const part of text.split(',')) {
      keep[part.slice(-1) as keyof Keep] = Number(part.slice(0, -1)) // One of the three, by the form.
    }
  }
  if (keep.d + keep.w + keep.m === 0) {
    throw new Error('--keep is days, weeks and months, such as 7d,4w,12m.')
  }
  return keep
}

/**
 * The backups that are too many: the newest of each of the last days, weeks and months that have one stay. Weeks begin
 * on Monday; all are of UTC.
 * @param files - newest first
 */
export function surplus(files: readonly BackupFile[], keep: Keep): readonly BackupFile[] {
  const kept = new Set([
    ...newestOf(files, keep.d, (at) => Math.floor(at / DAY_MS)),
    // The epoch began on a Thursday.
    ...newestOf(files, keep.w, (at) => Math.floor((Math.floor(at / DAY_MS) + 3) / 7)),
    ...newestOf(files, keep.m, monthOf),
  ])
  return files.filter((file) => !kept.has(file))
}

/** Removes them, with their manifests. @returns their files */
export function removeSurplus(directory: string, keep: Keep): readonly string[] {
  const files = surplus(listBackups(directory), keep).map(({ file }) => file)
  for (const file of files) {
    rmSync(file, { force: true })
    rmSync(manifestOf(file), { force: true })
  }
  return files
}

function newestOf(
  files: readonly BackupFile[],
  count: number,
  periodOf: (at: number) => number,
): readonly BackupFile[] {
  const newest = new Map<number, BackupFile>()
  for (const file of files) {
    const period = periodOf(file.at)
    if (!newest.has(period)) newest.set(period, file)
  }
  return [...newest.values()].slice(0, count)
}

function monthOf(at: number): number {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
