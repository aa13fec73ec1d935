import { expect } from 'chai'
import { retryDelayMs } from '../../src/retry-delay.ts'

describe('retryDelayMs', () => {
  it('grows from 1 s to 5 min', () => {
    const delays = [1, 2, 3, 8, 9, 10, 100, 1e9].map(retryDelayMs)
    expect(delays).to.deep.equal([1000, 2000, 4000, 128_000, 256_000, 300_000, 300_000, 300_000])
  })
})
