import { expect } from 'chai'
import { ReadWriteLock } from '../../src/engine/read-write-lock.ts'
import { until } from '../support/until.ts'

function openRun(): { readonly run: () => Promise<void>; end(): void; isRunning(): boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isRunning = false
  return {
    async run() {
      isRunning = true
      await promise
      isRunning = false
    },
    end: resolve,
    isRunning: () => isRunning,
  }
}

/** Lets everything that is ready happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('runs that have to be alone', () => {
  it('wait for those under way, and keep others waiting', async () => {
    const lock = new ReadWriteLock()
    const [one, two, alone, later] = [openRun(), openRun(), openRun(), openRun()]
    const all = [lock.shared(one.run), lock.shared(two.run)]
    await settle()
    expect([one.isRunning(), two.isRunning(), lock.isClosed()]).to.deep.equal([true, true, false])
    all.push(lock.exclusive(alone.run), lock.shared(later.run))
    await settle()
    expect([alone.isRunning(), later.isRunning(), lock.isClosed()]).to.deep.equal([
      false,
      false,
      true,
    ])
    one.end()
    await settle()
    expect(alone.isRunning()).to.equal(false)
    two.end()
    await settle()
    expect([alone.isRunning(), later.isRunning()]).to.deep.equal([true, false])
    alone.end()
    await settle()
    expect([later.isRunning(), lock.isClosed()]).to.deep.equal([true, false])
    later.end()
    await Promise.all(all)
  })

  it('come one after the other, and let go when they throw', async () => {
    const lock = new ReadWriteLock()
    const [first, second] = [openRun(), openRun()]
    const failing = lock.exclusive(async () => {
      await first.run()
      throw new Error('a mistake')
    })
    const next = lock.exclusive(second.run)
    await settle()
    expect([first.isRunning(), second.isRunning()]).to.deep.equal([true, false])
    first.end()
    let failure: unknown
    await failing.catch((error: unknown) => {
      failure = error
    })
    expect(failure).to.be.instanceOf(Error)
    await settle()
    expect(second.isRunning()).to.equal(true)
    second.end()
    await next
    expect(lock.isClosed()).to.equal(false)
  })

  it('settle: what goes on for long keeps nobody waiting, alone or not', async () => {
    let opened = 0
    const onOpen = (): void => {
      opened += 1
    }
    const lock = new ReadWriteLock({ settledMs: 5, onOpen })
    const [one, alone, later] = [openRun(), openRun(), openRun()]
    const all = [lock.shared(one.run), lock.exclusive(alone.run), lock.shared(later.run)]
    await until(() => later.isRunning())
    expect([one.isRunning(), alone.isRunning(), lock.isClosed()]).to.deep.equal([true, true, false])
    expect(opened).to.be.above(0)
    for (const run of [alone, one, later]) run.end()
    await Promise.all(all)
    // Ended once each, although settled before.
    const last = openRun()
    const again = lock.exclusive(last.run)
    await until(() => last.isRunning())
    last.end()
    await again
    expect(lock.isClosed()).to.equal(false)
  })
})
