import assert from 'node:assert/strict'
import { type Json, parseExact } from '../json.ts'
import { type DefinePart, part } from './suite.ts'

const MINUTE_MS = 60_000

/** Reading, replacing, touching and deleting records, and their end. */
export const testRecords: DefinePart = part('records', (it) => {
  it('answers undefined for what was never written', async ({ store, key }) => {
    assert.equal(await store.get(key('a')), undefined)
    assert.equal(await store.take(key('a')), undefined)
    assert.deepEqual(await store.getMany([key('a'), key('b')]), [undefined, undefined])
    assert.deepEqual(await store.getMany([]), [])
  })

  for (const value of [
    'text',
    '',
    0,
    -1.5,
    true,
    null,
    [],
    {},
    { list: [1, [2, { three: null }]], 'näme with "quotes"\n': '\u0000\u2028 😀 \ud800' },
    { absent: undefined, long: 'x'.repeat(100_000) },
  ]) {
    it(`keeps ${JSON.stringify(value).slice(0, 60)}`, async ({ store, key }) => {
      await store.write([{ op: 'put', key: key('a'), value }])
      const survivor: unknown = JSON.parse(JSON.stringify(value))
      assert.deepEqual((await store.get(key('a')))?.value, survivor)
      assert.deepEqual((await store.take(key('a')))?.value, survivor)
    })
  }

  it('keeps the digits of integers beyond 2^53', async ({ store, key }) => {
    const text = '{"id":17841405822304915,"below":[-9007199254740993,9007199254740992],"n":1.5}'
    await store.write([{ op: 'put', key: key('a'), value: parseExact(text) as Json }])
    assert.equal(JSON.stringify((await store.get(key('a')))?.value), text)
    assert.equal(JSON.stringify((await store.take(key('a')))?.value), text)
  })

  for (const id of ['ünïcode 😀', 'a:b:c', '{a}', '%_*?', ' ']) {
    it(`tells the id ${id} from others`, async ({ store, key }) => {
      await store.write([
        { op: 'put', key: key(id), value: 1 },
        { op: 'put', key: key(`${id}x`), value: 2 },
      ])
      assert.equal((await store.get(key(id)))?.value, 1)
      assert.equal((await store.get(key(`${id}x`)))?.value, 2)
    })
  }

  it('answers key, value, revision and expiry', async ({ store, clock, key }) => {
    const expiresAt = clock.now() + MINUTE_MS
    const put = await store.write([
      { op: 'put', key: key('a'), value: { n: 1 }, expiresAt },
      { op: 'put', key: key('b'), value: 2 },
    ])
    assert.equal(put.written, true)
    const { revision } = put
    const a = { key: key('a'), value: { n: 1 }, revision, expiresAt }
    const b = { key: key('b'), value: 2, revision }
    assert.deepEqual(await store.get(key('a')), a)
    assert.deepEqual(await store.getMany([key('b'), key('x'), key('a')]), [b, undefined, a])
    assert.deepEqual(await store.take(key('a')), a)
  })

  it('stores what the value was at the call', async ({ store, key }) => {
    const value = { list: [1] }
    const writing = store.write([{ op: 'put', key: key('a'), value }])
    value.list.push(2)
    await writing
    assert.deepEqual((await store.get(key('a')))?.value, { list: [1] })
  })

  it('replaces value and expiry', async ({ store, clock, key }) => {
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([{ op: 'put', key: key('a'), value: 1, expiresAt }])
    await store.write([{ op: 'put', key: key('a'), value: 2 }])
    clock.advance(2 * MINUTE_MS)
    assert.equal((await store.get(key('a')))?.value, 2)
  })

  it('deletes, also what is not there', async ({ store, key }) => {
    await store.write([{ op: 'put', key: key('a'), value: 1 }])
    const deleted = await store.write([
      { op: 'delete', key: key('a') },
      { op: 'delete', key: key('b') },
    ])
    assert.equal(deleted.written, true)
    assert.equal(await store.get(key('a')), undefined)
  })

  it('lets a record die at its instant', async ({ store, clock, key, index }) => {
    const all = index('all')
    const indexes = [{ index: all, sort: '1' }]
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([{ op: 'put', key: key('a'), value: 1, expiresAt, indexes }])
    clock.advance(MINUTE_MS / 2)
    assert.equal((await store.get(key('a')))?.value, 1)
    assert.equal((await store.list(all)).records.length, 1)
    clock.advance(MINUTE_MS / 2)
    assert.equal(await store.get(key('a')), undefined)
    assert.deepEqual(await store.getMany([key('a')]), [undefined])
    assert.deepEqual((await store.list(all)).records, [])
    assert.equal(await store.take(key('a')), undefined)
  })

  it('never brings a taken record back, wherever the clock goes', async (subject) => {
    const { store, clock, key } = subject
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([{ op: 'put', key: key('a'), value: 1, expiresAt }])
    assert.equal((await store.take(key('a')))?.value, 1)
    clock.advance(-10 * MINUTE_MS)
    assert.equal(await store.get(key('a')), undefined)
    assert.equal(await store.take(key('a')), undefined)
  })

  it('does not keep what is dead on arrival', async ({ store, clock, key }) => {
    await store.write([{ op: 'put', key: key('a'), value: 'old' }])
    const put = await store.write([
      { op: 'put', key: key('a'), value: 'dead', expiresAt: clock.now() - 1 },
    ])
    assert.equal(put.written, true)
    assert.equal(await store.get(key('a')), undefined)
    clock.advance(-10 * MINUTE_MS)
    assert.equal(await store.get(key('a')), undefined)
  })

  it('touches expiry, keeping value and indexes', async ({ store, clock, key, index }) => {
    const all = index('all')
    const indexes = [{ index: all, sort: '1' }]
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([{ op: 'put', key: key('a'), value: [1], expiresAt, indexes }])
    const before = await store.get(key('a'))
    const later = expiresAt + 10 * MINUTE_MS
    const touched = await store.write([{ op: 'touch', key: key('a'), expiresAt: later }])
    assert.equal(touched.written, true)
    clock.advance(2 * MINUTE_MS)
    const after = await store.get(key('a'))
    assert.deepEqual(after, {
      key: key('a'),
      value: [1],
      revision: touched.revision,
      expiresAt: later,
    })
    assert.notEqual(after?.revision, before?.revision)
    assert.deepEqual((await store.list(all)).records, [after])
    await store.write([{ op: 'touch', key: key('a'), expiresAt: clock.now() }])
    assert.equal(await store.get(key('a')), undefined)
    assert.deepEqual((await store.list(all)).records, [])
  })

  it('does not touch the absent or the dead to life', async ({ store, clock, key }) => {
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([{ op: 'put', key: key('a'), value: 1, expiresAt }])
    clock.advance(MINUTE_MS)
    const later = clock.now() + MINUTE_MS
    const touched = await store.write([
      { op: 'touch', key: key('a'), expiresAt: later },
      { op: 'touch', key: key('b'), expiresAt: later },
    ])
    assert.equal(touched.written, true)
    assert.deepEqual(await store.getMany([key('a'), key('b')]), [undefined, undefined])
  })

  it('answers health', async ({ store }) => {
    await store.health()
  })
})
