import { expect } from 'chai'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/index.ts'

describe('durations', () => {
  it('are milliseconds', () => {
    expect([SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS]).to.deep.equal([
      1000, 60_000, 3_600_000, 86_400_000,
    ])
  })
})
