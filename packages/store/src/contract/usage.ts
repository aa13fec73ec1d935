import assert from 'node:assert/strict'
import { indexKey, recordKey } from '../keys.ts'
import type { Json } from '../json.ts'
import type { DumpEntry, Key, KindUsage } from '../store.ts'
import { type DefinePart, part } from './suite.ts'

const MINUTE_MS = 60_000
/** Whatever is dead this long counts nowhere any more. */
const LONG_DEAD_MS = 5 * MINUTE_MS

/** What such records are in a usage. */
function usageOf(...records: readonly (readonly [key: Key, value: Json])[]): KindUsage {
  const bytes = records.map(
    ([key, value]) => Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value)),
  )
  return { records: records.length, bytes: bytes.reduce((sum, each) => sum + each, 0) }
}

/** What an instance keeps, by kind, at once and after a recount. */
export const testUsage: DefinePart = part('usage', (it) => {
  it('is nothing at first', async ({ store, instance }) => {
    assert.deepEqual(await store.usage(instance), {})
    assert.deepEqual(await store.recount(instance), {})
  })

  it('counts keys and values of puts by kind, in bytes', async ({ store, instance, key }) => {
    const other = recordKey(instance, 'other', 'ö')
    await store.write([
      { op: 'put', key: key('a'), value: { text: 'grüße 😀' } },
      {
        op: 'put',
        key: key('b'),
        value: 2,
        indexes: [{ index: indexKey(instance, 'all'), sort: 'x' }],
      },
      { op: 'put', key: other, value: 'x'.repeat(1000) },
    ])
    const expected = {
      thing: usageOf([key('a'), { text: 'grüße 😀' }], [key('b'), 2]),
      other: usageOf([other, 'x'.repeat(1000)]),
    }
    assert.deepEqual(await store.usage(instance), expected)
    assert.deepEqual(await store.recount(instance), expected)
  })

  it('leaves kinds out that are not counted, and other instances', async ({ store, instance }) => {
    await store.write([{ op: 'put', key: recordKey(instance, 'grant', 'a'), value: 1 }])
    await store.write([{ op: 'put', key: recordKey(`${instance}x`, 'thing', 'a'), value: 1 }])
    assert.deepEqual(await store.usage(instance), {})
    assert.deepEqual(await store.recount(instance), {})
  })

  it('counts a replaced value once', async ({ store, clock, instance, key }) => {
    await store.write([{ op: 'put', key: key('a'), value: 'long'.repeat(100) }])
    await store.write([{ op: 'put', key: key('a'), value: 'short' }])
    const expected = { thing: usageOf([key('a'), 'short']) }
    assert.deepEqual(await store.usage(instance), expected)
    await store.write([
      { op: 'put', key: key('a'), value: 'short', expiresAt: clock.now() + MINUTE_MS },
    ])
    assert.deepEqual(await store.usage(instance), expected)
    await store.write([{ op: 'touch', key: key('a'), expiresAt: clock.now() + 2 * MINUTE_MS }])
    assert.deepEqual(await store.usage(instance), expected)
    assert.deepEqual(await store.recount(instance), expected)
  })

  it('counts nothing of a write that did not happen', async ({ store, instance, key }) => {
    await store.write([
      { op: 'put', key: key('a'), value: 1 },
      { op: 'check', key: key('b'), ifPresent: true },
    ])
    assert.deepEqual(await store.usage(instance), {})
  })

  it('counts what is revised and loaded', async ({ store, clock, instance, key }) => {
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([{ op: 'put', key: key('a'), value: 'short', expiresAt }])
    await store.write([{ op: 'revise', key: key('a'), value: 'longer than before' }])
    const expected = { thing: usageOf([key('a'), 'longer than before']) }
    assert.deepEqual(await store.usage(instance), expected)
    const dumped: DumpEntry[] = []
    for await (const entry of store.dump()) {
      if (entry.type === 'record' && entry.key === key('a')) dumped.push(entry)
    }
    await store.load(dumped)
    assert.deepEqual(await store.usage(instance), expected)
    await store.take(key('a'))
    await store.load(dumped)
    assert.deepEqual(await store.usage(instance), expected)
    assert.deepEqual(await store.recount(instance), expected)
  })

  it('stops to count what is deleted or taken', async ({ store, clock, instance, key }) => {
    const expiresAt = clock.now() + MINUTE_MS
    await store.write([
      { op: 'put', key: key('a'), value: 1 },
      { op: 'put', key: key('b'), value: 2, expiresAt },
      { op: 'put', key: key('c'), value: 3, expiresAt },
      { op: 'put', key: key('d'), value: 4 },
    ])
    await store.write([{ op: 'delete', key: key('a') }])
    await store.take(key('b'))
    await store.write([{ op: 'put', key: key('c'), value: 'dead', expiresAt: clock.now() - 1 }])
    const expected = { thing: usageOf([key('d'), 4]) }
    assert.deepEqual(await store.usage(instance), expected)
    assert.deepEqual(await store.recount(instance), expected)
    await store.take(key('d'))
    await store.take(key('d'))
    assert.deepEqual(await store.usage(instance), {})
  })

  it('stops to count what ended', async ({ store, clock, instance, key }) => {
    await store.write([
      { op: 'put', key: key('a'), value: 'dies', expiresAt: clock.now() + MINUTE_MS },
      { op: 'put', key: key('b'), value: 'stays' },
    ])
    const expected = { thing: usageOf([key('b'), 'stays']) }
    clock.advance(MINUTE_MS)
    assert.deepEqual(await store.usage(instance), expected)
    clock.advance(LONG_DEAD_MS)
    assert.deepEqual(await store.usage(instance), expected)
    await store.write([{ op: 'put', key: key('a'), value: 'anew' }])
    const both = { thing: usageOf([key('b'), 'stays'], [key('a'), 'anew']) }
    assert.deepEqual(await store.usage(instance), both)
    assert.deepEqual(await store.recount(instance), both)
  })

  it('is exact after many parallel changes', async ({ store, instance, key }) => {
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => {
        const name = key(`k${n % 20}`)
        if (n % 7 === 3) return store.take(name)
        return store.write([{ op: 'put', key: name, value: 'x'.repeat((n * 37) % 500) }])
      }),
    )
    const usage = await store.usage(instance)
    assert.deepEqual(await store.recount(instance), usage)
  })
})
