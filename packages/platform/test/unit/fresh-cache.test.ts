import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { createFreshCache } from '../../src/fresh-cache.ts'

describe('createFreshCache', () => {
  let clock: FakeClock
  let cache: ReturnType<typeof createFreshCache<number>>
  /** Look-ups so far: each answers how many there were. */
  let count: number
  const load = async (): Promise<number> => (count += 1)
  beforeEach(() => {
    clock = fakeClock()
    clock.stop()
    cache = createFreshCache<number>({ clock, maxAgeMs: 900, max: 10 })
    count = 0
  })

  it('answers at once, without looking up, while the value is fresh', async () => {
    expect(await cache.get('a', load)).to.equal(1)
    expect(cache.get('a', load)).to.equal(1)
    expect(count).to.equal(1)
  })

  it('looks up once for callers at the same time', async () => {
    await Promise.all(Array.from({ length: 50 }, async () => cache.get('a', load)))
    expect(count).to.equal(1)
  })

  it('looks up again when the value has the age', async () => {
    await cache.get('a', load)
    clock.advance(900)
    expect(await cache.get('a', load)).to.equal(2)
  })

  it('counts the age from the start of the look-up, however long it took', async () => {
    const slow = Promise.withResolvers<number>()
    const first = cache.get('a', () => slow.promise)
    clock.advance(900)
    slow.resolve(0)
    expect(await first).to.equal(0)
    expect(await cache.get('a', load)).to.equal(1)
  })

  it('looks up again when the clock was set back', async () => {
    await cache.get('a', load)
    clock.advance(-60_000)
    expect(await cache.get('a', load)).to.equal(2)
  })

  it('does not keep what a look-up brings that began before a drop', async () => {
    const slow = Promise.withResolvers<number>()
    const early = cache.get('a', () => slow.promise)
    cache.drop('a')
    const late = cache.get('a', load)
    slow.resolve(-1)
    expect(await early).to.equal(-1)
    expect(await late).to.equal(1)
    expect(cache.get('a', load)).to.equal(1)
  })

  it('forgets everything on clear', async () => {
    await cache.get('a', load)
    cache.clear()
    expect(await cache.get('a', load)).to.equal(2)
  })

  it('answers at once what was looked up shortly before it threw the older half away', async () => {
    await cache.get('early', load)
    clock.advance(800)
    await cache.get('late', load)
    clock.advance(200)
    expect(await cache.get('early', load)).to.equal(3)
    expect(cache.get('late', load)).to.equal(2)
  })

  it('keeps no more than its size', async () => {
    for (let i = 0; i < 20; i += 1) await cache.get(`key ${i}`, load)
    const before = count
    for (let i = 19; i >= 0; i -= 1) void cache.get(`key ${i}`, load)
    expect(count - before).to.be.within(10, 20)
  })

  it('does not keep a failure', async () => {
    const failing = Promise.resolve(cache.get('a', () => Promise.reject(new Error('down'))))
    expect(await failing.catch(String)).to.equal('Error: down')
    expect(await cache.get('a', load)).to.equal(1)
  })
})
