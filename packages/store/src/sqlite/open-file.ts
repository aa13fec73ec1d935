import { closeSync, existsSync, fsyncSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ensurePrivateFile, makePrivateFolder, mayFollowLinks } from '../files/private-files.ts'
import { StoreUnavailableError } from '../store.ts'
import { prepareDatabase } from './schema.ts'
import { DatabaseSync } from './engine.ts'

/** An open store file and the lock that keeps other processes out. */
export interface OpenFile {
  readonly db: DatabaseSync
  /** Where it is; absent: in memory. */
  readonly path?: string
  /** Closes the file, then lets go of the lock. */
  close(): void
}

/**
 * Opens a store file (`:memory:` for none), made with mode 0600 in a directory with mode 0700 when absent.
 * @throws StoreUnavailableError when another process has it, or it cannot be used
 */
export function openFile(
  file: string,
  cacheKib: number,
  reads?: readonly [number, number],
): OpenFile {
  if (file === ':memory:') {
    const db = open(file, cacheKib, reads)
    return { db, close: () => db.close() }
  }
  const path =
    existsSync(file) && mayFollowLinks(dirname(resolve(file)))
      ? realpathSync(file)
      : placeOf(resolve(file))
  const release = holdLock(path)
  try {
    createPrivate(path)
    const db = open(path, cacheKib, reads)
    return {
      db,
      path,
      close() {
        try {
          db.close()
        } finally {
          release()
        }
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

function open(
  path: string,
  cacheKib: number,
  reads: readonly [number, number] | undefined,
): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    // Only backups by another process ever hold a lock here, for moments.
    db = new DatabaseSync(path, { timeout: 2000 })
    prepareDatabase(db, cacheKib, reads)
    return db
  } catch (cause) {
    db?.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreUnavailableError(`the store file ${path} cannot be used: ${reason}`, { cause })
  }
}

/**
 * The locks of this process by the path of their store. They stand here for two reasons: a lock that nothing points to
 * would be collected as garbage and let go; and a process that opens and closes the side file once more loses its own
 * lock on it, as POSIX has it for every descriptor of a file, so that a second attempt may not touch the file.
 */
const held = new Map<string, DatabaseSync>()

/**
 * Holds an exclusive lock on a side file for life: the operating system lets go of it even after `kill -9`, and the
 * main file stays free for backups while running (D6). The answered function lets go.
 */
function holdLock(path: string): () => void {
  if (held.has(path)) throw inUse(path)
  let lock: DatabaseSync | undefined
  try {
    createPrivate(`${path}.lock`)
    lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    held.set(path, lock)
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) throw inUse(path, cause)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StoreUnavailableError(`the store file ${path} cannot be locked: ${reason}`, { cause })
  }
  return () => {
    held.get(path)?.close()
    held.delete(path)
  }
}

function inUse(path: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    `the store file ${path} is in use by another process: ` +
      'the embedded store is for one process, several need Redis (decision D6)',
    { cause },
  )
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}

/** Where a file will be whose link is not followed; its directory is made. One place has one name, or `held` would not know it. */
function placeOf(path: string): string {
  makePrivateFolder(dirname(path))
  return join(realpathSync(dirname(path)), basename(path))
}

function createPrivate(path: string): void {
  ensurePrivateFile(path)
  // The directory entry too must survive a power failure.
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
