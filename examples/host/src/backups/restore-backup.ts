import { closeSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type Clock,
  ensurePrivateFile,
  makePrivateFolder,
  openPresentFile,
  type Store,
} from '@svc/store'
import { KNOWN_VERSIONS } from '../storage/store-version.ts'
import { copyToNew, stemOf, syncPath } from './backup-files.ts'
import { putMark, readRestored } from './restored-record.ts'

export interface RestoreOptions {
  /** A verified backup, as the store wrote it. */
  readonly plain: string
  /** Of the embedded store. */
  readonly place: string
  /** When the backup was made, milliseconds since the epoch. */
  readonly backupAt: number
  readonly revokeGrants: boolean
  /** Nothing was written since the backup: nobody has to be told, and nothing ends. */
  readonly isSameInstant: boolean
  readonly clock: Clock
}

const CLIENT = /^\{([^}]+)\}:client:/

/**
 * Puts a backup in the place of a stopped server's store. Until the last step, which is one rename, the present store
 * is in its place: interrupted at any moment, it is done again.
 * @returns where the store of before is; undefined where there was none
 * @throws Error while a server runs
 * @see operation.md 4.2
 */
export async function restoreBackup(options: RestoreOptions): Promise<string | undefined> {
  const { place, clock } = options
  makePrivateFolder(dirname(place))
  // Refuses a link in the place of the store.
  if (existsSync(place)) closeSync(openPresentFile(place))
  const lock = holdLock(place)
  const next = `${place}.restoring`
  try {
    removeAll(next)
    await copyToNew(options.plain, next)
    settleStore(place)
    if (!options.isSameInstant) await markRestored(next, options)
    syncPath(next)
    const kept = await keepPresent(place, clock.now())
    renameSync(next, place)
    syncPath(dirname(place))
    return kept
  } finally {
    removeAll(next)
    lock.close()
  }
}

/** As the store itself does: while this is held no server starts. */
function holdLock(place: string): DatabaseSync {
  ensurePrivateFile(`${place}.lock`)
  const lock = new DatabaseSync(`${place}.lock`, { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    throw new Error('The server runs. Stop it, then run this again. Nothing was changed.', {
      cause,
    })
  }
}

/** Brings what the present store wrote last into its one file. One that is damaged stays as it is. */
function settleStore(place: string): void {
  if (!existsSync(place)) return
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(place)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
  } catch {
    // Its log is kept beside it.
  } finally {
    db?.close()
  }
}

/** Gives the present store a second name, under which it stays. */
async function keepPresent(place: string, now: number): Promise<string | undefined> {
  if (!existsSync(place)) return undefined
  const kept = `${place}.before-restore-${stemOf(now).slice('svc-'.length)}`
  rmSync(kept, { force: true })
  try {
    linkSync(place, kept)
  } catch {
    // Not every file system has links.
    await copyToNew(place, kept)
  }
  for (const log of ['-wal', '-shm']) {
    // Of a damaged store: it must not be taken for the log of the next one.
    if (existsSync(`${place}${log}`)) renameSync(`${place}${log}`, `${kept}${log}`)
  }
  syncPath(kept)
  return kept
}

async function markRestored(next: string, options: RestoreOptions): Promise<void> {
  const { backupAt, place, revokeGrants, clock } = options
  const { sqliteStore } = await import('@svc/store/sqlite')
  const store = sqliteStore({ file: next, reads: KNOWN_VERSIONS.reads })
  try {
    const returned = await returnedClients(store, clientsOf(place))
    await putMark(store, { backupAt, restoredAt: clock.now(), revokeGrants }, returned)
    if ((await readRestored(store)) === undefined) throw new Error('The mark was not written.')
  } finally {
    await store.close()
  }
  settleStore(next)
}

/** Names of clients by instance that the other store has no more. */
async function returnedClients(
  store: Store,
  present: ReadonlySet<string> | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const returned = new Map<string, string[]>()
  if (present === undefined) return returned
  for await (const entry of store.dump()) {
    if (entry.type !== 'record') break
    const [, tag] = CLIENT.exec(entry.key) ?? []
    if (tag === undefined || present.has(entry.key)) continue
    const { metadata } = entry.value as { readonly metadata?: { readonly client_name?: unknown } } // A client.
    const names = returned.get(tag) ?? []
    names.push(String(metadata?.client_name ?? ''))
    returned.set(tag, names)
  }
  return returned
}

/** Keys of the clients of the present store, where it can be read. */
function clientsOf(place: string): ReadonlySet<string> | undefined {
  if (!existsSync(place) || statSync(place).size === 0) return undefined
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(place, { readOnly: true })
    const rows = db.prepare("SELECT key FROM records WHERE key LIKE '{%}:client:%'").all()
    return new Set(rows.map(({ key }) => String(key)))
  } catch {
    return undefined
  } finally {
    db?.close()
  }
}

function removeAll(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal', '.lock']) {
    rmSync(`${file}${end}`, { force: true })
  }
}
