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

/**
 * Group commit: one synchronous transaction per turn with a savepoint for each write, so that a hundred writes cost
 * one disk sync and a failing one takes nobody with it. No transaction is open across turns.
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
    let failure = commitAll(batch)
    if (failure !== undefined && onFailure(failure)) failure = commitAll(batch)
    if (failure === undefined) return
    const error = unavailable(failure.cause)
    for (const write of batch) write.reject(error)
  }

  /** Nobody is told anything before the COMMIT: the transaction may be tried once more. */
  function commitAll(batch: readonly Write[]): WriteFailure | undefined {
    try {
      begin.run()
      const done = batch.map(runOne)
      commit.run()
      for (const tell of done) tell()
      return undefined
    } catch (error) {
      rollBack()
      return writeFailure(error)
    }
  }

  function rollBack(): void {
    try {
      if (db.isTransaction) rollback.run()
    } catch {
      // The next BEGIN fails then, and every write is told so.
    }
  }

  /** @throws when SQLite itself rolled the whole transaction back (I/O error), or there is no space */
  function runOne(write: Write): Done {
    savepoint.run()
    try {
      const result = write.work()
      release.run()
      return () => write.resolve(result)
    } catch (error) {
      if (!db.isTransaction || writeFailure(error).reason === 'full') throw error
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
