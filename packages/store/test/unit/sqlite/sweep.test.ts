import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { indexKey, type Key, recordKey, type Revision } from '../../../src/index.ts'
import { planChange } from '../../../src/writes/planned-change.ts'
import { createCounters } from '../../../src/sqlite/counters.ts'
import { createRecords } from '../../../src/sqlite/records.ts'
import { prepareDatabase } from '../../../src/sqlite/schema.ts'

const index = indexKey('i', 'all')
const revision = 'r1' as Revision // Any text.

describe('sweep', () => {
  let db: DatabaseSync
  beforeEach(() => {
    db = new DatabaseSync(':memory:')
    prepareDatabase(db, 512)
  })
  afterEach(() => db.close())

  const count = (table: string): unknown =>
    db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']

  it('deletes dead records with their entries, no more at a time than asked', () => {
    const records = createRecords(db, () => {})
    const put = (n: number, expiresAt?: number): void => {
      const key: Key = recordKey('i', 'thing', String(n))
      const indexes = [{ index, sort: String(n) }]
      const change = { op: 'put', key, value: n, indexes, ...(expiresAt && { expiresAt }) } as const
      records.write([planChange(change, 0)], revision, 0)
    }
    for (let n = 0; n < 5; n++) put(n, 100)
    put(5, 101)
    put(6)
    expect(records.sweep(99, 10)).to.equal(0)
    expect(records.sweep(100, 3)).to.equal(3)
    expect([count('records'), count('entries')]).to.deep.equal([4, 4])
    expect(records.sweep(100, 3)).to.equal(2)
    expect([count('records'), count('entries')]).to.deep.equal([2, 2])
  })

  it('deletes windows that ended', () => {
    const counters = createCounters(db)
    counters.hit(recordKey('i', 'counter', 'a'), 100, 1, 0)
    counters.hit(recordKey('i', 'counter', 'b'), 101, 1, 0)
    expect(counters.sweep(100, 10)).to.equal(1)
    expect(count('counters')).to.equal(1)
  })
})
