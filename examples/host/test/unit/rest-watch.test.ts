import { expect } from 'chai'
import { RestWatch } from '../../src/rest-watch.ts'

describe('RestWatch', () => {
  /** At which of the looks memory was given back. */
  function looksOf(shares: readonly number[]): readonly number[] {
    const given: number[] = []
    let at = -1
    const watch = new RestWatch(
      () => shares[at] ?? Number.NaN,
      () => given.push(at),
    )
    for (at = 0; at < shares.length; at += 1) watch.look()
    return given
  }

  it('has memory given back once when work is over', () => {
    expect(looksOf([0.9, 0.4, 0.01, 0, 0.02])).to.deep.equal([2])
    expect(looksOf([0.2, 0, 0.2, 0.2, 0, 0])).to.deep.equal([1, 4])
  })

  it('leaves a process alone that works, or never did', () => {
    expect(looksOf([0, 0.01, 0.04, 0])).to.deep.equal([])
    expect(looksOf([0.9, 0.06, 0.5, 0.9])).to.deep.equal([])
  })

  it('collects what nobody holds any more', async () => {
    const shares = [1, 0]
    const watch = new RestWatch(() => shares.shift() ?? 0)
    const left = new WeakRef(Array.from({ length: 1000 }, () => ({})))
    // What was made in a turn is held until it ends.
    await new Promise((resolve) => setImmediate(resolve))
    watch.look()
    watch.look()
    expect(left.deref()).to.equal(undefined)
  })
})
