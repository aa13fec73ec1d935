import { expect } from 'chai'
import { fakeClock, timeBudget, until } from '../../src/index.ts'

describe('fakeClock', () => {
  it('is real time plus what it was advanced by', () => {
    const clock = fakeClock()
    clock.advance(3_600_000)
    const before = Date.now()
    const now = clock.now()
    expect(now).to.be.within(before + 3_600_000, Date.now() + 3_600_000)
  })

  it('can be set to an instant', () => {
    const clock = fakeClock()
    clock.set(Date.UTC(2030, 0, 1))
    const since = clock.now() - Date.UTC(2030, 0, 1)
    expect(since).to.be.within(0, timeBudget(1000))
  })

  it('can stand still, and be moved then', async () => {
    const clock = fakeClock()
    clock.stop()
    const stoppedAt = clock.now()
    await until(() => Date.now() > stoppedAt)
    expect(clock.now()).to.equal(stoppedAt)
    clock.advance(5)
    expect(clock.now()).to.equal(stoppedAt + 5)
    clock.set(7)
    expect(clock.now()).to.equal(7)
  })
})
