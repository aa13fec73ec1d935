import { expect } from 'chai'
import { fakeClock } from '../../src/index.ts'

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
    expect(clock.now()).to.be.within(Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 1) + 1000)
  })
})
