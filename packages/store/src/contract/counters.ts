import assert from 'node:assert/strict'
import { type DefinePart, part } from './suite.ts'

const WINDOW_MS = 60_000

/** Fixed windows from the first hit. */
export const testCounters: DefinePart = part('hit', (it) => {
  it('counts in a window from the first hit', async ({ store, clock, key }) => {
    const before = clock.now()
    const first = await store.hit(key('c'), WINDOW_MS)
    assert.equal(first.count, 1)
    assert.ok(first.resetsAt >= before + WINDOW_MS && first.resetsAt <= clock.now() + WINDOW_MS)
    clock.advance(WINDOW_MS / 2)
    assert.deepEqual(await store.hit(key('c'), WINDOW_MS), { count: 2, resetsAt: first.resetsAt })
    assert.deepEqual(await store.hit(key('c'), WINDOW_MS, 5), {
      count: 7,
      resetsAt: first.resetsAt,
    })
    clock.advance(WINDOW_MS / 2)
    const next = await store.hit(key('c'), WINDOW_MS)
    assert.equal(next.count, 1)
    assert.ok(next.resetsAt > first.resetsAt)
  })

  it('reads with 0, opening no window', async ({ store, clock, key }) => {
    const before = clock.now()
    const none = await store.hit(key('c'), WINDOW_MS, 0)
    assert.equal(none.count, 0)
    assert.ok(none.resetsAt >= before && none.resetsAt <= clock.now())
    const first = await store.hit(key('c'), WINDOW_MS)
    assert.deepEqual(await store.hit(key('c'), WINDOW_MS, 0), first)
    clock.advance(WINDOW_MS)
    assert.equal((await store.hit(key('c'), WINDOW_MS, 0)).count, 0)
  })

  it('releases with a negative step, never below 0, opening no window', async (subject) => {
    const { store, clock, key } = subject
    assert.equal((await store.hit(key('c'), WINDOW_MS, -1)).count, 0)
    clock.advance(WINDOW_MS / 2)
    const first = clock.now()
    const { resetsAt } = await store.hit(key('c'), WINDOW_MS, 2)
    assert.ok(resetsAt >= first + WINDOW_MS)
    assert.deepEqual(await store.hit(key('c'), WINDOW_MS, -1), { count: 1, resetsAt })
    assert.deepEqual(await store.hit(key('c'), WINDOW_MS, -5), { count: 0, resetsAt })
    assert.deepEqual(await store.hit(key('c'), WINDOW_MS), { count: 1, resetsAt })
    clock.advance(WINDOW_MS)
    assert.equal((await store.hit(key('c'), WINDOW_MS, -1)).count, 0)
    assert.equal((await store.hit(key('c'), WINDOW_MS)).count, 1)
  })

  it('keeps counters apart from each other and from records', async ({ store, key }) => {
    await store.write([{ op: 'put', key: key('c'), value: 'record' }])
    await store.hit(key('c'), WINDOW_MS)
    await store.hit(key('d'), WINDOW_MS, 3)
    assert.equal((await store.get(key('c')))?.value, 'record')
    assert.equal((await store.hit(key('c'), WINDOW_MS)).count, 2)
    await store.take(key('c'))
    assert.equal((await store.hit(key('c'), WINDOW_MS)).count, 3)
    assert.equal((await store.hit(key('d'), WINDOW_MS, 0)).count, 3)
  })

  for (const [window, by] of [
    [0, 1],
    [-1, 1],
    [1.5, 1],
    [Number.NaN, 1],
    [1000, 0.5],
    [1000, Number.NaN],
  ] as const) {
    it(`rejects window ${window} and step ${by} with a TypeError`, async ({ store, key }) => {
      await assert.rejects(store.hit(key('c'), window, by), TypeError)
    })
  }
})
