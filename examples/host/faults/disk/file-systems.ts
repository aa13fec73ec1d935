import { spawnSync } from 'node:child_process'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A small file system of its own, and what a round does to it. */
export interface SmallDisk {
  readonly folder: string
  /** Takes all room but so many bytes. */
  fill(leave: number): void
  /** Gives the room back. */
  empty(): void
  remove(): void
}

const MIB = 1024 * 1024

/** Why this machine cannot mount; undefined: it can. */
export function reasonAgainst(): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-disk-'))
  const { status, stderr } = run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
  if (status === 0) run('umount', [folder])
  rmSync(folder, { recursive: true })
  return status === 0 ? undefined : `mount: ${stderr.trim() || 'not allowed'}`
}

/** @throws Error when it cannot be mounted */
export function mountMemory(bytes: number): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-disk-'))
  must('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  return toDisk(folder, () => {})
}

/** ext4 in a file. @throws Error when it cannot be made or mounted */
export function mountImage(bytes: number): SmallDisk & {
  /** As the kernel does after errors of the device: what is open stays so, and nothing can be written. */
  makeReadOnly(): void
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-disk-'))
  const image = `${folder}.img`
  closeSync(openSync(image, 'w'))
  truncateSync(image, bytes)
  must('mkfs.ext4', ['-q', '-F', image])
  must('mount', ['-o', 'loop', image, folder])
  return {
    ...toDisk(folder, () => rmSync(image)),
    makeReadOnly: () => must('mount', ['-o', 'remount,abort', folder]),
  }
}

function toDisk(folder: string, removeImage: () => void): SmallDisk {
  const filler = path.join(folder, 'filler')
  mkdirSync(path.join(folder, 'data'), { mode: 0o700 })
  return {
    folder: path.join(folder, 'data'),
    fill(leave) {
      const file = openSync(filler, 'a')
      const block = Buffer.alloc(MIB, 1)
      try {
        for (let size = MIB; size >= 4096; ) {
          try {
            writeSync(file, block, 0, size)
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
            size /= 2
          }
        }
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      if (leave > 0) shrink(filler, leave)
    },
    empty: () => rmSync(filler, { force: true }),
    remove() {
      run('umount', ['-l', folder])
      removeImage()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function shrink(file: string, by: number): void {
  const { stdout } = run('stat', ['-c', '%s', file])
  truncateSync(file, Math.max(0, Number(stdout) - by))
}

function must(command: string, args: readonly string[]): void {
  const { status, stderr } = run(command, args)
  if (status !== 0) throw new Error(`${command}: ${stderr.trim()}`)
}

function run(command: string, args: readonly string[]) {
  return spawnSync(command, args, { encoding: 'utf8' })
}
