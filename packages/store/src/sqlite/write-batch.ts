import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailableError } from '../store.ts'

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

interface Done {
  readonly write: Write
  readonly result: unknown
}

/**
 * Group commit: one synchronous transaction per turn with a savepoint for each write, so that a hundred writes cost
 * one disk sync and a failing one takes nobody with it. No transaction is open across turns.
 */
export function createWriteBatch(db: DatabaseSync): WriteBatch {
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
    const done: Done[] = []
    try {
      begin.run()
      for (const write of batch) {
        const outcome = runOne(write)
        if (outcome !== undefined) done.push(outcome)
      }
      commit.run()
    } catch (error) {
      rollBack()
      const failure = unavailable(error)
      for (const write of batch) write.reject(failure)
      return
    }
    for (const { write, result } of done) write.resolve(result)
  }

  function rollBack(): void {
    try {
      if (db.isTransaction) rollback.run()
    } catch {
      // The next BEGIN fails then, and every write is told so.
    }
  }

  /** @throws when SQLite itself rolled the whole transaction back (disk full, I/O error) */
  function runOne(write: Write): Done | undefined {
    savepoint.run()
    try {
      const result = write.work()
      release.run()
      return { write, result }
    } catch (error) {
      if (!db.isTransaction) throw error
      undo.run()
      release.run()
      write.reject(unavailable(error))
      return undefined
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
