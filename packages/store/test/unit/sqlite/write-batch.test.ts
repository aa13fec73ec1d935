import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { StoreUnavailableError } from '../../../src/index.ts'
import { createWriteBatch, type WriteBatch } from '../../../src/sqlite/write-batch.ts'

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
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).to.be.instanceOf(StoreUnavailableError)
      }
    }
    expect(ids()).to.deep.equal([1, 3])
  })

  it('rejects all of a batch whose COMMIT fails, and goes on', async () => {
    const outcomes = await Promise.allSettled([
      batch.run(insert(1)),
      // Violates a constraint that is checked at COMMIT.
      batch.run(() => db.exec('INSERT INTO parts (thing) VALUES (99)')),
      batch.run(insert(2)),
    ])
    for (const outcome of outcomes) {
      expect(outcome.status).to.equal('rejected')
      if (outcome.status === 'rejected') {
        expect(outcome.reason).to.be.instanceOf(StoreUnavailableError)
      }
    }
    expect(ids()).to.deep.equal([])
    expect(await batch.run(insert(3))).to.equal(3)
  })

  it('rejects a batch that finds the disk full, and goes on when there is room', async () => {
    db.exec('CREATE TABLE texts (text TEXT) STRICT')
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count'])
    db.exec(`PRAGMA max_page_count = ${pages}`)
    const fill = (): Promise<unknown> =>
      batch.run(() => db.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(100_000)))
    const outcome = await fill().catch((error: unknown) => error)
    expect(outcome).to.be.instanceOf(StoreUnavailableError)
    db.exec('PRAGMA max_page_count = 1000000')
    await fill()
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
