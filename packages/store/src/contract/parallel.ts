import assert from 'node:assert/strict'
import { type DefinePart, part } from './suite.ts'

const CALLERS = 50

/** What must happen once happens once, however many try at the same time. */
export const testParallel: DefinePart = part('many callers at once', (it) => {
  it('gives a record to exactly one that takes it', async ({ store, key }) => {
    for (let round = 0; round < 5; round++) {
      await store.write([{ op: 'put', key: key('a'), value: round }])
      const taken = await Promise.all(Array.from({ length: CALLERS }, () => store.take(key('a'))))
      const winners = taken.filter((record) => record !== undefined)
      assert.equal(winners.length, 1)
      assert.equal(winners[0]?.value, round)
    }
  })

  it('lets exactly one replace a revision', async ({ store, key }) => {
    for (let round = 0; round < 5; round++) {
      const put = await store.write([{ op: 'put', key: key('a'), value: 'start' }])
      assert.equal(put.written, true)
      const ifRevision = put.revision
      const results = await Promise.all(
        Array.from({ length: CALLERS }, (_, n) =>
          store.write([{ op: 'put', key: key('a'), value: n, ifRevision }]),
        ),
      )
      const winner = results.findIndex(({ written }) => written)
      assert.equal(results.filter(({ written }) => written).length, 1)
      assert.equal((await store.get(key('a')))?.value, winner)
    }
  })

  it('lets exactly one claim an absent key, with all that belongs to it', async (subject) => {
    const { store, key } = subject
    const results = await Promise.all(
      Array.from({ length: CALLERS }, (_, n) =>
        store.write([
          { op: 'put', key: key('claim'), value: n, ifAbsent: true },
          { op: 'put', key: key(`of-${n}`), value: n },
        ]),
      ),
    )
    const winner = results.findIndex(({ written }) => written)
    assert.equal(results.filter(({ written }) => written).length, 1)
    assert.equal((await store.get(key('claim')))?.value, winner)
    const owned = await store.getMany(Array.from({ length: CALLERS }, (_, n) => key(`of-${n}`)))
    assert.deepEqual(
      owned.flatMap((record) => record?.value ?? []),
      [winner],
    )
  })

  it('loses no hit', async ({ store, key }) => {
    const hits = await Promise.all(
      Array.from({ length: CALLERS }, () => store.hit(key('c'), 60_000)),
    )
    const counts = hits.map(({ count }) => count).toSorted((one, other) => one - other)
    assert.deepEqual(
      counts,
      Array.from({ length: CALLERS }, (_, n) => n + 1),
    )
  })

  it('loses no write that it acknowledged, of many in one turn', async ({ store, key }) => {
    const numbers = Array.from({ length: 600 }, (_, n) => n)
    await Promise.all(
      numbers.map((n) => store.write([{ op: 'put', key: key(String(n)), value: n }])),
    )
    const found = await Promise.all(numbers.map((n) => store.get(key(String(n)))))
    assert.deepEqual(
      found.map((record) => record?.value),
      numbers,
    )
  })
})
