import { expect } from 'chai'
import { afterEach, describe, it } from 'mocha'
import { LongTimer } from '../../src/connection/long-timer.ts'
import { until } from '../support/until.ts'

describe('LongTimer', () => {
  const clock = { at: 0, now: () => clock.at }
  const timer = new LongTimer(clock)
  afterEach(() => timer.clear())

  it('does not take a time beyond what a timer can wait for now', async () => {
    let calls = 0
    let others = 0
    timer.set(2 ** 31 + 1000, () => {
      calls += 1
    })
    setTimeout(() => {
      others += 1
    }, 20)
    await until(() => others === 1)
    expect(calls).to.equal(0)
  })

  it('waits on when the clock is not there yet, and forgets what it was set to before', async () => {
    const calls: string[] = []
    timer.set(10, () => calls.push('first'))
    timer.set(20, () => calls.push('second'))
    let looks = 0
    clock.now = () => {
      looks += 1
      return looks > 3 ? 20 : 10
    }
    await until(() => calls.length > 0)
    expect(calls).to.deep.equal(['second'])
    expect(looks).to.be.above(3)
  })
})
