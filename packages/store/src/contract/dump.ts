import assert from 'node:assert/strict'
import { recordKey } from '../keys.ts'
import type { DumpEntry, Revision } from '../store.ts'
import { type DefinePart, part, type Subject } from './suite.ts'

const MINUTE_MS = 60_000

/** What the dump has of the test's own instance: on one database others may be at work. */
async function dumpOwn({ store, instance }: Subject): Promise<DumpEntry[]> {
  const own: DumpEntry[] = []
  for await (const entry of store.dump()) {
    const isOwn =
      entry.type === 'wake-up'
        ? entry.id.startsWith(instance)
        : entry.key.startsWith(`{${instance}}:`)
    if (isOwn) own.push(entry)
  }
  return own.toSorted((one, other) => (sortText(one) < sortText(other) ? -1 : 1))
}

function sortText(entry: DumpEntry): string {
  return entry.type === 'wake-up'
    ? `${entry.type} ${entry.id} ${entry.dueAt}`
    : `${entry.type} ${entry.key}`
}

/** Stores one of each, and tells what a dump has of it. */
async function fill({ store, clock, instance, key, index }: Subject): Promise<DumpEntry[]> {
  const expiresAt = clock.now() + 10 * MINUTE_MS
  const indexes = [
    { index: index('all'), sort: 'é 1' },
    { index: index('other'), sort: '' },
  ]
  const value = { text: 'ä\n\u0000 "😀"', list: [1, null] }
  const listed = await store.write([{ op: 'put', key: key('a: 1'), value, expiresAt, indexes }])
  const plain = await store.write([{ op: 'put', key: key('b'), value: 'b' }])
  assert.ok(listed.written && plain.written)
  await store.write([{ op: 'put', key: key('c'), value: 'c' }], { id: 'x'.repeat(22) })
  await store.take(key('c'))
  const { count, resetsAt } = await store.hit(key('a: 1'), 10 * MINUTE_MS, 3)
  const dueAt = clock.now() + 100 * MINUTE_MS
  await store.scheduler.at('dumped', `${instance} 1`, dueAt)
  await store.scheduler.at('dumped', `${instance} 1`, dueAt + 1)
  await store.scheduler.at('dumped', `${instance} 2`, dueAt)
  await store.scheduler.cancel('dumped', `${instance} 2`)
  return [
    { type: 'counter', key: key('a: 1'), count, resetsAt },
    { type: 'record', key: key('a: 1'), value, revision: listed.revision, expiresAt, indexes },
    { type: 'record', key: key('b'), value: 'b', revision: plain.revision, indexes: [] },
    { type: 'wake-up', queue: 'dumped', id: `${instance} 1`, dueAt },
    { type: 'wake-up', queue: 'dumped', id: `${instance} 1`, dueAt: dueAt + 1 },
  ]
}

/** Carrying everything elsewhere, and back. */
export const testDump: DefinePart = part('dump and load', (it) => {
  it('gives records with revision, expiry and index entries, counters and wake-ups', async (subject) => {
    const entries = await fill(subject)
    assert.deepEqual(await dumpOwn(subject), entries)
  })

  it('gives what is one instance’s: records in the order of keys, and wake-ups of the queues', async (subject) => {
    const { store, clock, instance } = subject
    const [, first, second, ...wakeUps] = await fill(subject)
    const other = recordKey(`${instance}0`, 'thing', 'a')
    await store.write([{ op: 'put', key: other, value: 1 }])
    await store.scheduler.at('dumped', `${instance}0`, clock.now() + MINUTE_MS)
    await store.scheduler.at('not-dumped', instance, clock.now() + MINUTE_MS)
    const select = async (records: boolean): Promise<DumpEntry[]> => {
      const entries: DumpEntry[] = []
      const selection = { instance, records, queues: ['dumped'] }
      for await (const entry of store.dump(selection)) entries.push(entry)
      return entries
    }
    const whole = await select(true)
    assert.deepEqual(whole.slice(0, 2), [first, second])
    const byDue = (one: DumpEntry, two: DumpEntry) => (sortText(one) < sortText(two) ? -1 : 1)
    assert.deepEqual(whole.slice(2).toSorted(byDue), wakeUps)
    assert.deepEqual((await select(false)).toSorted(byDue), wakeUps)
  })

  it('gives nothing that is dead', async (subject) => {
    const { clock, key } = subject
    const [, , lasting] = await fill(subject)
    clock.advance(10 * MINUTE_MS)
    const left = (await dumpOwn(subject)).filter(({ type }) => type !== 'wake-up')
    assert.deepEqual(left, [lasting])
    assert.equal(left[0]?.type === 'record' && left[0].key, key('b'))
  })

  it('gives each of many once, whatever is written meanwhile', async (subject) => {
    const { store, key } = subject
    const ids = Array.from({ length: 1200 }, (_, n) => String(n))
    for (let at = 0; at < ids.length; at += 100) {
      const some = ids.slice(at, at + 100)
      await store.write(some.map((id) => ({ op: 'put', key: key(id), value: id }) as const))
    }
    const seen = new Map<string, number>()
    let count = 0
    for await (const entry of store.dump()) {
      count++
      if (entry.type !== 'record') continue
      seen.set(entry.key, (seen.get(entry.key) ?? 0) + 1)
      if (count % 50 !== 0) continue
      await store.write([{ op: 'put', key: key(`new-${count}`), value: 0 }])
      await store.write([{ op: 'revise', key: key(String(count % 1000)), value: count }])
    }
    for (const id of ids) assert.equal(seen.get(key(id)), 1, id)
  })

  it('lets a dump be left in the middle', async (subject) => {
    const { store, key } = subject
    await fill(subject)
    for await (const entry of store.dump()) if (entry.type === 'record') break
    await store.write([{ op: 'put', key: key('after'), value: 1 }])
    assert.equal((await store.get(key('after')))?.value, 1)
  })

  it('loads what was lost as it was, and the same again without a change', async (subject) => {
    const { store, clock, instance, key, index } = subject
    const entries = await fill(subject)
    await store.write([
      { op: 'delete', key: key('a: 1') },
      { op: 'put', key: key('b'), value: 'later', indexes: [{ index: index('all'), sort: 'b' }] },
    ])
    await store.hit(key('a: 1'), MINUTE_MS, 5)
    await store.scheduler.cancel('dumped', `${instance} 1`)
    for (let round = 0; round < 2; round++) {
      await store.load(entries)
      assert.deepEqual(await dumpOwn(subject), entries)
    }
    const listed = (await store.list(index('all'))).records
    assert.deepEqual(
      listed.map((record) => record.key),
      [key('a: 1')],
    )
    assert.equal((await store.hit(key('a: 1'), MINUTE_MS, 0)).count, 3)
    clock.advance(10 * MINUTE_MS)
    assert.equal(await store.get(key('a: 1')), undefined)
    assert.deepEqual((await store.list(index('all'))).records, [])
  })

  it('loads many of many instances, of a stream', async (subject) => {
    const { store, instance } = subject
    // No store makes this revision.
    const revision = 'loaded1' as Revision
    const ofInstance = (n: number): string => `${instance}-${n % 40}`
    async function* entries(): AsyncGenerator<DumpEntry> {
      for (let n = 0; n < 1300; n++) {
        const key = recordKey(ofInstance(n), 'thing', String(n))
        yield { type: 'record', key, value: n, revision, indexes: [] }
      }
    }
    await store.load(entries())
    for (const n of [0, 499, 500, 1299]) {
      const key = recordKey(ofInstance(n), 'thing', String(n))
      assert.deepEqual(await store.get(key), { key, value: n, revision })
    }
  })

  it('keeps away what is dead when it is loaded', async (subject) => {
    const { store, clock, key } = subject
    const entries = await fill(subject)
    clock.advance(10 * MINUTE_MS)
    await store.load(entries)
    assert.equal(await store.get(key('a: 1')), undefined)
    clock.advance(-5 * MINUTE_MS)
    assert.equal(await store.get(key('a: 1')), undefined)
  })

  it('rejects what no store gave with a TypeError', async ({ store, key }) => {
    const record = { type: 'record', key: key('a'), value: 1, indexes: [] } as const
    const bad = 'a\nb' as Revision // What a damaged file may hold.
    await assert.rejects(store.load([{ ...record, revision: bad }]), TypeError)
    await assert.rejects(
      store.load([{ type: 'counter', key: key('a'), count: -1, resetsAt: 1 }]),
      TypeError,
    )
    assert.equal(await store.get(key('a')), undefined)
  })
})
