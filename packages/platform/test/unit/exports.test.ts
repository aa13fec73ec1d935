import { expect } from 'chai'
import * as platform from '../../src/index.ts'

describe('@svc/platform', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(platform).sort()).to.deep.equal([
      'CONNECTION_BOUNDS',
      'DAY_MS',
      'ERRORS',
      'HOUR_MS',
      'MINUTE_MS',
      'OverloadedError',
      'REFUSAL_REASONS',
      'SECOND_MS',
      'limitConnections',
      'limitLoad',
      'networkOf',
    ])
  })
})
