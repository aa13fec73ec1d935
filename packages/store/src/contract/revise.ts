import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Revision } from '../store.ts'
import { type DefinePart, part, type Subject } from './suite.ts'

const MINUTE_MS = 60_000
const CALLERS = 50

/** Stores a record with an expiry and two index entries. */
async function putListed({ store, clock, key, index }: Subject) {
  const expiresAt = clock.now() + MINUTE_MS
  const indexes = [
    { index: index('all'), sort: 'é 1' },
    { index: index('other'), sort: '' },
  ]
  const put = await store.write([{ op: 'put', key: key('a'), value: [1], expiresAt, indexes }])
  assert.equal(put.written, true)
  return { expiresAt, indexes, revision: put.revision }
}

/** New values in records that stay where they are listed, and records with what lists them. */
export const testRevise: DefinePart = part('revise and inspect', (it) => {
  it('revises the value, keeping expiry and index entries', async (subject) => {
    const { store, clock, key, index } = subject
    const { expiresAt, indexes, revision } = await putListed(subject)
    const value = { text: 'new\n\u0000 "😀"' }
    const revised = await store.write([{ op: 'revise', key: key('a'), value }])
    assert.equal(revised.written, true)
    assert.notEqual(revised.revision, revision)
    const after = { key: key('a'), value, revision: revised.revision, expiresAt }
    assert.deepEqual(await store.get(key('a')), after)
    assert.deepEqual(await store.inspect([key('a')]), [{ ...after, indexes }])
    assert.deepEqual((await store.list(index('all'))).records, [after])
    assert.deepEqual((await store.list(index('other'))).records, [after])
    clock.advance(MINUTE_MS)
    assert.equal(await store.get(key('a')), undefined)
    assert.deepEqual((await store.list(index('all'))).records, [])
  })

  it('revises a record without expiry and index entries', async ({ store, clock, key }) => {
    await store.write([{ op: 'put', key: key('a'), value: 1 }])
    await store.write([{ op: 'revise', key: key('a'), value: 2 }])
    clock.advance(100 * MINUTE_MS)
    const [found] = await store.inspect([key('a')])
    assert.equal(found?.value, 2)
    assert.equal(found.expiresAt, undefined)
    assert.deepEqual(found.indexes, [])
  })

  it('lets a revised record be listed elsewhere and deleted', async (subject) => {
    const { store, key, index } = subject
    await putListed(subject)
    await store.write([{ op: 'revise', key: key('a'), value: 2 }])
    const indexes = [{ index: index('third'), sort: '3' }]
    await store.write([{ op: 'put', key: key('a'), value: 3, indexes }])
    assert.deepEqual((await store.list(index('all'))).records, [])
    assert.equal((await store.list(index('third'))).records.length, 1)
    await store.write([{ op: 'revise', key: key('a'), value: 4 }])
    await store.write([{ op: 'delete', key: key('a') }])
    assert.deepEqual((await store.list(index('third'))).records, [])
  })

  it('revises nothing that is absent, dead or of another revision', async (subject) => {
    const { store, clock, key } = subject
    const revise = { op: 'revise', key: key('a'), value: 2 } as const
    const refused = { written: false, failed: key('a') }
    assert.deepEqual(await store.write([revise]), refused)
    assert.deepEqual(await store.write([revise, { op: 'delete', key: key('b') }]), refused)
    await putListed(subject)
    // No store makes this revision.
    const other = { ...revise, ifRevision: 'other' as Revision }
    assert.deepEqual(await store.write([other]), refused)
    assert.deepEqual((await store.get(key('a')))?.value, [1])
    clock.advance(MINUTE_MS)
    assert.deepEqual(await store.write([revise]), refused)
    assert.equal(await store.get(key('a')), undefined)
  })

  it('lets exactly one of many revise a revision', async (subject) => {
    const { store, key } = subject
    for (let round = 0; round < 5; round++) {
      const { revision } = await putListed(subject)
      const results = await Promise.all(
        Array.from({ length: CALLERS }, (_, n) =>
          store.write([{ op: 'revise', key: key('a'), value: n, ifRevision: revision }]),
        ),
      )
      const winner = results.findIndex(({ written }) => written)
      assert.equal(results.filter(({ written }) => written).length, 1)
      assert.equal((await store.get(key('a')))?.value, winner)
    }
  })

  it('revises once under a write id', async (subject) => {
    const { store, key } = subject
    const { revision } = await putListed(subject)
    const id = randomBytes(16).toString('base64url')
    const changes = [{ op: 'revise', key: key('a'), value: 2, ifRevision: revision }] as const
    const first = await store.write(changes, { id })
    assert.equal(first.written, true)
    await store.write([{ op: 'revise', key: key('a'), value: 3 }])
    assert.deepEqual(await store.write(changes, { id }), first)
    assert.equal((await store.get(key('a')))?.value, 3)
  })

  it('inspects live records in the order of the keys', async (subject) => {
    const { store, clock, key } = subject
    const { expiresAt, indexes, revision } = await putListed(subject)
    const put = await store.write([{ op: 'put', key: key('b'), value: null }])
    assert.equal(put.written, true)
    const a = { key: key('a'), value: [1], revision, expiresAt, indexes }
    const b = { key: key('b'), value: null, revision: put.revision, indexes: [] }
    assert.deepEqual(await store.inspect([key('b'), key('x'), key('a')]), [b, undefined, a])
    assert.deepEqual(await store.inspect([]), [])
    clock.advance(MINUTE_MS)
    assert.deepEqual(await store.inspect([key('a'), key('b')]), [undefined, b])
  })
})
