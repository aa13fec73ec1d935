import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailableError } from '../store.ts'
import { type WriteFailure, writeFailure } from './write-failure.ts'

/** Most writes in one transaction. */
const MAX_BATCH = 256

/** Queues writes and commits those of one event-loop turn together. */
export interface WriteBatch {
  /** Runs `work` in the next transaction; answered after its COMMIT. `work` is synchronous. */
  run<Result>(work: () => Result): Promise<Result>
  /** Commits everything queued, now. */
  flush(): void
}

interface Write {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** What became of a write; told to its caller after the COMMIT. */
type Done = () => void

/** A write failed where none has a savepoint, and the transaction is good otherwise. */
class OneFailed extends Error {}

/**
 * Group commit: one synchronous transaction per turn, so that a hundred writes cost one disk sync. When one of them fails,
 * which none should, all are run again with a savepoint for each, so that it takes nobody with it: savepoints cost a copy
 * of every page that the writes of a turn share. No transaction is open across turns.
 * @param onFailure - hears why a whole transaction failed; true: it made room, and the transaction is tried once more
 */
export function createWriteBatch(
  db: DatabaseSync,
  onFailure: (failure: WriteFailure) => boolean = () => false,
): WriteBatch {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT write')
  const release = db.prepare('RELEASE write')
  const undo = db.prepare('ROLLBACK TO write')
  let queue: Write[] = []
  let scheduled = false

  function commitNext(): void {
    const batch = queue.length > MAX_BATCH ? queue.splice(0, MAX_BATCH) : queue
    if (batch === queue) queue = []
    let failure = commitBare(batch)
    if (failure === 'one') failure = commitGuarded(batch)
    if (failure !== undefined && onFailure(failure)) failure = commitGuarded(batch)
    if (failure === undefined) return
    const error = unavailable(failure.cause)
    for (const write of batch) write.reject(error)
  }

  /** Answers `one` when a write failed and the others may go on without it. */
  function commitBare(batch: readonly Write[]): WriteFailure | 'one' | undefined {
    try {
      commitAll(batch, runBare)
      return undefined
    } catch (error) {
      return error instanceof OneFailed ? 'one' : writeFailure(error)
    }
  }

  function commitGuarded(batch: readonly Write[]): WriteFailure | undefined {
    try {
      commitAll(batch, runGuarded)
      return undefined
    } catch (error) {
      return writeFailure(error)
    }
  }

  /** Nobody is told anything before the COMMIT: the transaction may be tried once more. */
  function commitAll(batch: readonly Write[], run: (write: Write) => Done): void {
    try {
      begin.run()
      const done = batch.map(run)
      commit.run()
      for (const tell of done) tell()
    } catch (error) {
      rollBack()
      throw error
    }
  }

  function rollBack(): void {
    try {
      if (db.isTransaction) rollback.run()
    } catch {
      // The next BEGIN fails then, and every write is told so.
    }
  }

  /** Whether SQLite itself rolled the whole transaction back (I/O error), or there is no space. */
  function endsAll(error: unknown): boolean {
    return !db.isTransaction || writeFailure(error).reason === 'full'
  }

  function runBare(write: Write): Done {
    try {
      const result = write.work()
      return () => write.resolve(result)
    } catch (error) {
      throw endsAll(error) ? error : new OneFailed()
    }
  }

  function runGuarded(write: Write): Done {
    savepoint.run()
    try {
      const result = write.work()
      release.run()
      return () => write.resolve(result)
    } catch (error) {
      if (endsAll(error)) throw error
      undo.run()
      release.run()
      return () => write.reject(unavailable(error))
    }
  }

  function turn(): void {
    scheduled = false
    commitNext()
    if (queue.length > 0) schedule()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(turn)
  }

  return {
    run<Result>(work: () => Result): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        // The queue is of mixed results; each is resolved with what its own work answered.
        queue.push({ work, resolve: resolve as (result: unknown) => void, reject })
        schedule()
      })
    },
    flush(): void {
      while (queue.length > 0) commitNext()
    },
  }
}

/** What a failing SQLite call means to a caller. */
export function unavailable(cause: unknown): StoreUnavailableError {
  if (cause instanceof StoreUnavailableError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailableError(`the store cannot be used: ${reason}`, { cause })
}
