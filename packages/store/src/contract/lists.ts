import assert from 'node:assert/strict'
import type { IndexKey, PageRequest, Store } from '../store.ts'
import { type DefinePart, part, type Subject } from './suite.ts'

const MINUTE_MS = 60_000

/** Records under an index, in pages. */
export const testLists: DefinePart = part('list', (it) => {
  it('answers an empty page for an index nobody used', async ({ store, index }) => {
    assert.deepEqual(await store.list(index('none')), { records: [] })
  })

  it('orders by the bytes of the sort, then by key', async (subject) => {
    const sorts = ['', ' ', '10', '2', 'A', 'a', 'aa', 'ab', 'b', 'é', 'ﬀ', '😀']
    await fill(subject, sorts.toReversed())
    const { store, key, index } = subject
    await store.write([
      {
        op: 'put',
        key: key('0-first-of-a'),
        value: 'a',
        indexes: [{ index: index('all'), sort: 'a' }],
      },
    ])
    const expected = sorts.toSpliced(sorts.indexOf('a'), 0, 'a')
    assert.deepEqual(await walk(store, index('all'), {}), expected)
    assert.deepEqual(await walk(store, index('all'), { order: 'desc' }), expected.toReversed())
    const { records } = await store.list(index('all'))
    assert.equal(records[expected.indexOf('a')]?.key, key('0-first-of-a'))
  })

  for (const order of ['asc', 'desc'] as const) {
    for (const limit of [1, 2, 7, 100]) {
      it(`pages ${order} by ${limit}`, async (subject) => {
        const sorts = Array.from({ length: 23 }, (_, n) => String(n).padStart(3, '0'))
        await fill(subject, sorts)
        const { store, index } = subject
        const expected = order === 'asc' ? sorts : sorts.toReversed()
        assert.deepEqual(await walk(store, index('all'), { order, limit }), expected)
      })
    }
  }

  it('answers at most 100 records, and a whole last page without a cursor', async (subject) => {
    await fill(
      subject,
      Array.from({ length: 100 }, (_, n) => String(n)),
    )
    const { store, index } = subject
    assert.equal((await store.list(index('all'))).cursor, undefined)
    await fill(subject, ['100'])
    const page = await store.list(index('all'))
    assert.equal(page.records.length, 100)
    assert.equal(typeof page.cursor, 'string')
  })

  it('goes on after a cursor whose record is gone', async (subject) => {
    await fill(subject, ['1', '2', '3', '4'])
    const { store, key, index } = subject
    const { cursor = '' } = await store.list(index('all'), { limit: 2 })
    await store.take(key('id-2'))
    const rest = await store.list(index('all'), { cursor })
    assert.deepEqual(
      rest.records.map(({ value }) => value),
      ['3', '4'],
    )
  })

  it('moves a record when its entries change', async ({ store, key, index }) => {
    const [one, two] = [index('one'), index('two')]
    const at = (...indexes: { index: IndexKey; sort: string }[]): Promise<unknown> =>
      store.write([{ op: 'put', key: key('a'), value: 1, indexes }])
    await at({ index: one, sort: '1' }, { index: two, sort: '1' })
    await at({ index: one, sort: '2' }, { index: one, sort: '3' }, { index: one, sort: '3' })
    assert.equal((await store.list(one)).records.length, 2)
    assert.equal((await store.list(two)).records.length, 0)
    await at()
    assert.equal((await store.list(one)).records.length, 0)
  })

  it('forgets what was deleted or taken', async (subject) => {
    await fill(subject, ['1', '2', '3'])
    const { store, key, index } = subject
    await store.take(key('id-1'))
    await store.write([{ op: 'delete', key: key('id-2') }])
    assert.deepEqual(await walk(store, index('all'), {}), ['3'])
  })

  it('counts the records of an index, whatever became of others', async (subject) => {
    const { store, key, index } = subject
    assert.equal(await store.count(index('all')), 0)
    await fill(
      subject,
      Array.from({ length: 130 }, (_, n) => String(n)),
    )
    assert.equal(await store.count(index('all')), 130)
    await store.take(key('id-1'))
    await store.write([{ op: 'delete', key: key('id-2') }])
    const indexes = [{ index: index('other'), sort: '' }]
    await store.write([{ op: 'put', key: key('id-3'), value: '3', indexes }])
    await store.write([{ op: 'put', key: key('id-4'), value: '5', ifAbsent: true }])
    assert.equal(await store.count(index('all')), 127)
    assert.equal(await store.count(index('other')), 1)
    // Built by hand: another instance's index of the same name.
    assert.equal(await store.count(index('all').replace('}', 'x}') as IndexKey), 0)
  })

  it('skips the dead, and lists a key that came back once', async (subject) => {
    const { store, clock, key, index } = subject
    const all = index('all')
    const put = (id: string, sort: string): Promise<unknown> =>
      store.write([
        {
          op: 'put',
          key: key(id),
          value: sort,
          expiresAt: clock.now() + MINUTE_MS,
          indexes: [{ index: all, sort }],
        },
      ])
    await put('a', '1')
    await put('b', '2')
    clock.advance(MINUTE_MS)
    await put('a', '3')
    assert.deepEqual(await walk(store, all, {}), ['3'])
  })

  it('tells indexes and instances apart', async (subject) => {
    const { store, index } = subject
    await fill(subject, ['1'])
    assert.deepEqual(await walk(store, index('al'), {}), [])
    assert.deepEqual(await walk(store, index('all2'), {}), [])
    // Built by hand: another instance's index of the same name.
    const foreign = index('all').replace('}', 'x}') as IndexKey
    assert.deepEqual(await walk(store, foreign, {}), [])
  })

  for (const page of [
    { limit: 0 },
    { limit: 101 },
    { limit: 1.5 },
    { cursor: '' },
    { cursor: 'not a cursor' },
    { cursor: 'AAAA=' },
  ] satisfies PageRequest[]) {
    it(`rejects ${JSON.stringify(page)} with a TypeError`, async ({ store, index }) => {
      await assert.rejects(store.list(index('all'), page), TypeError)
    })
  }
})

async function fill({ store, key, index }: Subject, sorts: readonly string[]): Promise<void> {
  for (const sort of sorts) {
    const indexes = [{ index: index('all'), sort }]
    await store.write([{ op: 'put', key: key(`id-${sort}`), value: sort, indexes }])
  }
}

/** The values of all pages. */
async function walk(store: Store, index: IndexKey, request: PageRequest): Promise<unknown[]> {
  const values: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await store.list(index, cursor === undefined ? request : { ...request, cursor })
    values.push(...page.records.map(({ value }) => value))
    cursor = page.cursor
  } while (cursor !== undefined)
  return values
}
