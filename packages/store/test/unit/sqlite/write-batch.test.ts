import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { StoreUnavailableError } from '../../../src/index.ts'
import { createWriteBatch, type WriteBatch } from '../../../src/sqlite/write-batch.ts'
import { type WriteFailure, writeFailure } from '../../../src/sqlite/write-failure.ts'

function expectUnavailable(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes) {
    expect(outcome).to.include({ status: 'rejected' })
    expect((outcome as PromiseRejectedResult).reason).to.be.instanceOf(StoreUnavailableError)
  }
}

describe('createWriteBatch', () => {
  let db: DatabaseSync
  let batch: WriteBatch

  beforeEach(() => {
    db = new DatabaseSync(':memory:')
    db.exec(`
      CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE parts (
        thing INTEGER REFERENCES things (id) DEFERRABLE INITIALLY DEFERRED
      ) STRICT;
    `)
    batch = createWriteBatch(db)
  })
  afterEach(() => db.close())

  const insert = (id: number) => (): number => {
    db.prepare('INSERT INTO things (id) VALUES (?)').run(id)
    return id
  }
  const ids = (): unknown[] =>
    db
      .prepare('SELECT id FROM things')
      .all()
      .map(({ id }) => id)

  it('answers after the commit, in order', async () => {
    const answers = Promise.all([1, 2, 3].map((id) => batch.run(insert(id))))
    expect(ids()).to.deep.equal([])
    expect(await answers).to.deep.equal([1, 2, 3])
    expect(db.isTransaction).to.equal(false)
    expect(ids()).to.deep.equal([1, 2, 3])
  })

  it('undoes one that fails, and only that', async () => {
    const outcomes = await Promise.allSettled([
      batch.run(insert(1)),
      batch.run(() => {
        insert(2)()
        throw new Error('a mistake')
      }),
      batch.run(insert(1)),
      batch.run(insert(3)),
    ])
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expectUnavailable(outcomes.filter(({ status }) => status === 'rejected'))
    expect(ids()).to.deep.equal([1, 3])
  })

  it('rejects all of a batch whose COMMIT fails, and goes on', async () => {
    const outcomes = await Promise.allSettled([
      batch.run(insert(1)),
      // Violates a constraint that is checked at COMMIT.
      batch.run(() => db.exec('INSERT INTO parts (thing) VALUES (99)')),
      batch.run(insert(2)),
    ])
    expectUnavailable(outcomes)
    expect(ids()).to.deep.equal([])
    expect(await batch.run(insert(3))).to.equal(3)
  })

  it('splits what is more than 256 writes, and keeps their order', async () => {
    const many = Array.from({ length: 600 }, (_, id) => id)
    const turns: number[] = []
    let turn = 0
    const answers = await Promise.all(
      many.map((id) =>
        batch.run(() => {
          setImmediate(() => turn++)
          turns.push(turn)
          return insert(id)()
        }),
      ),
    )
    expect(answers).to.deep.equal(many)
    expect(turns.filter((one) => one === 0)).to.have.length(256)
  })

  it('flushes what is queued at once', async () => {
    const answer = batch.run(insert(1))
    batch.flush()
    expect(ids()).to.deep.equal([1])
    expect(await answer).to.equal(1)
  })
})

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

  /** A database with room for a few pages, until more is made. */
  function small() {
    const db = new DatabaseSync(':memory:')
    db.exec('CREATE TABLE t (value TEXT); PRAGMA max_page_count = 12')
    const insert = db.prepare('INSERT INTO t VALUES (?)')
    const write = (bytes: number) => (): number => Number(insert.run('x'.repeat(bytes)).changes)
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
    const answers = await Promise.all([1000, 100_000, 1000].map((size) => batch.run(write(size))))
    expect(answers).to.deep.equal([1, 1, 1])
    expect(count()).to.equal(3)
    expect(failures.map(({ reason }) => reason)).to.deep.equal(['full'])
  })

  for (const isTriedAgain of [true, false]) {
    it(`are refused all together, and nothing of them is kept, when there is none${isTriedAgain ? ' still' : ''}`, async () => {
      const { count, db, makeRoom, write } = small()
      const batch = createWriteBatch(db, isTriedAgain ? () => true : undefined)
      expectUnavailable(
        await Promise.allSettled([1000, 100_000].map((size) => batch.run(write(size)))),
      )
      expect(count()).to.equal(0)
      expect(await batch.run(write(1000))).to.equal(1)
      makeRoom()
      expect(await batch.run(write(100_000))).to.equal(1)
    })
  }
})
