import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants

/** Who owns a directory, where this process is root and may give files away. */
function ownerFor(directory: string): { readonly uid: number; readonly gid: number } | undefined {
  return process.geteuid?.() === 0 ? statSync(directory) : undefined
}

/**
 * Makes a file of mode 0600 that belongs to the owner of its directory, also when root makes it. It is never one that was
 * there, nor the target of a link.
 * @returns its descriptor
 * @throws the system's error, `EEXIST` when something is there
 * @see decision D99
 */
export function openNewFile(path: string): number {
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    const owner = ownerFor(dirname(path))
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    rmSync(path, { force: true })
    throw error
  }
}

/**
 * Writes a file that is there whole or not at all, as {@link openNewFile} makes it.
 * @param present - `keep`: what is there stays; `replace`: what is there goes, be it a link
 * @returns whether it was written
 */
export function writeNewFile(path: string, content: string, present: 'keep' | 'replace'): boolean {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}`
  const descriptor = openNewFile(unfinished)
  try {
    writeSync(descriptor, content)
    fsyncSync(descriptor)
    if (present === 'replace') renameSync(unfinished, path)
    else return linkOrRename(unfinished, path)
    return true
  } finally {
    closeSync(descriptor)
    rmSync(unfinished, { force: true })
  }
}

/** A rename alone would replace a file that another process made, and may have locked, meanwhile. */
function linkOrRename(unfinished: string, path: string): boolean {
  try {
    linkSync(unfinished, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false
    // Not every file system has links.
    renameSync(unfinished, path)
    return true
  }
}

/** Not for root in a directory of somebody else, who could have any file of the machine read or changed. */
export function mayFollowLinks(directory: string): boolean {
  return (ownerFor(directory)?.uid ?? 0) === 0
}

/**
 * Opens a file that is there, to be read. Root follows no link in a directory of somebody else.
 * @returns its descriptor
 * @throws the system's error; an Error in words for such a link
 */
export function openPresentFile(path: string): number {
  const isFollowed = mayFollowLinks(dirname(path))
  try {
    return openSync(path, O_RDONLY | (isFollowed ? 0 : O_NOFOLLOW))
  } catch (cause) {
    if (isFollowed || (cause as NodeJS.ErrnoException).code !== 'ELOOP') throw cause
    throw new Error(
      `${path} is a symbolic link in a directory of another user, which root does not follow`,
      { cause },
    )
  }
}

/** What a file says. @throws as {@link openPresentFile} */
export function readPrivateFile(path: string): string {
  const descriptor = openPresentFile(path)
  try {
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Makes a file of mode 0600 unless it is there. @throws as {@link openPresentFile} */
export function ensurePrivateFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) writeNewFile(path, '', 'keep')
  const descriptor = openPresentFile(path)
  try {
    fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Makes a directory of mode 0700, and those above it, unless it is there.
 * @param like - whose owner it gets when root makes it; the one above it unless given
 */
export function makePrivateFolder(path: string, like?: string): void {
  if (existsSync(path)) return
  const above = dirname(path)
  makePrivateFolder(above, like)
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return
  }
  const owner = ownerFor(like ?? above)
  if (owner === undefined) return
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    fchownSync(descriptor, owner.uid, owner.gid)
  } finally {
    closeSync(descriptor)
  }
}
