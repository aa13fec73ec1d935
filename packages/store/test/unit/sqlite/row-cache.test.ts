import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Key, recordKey, type Store } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'
import { createRowCache } from '../../../src/sqlite/row-cache.ts'
import { tempFolder } from '../../temp-folder.ts'

const NAMES = ['a', 'b', 'c'] as const
const BAD = 'refused by the table'
const keyOf = (name: string): Key => recordKey('i', 'thing', name)

describe('rows that are kept', () => {
  let store: Store
  /** Reads what the file has, past all that the store knows. */
  let other: DatabaseSync

  beforeEach(() => {
    const file = path.join(tempFolder(), 'store.db')
    store = sqliteStore({ file })
    other = new DatabaseSync(file)
    other.exec(`
      CREATE TRIGGER refuse_update BEFORE UPDATE ON records WHEN NEW.value = '"${BAD}"'
        BEGIN SELECT RAISE(ABORT, 'no'); END;
      CREATE TRIGGER refuse_insert BEFORE INSERT ON records WHEN NEW.value = '"${BAD}"'
        BEGIN SELECT RAISE(ABORT, 'no'); END;
    `)
  })
  afterEach(async () => {
    other.close()
    await store.close()
  })

  function inFile(key: Key): unknown {
    const row = other.prepare('SELECT value FROM records WHERE key = ?').get(key)
    return row === undefined ? undefined : JSON.parse(String(row['value']))
  }

  async function expectAllAsInFile(): Promise<void> {
    const keys = NAMES.map(keyOf)
    const expected = keys.map(inFile)
    const many = await store.getMany(keys)
    expect(many.map((found) => found?.value)).to.deep.equal(expected)
    for (const [at, key] of keys.entries()) {
      const found = await store.get(key)
      expect(found?.value).to.deep.equal(expected[at])
      expect(found?.revision).to.equal(many[at]?.revision)
    }
    const inspected = await store.inspect(keys)
    expect(inspected.map((found) => found?.value)).to.deep.equal(expected)
  }

  it('are as the file has them after any turn, one that was undone in part or whole too', async () => {
    const change = fc.record({
      op: fc.constantFrom('put', 'put', 'revise', 'delete', 'take'),
      name: fc.constantFrom(...NAMES),
      value: fc.constantFrom('x', 'y', { long: 'text' }, BAD),
    })
    const turn = fc.array(change, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 6 }), async (turns) => {
        for (const changes of turns) {
          await Promise.allSettled(
            changes.map(async ({ op, name, value }) => {
              const key = keyOf(name)
              if (op === 'take') await store.take(key)
              else if (op === 'delete') await store.write([{ op: 'delete', key }])
              else await store.write([{ op, key, value }])
            }),
          )
          await expectAllAsInFile()
        }
      }),
      { numRuns: 100 },
    )
  })

  it('belong to whoever asked: a changed answer changes no other', async () => {
    const key = keyOf('a')
    await store.write([{ op: 'put', key, value: { list: [1] } }])
    const first = await store.get<{ list: number[] }>(key)
    first?.value.list.push(2)
    expect((await store.get(key))?.value).to.deep.equal({ list: [1] })
  })

  it('keep the condition of a write: one of many that saw the same revision', async () => {
    const key = keyOf('a')
    await store.write([{ op: 'put', key, value: 0 }])
    const seen = await store.get(key)
    if (seen === undefined) throw new Error('it was written')
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, value) =>
        store.write([{ op: 'put', key, value, ifRevision: seen.revision }]),
      ),
    )
    expect(outcomes.filter(({ written }) => written)).to.have.length(1)
  })
})

describe('createRowCache', () => {
  it('knows that a record is not there, until it is written', () => {
    const cache = createRowCache()
    expect(cache.find('a')).to.equal(undefined)
    cache.keep('a', null)
    expect(cache.find('a')).to.equal(null)
    cache.drop('a')
    expect(cache.find('a')).to.equal(undefined)
  })

  it('counts what is kept again, or forgotten, once', () => {
    const cache = createRowCache()
    cache.keep('first', ['x', 'r', null, null])
    for (let n = 0; n < 1000; n += 1) {
      cache.keep('second', ['x'.repeat(20_000), 'r', null, null])
      cache.keep('third', ['x'.repeat(20_000), 'r', null, null])
      cache.drop('third')
    }
    expect(cache.find('first')).to.deep.equal(['x', 'r', null, null])
  })

  it('forgets what it kept long ago, also where that was asked for since', () => {
    const cache = createRowCache()
    for (const isAsked of [false, true]) {
      cache.keep('a', ['x', 'r', null, null])
      for (let n = 0; n < 30; n += 1) cache.keep(`${n}`, ['x'.repeat(20_000), 'r', null, null])
      if (isAsked) expect(cache.find('a')).to.be.an('array')
      cache.drop('a')
      expect(cache.find('a')).to.equal(undefined)
    }
  })

  it('lets go of what was not asked for in a while, and never takes what is long', () => {
    const cache = createRowCache()
    const row = (length: number) => ['x'.repeat(length), 'r', null, null] as const
    cache.keep('long', [...row(100_000)])
    expect(cache.find('long')).to.equal(undefined)
    for (let n = 0; n < 100; n += 1) {
      cache.keep(`${n}`, [...row(20_000)])
      cache.find('0')
    }
    expect(cache.find('0')).to.be.an('array')
    expect(cache.find('1')).to.equal(undefined)
    expect(cache.find('99')).to.be.an('array')
  })
})
