import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { StoreUnavailableError } from '../../../src/index.ts'
import { createWriteBatch } from '../../../src/sqlite/write-batch.ts'
import { type WriteFailure, writeFailure } from '../../../src/sqlite/write-failure.ts'

describe('writes that SQLite could not make durable', () => {
  for (const [code, reason] of [
    [13, 'full'],
    [8, 'read-only'],
    [1032, 'read-only'],
    [778, 'io'],
    [1034, 'sync'],
    [1290, 'sync'],
    [11, 'other'],
  ] as const) {
    it(`are ${reason} for code ${code}`, () => {
      const cause = Object.assign(new Error('x'), { errcode: code })
      expect(writeFailure(cause)).to.deep.equal({ reason, cause })
    })
  }

  /** A database with room for a few pages, which `makeRoom` takes away the end of. */
  function small() {
    const db = new DatabaseSync(':memory:')
    db.exec('CREATE TABLE t (value TEXT); PRAGMA max_page_count = 12')
    const insert = db.prepare('INSERT INTO t VALUES (?)')
    const write = (bytes: number): number => Number(insert.run('x'.repeat(bytes)).changes)
    const count = (): unknown => db.prepare('SELECT count(*) AS n FROM t').get()?.['n']
    return { db, write, count, makeRoom: () => db.exec('PRAGMA max_page_count = 1000') }
  }

  it('are tried once more when room was made, each once', async () => {
    const { count, db, makeRoom, write } = small()
    const failures: WriteFailure[] = []
    const batch = createWriteBatch(db, (failure) => {
      failures.push(failure)
      makeRoom()
      return true
    })
    const answers = await Promise.all([
      batch.run(() => write(1000)),
      batch.run(() => write(100_000)),
      batch.run(() => write(1000)),
    ])
    expect(answers).to.deep.equal([1, 1, 1])
    expect(count()).to.equal(3)
    expect(failures.map(({ reason }) => reason)).to.deep.equal(['full'])
  })

  it('are refused all together, and nothing of them is kept, when there is none', async () => {
    const { count, db, write } = small()
    const batch = createWriteBatch(db, () => true)
    const answers = await Promise.allSettled([
      batch.run(() => write(1000)),
      batch.run(() => write(100_000)),
    ])
    for (const answer of answers) {
      expect(answer).to.include({ status: 'rejected' }).with.property('reason')
      const { reason } = answer as PromiseRejectedResult
      expect(reason).to.be.instanceOf(StoreUnavailableError)
    }
    expect(count()).to.equal(0)
    expect(await batch.run(() => write(1000))).to.equal(1)
  })
})
