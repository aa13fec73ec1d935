import { expect } from 'chai'
import * as exported from '../../src/index.ts'

describe('@svc/activity', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).toSorted()).to.deep.equal([
      'ACTIVITY_LOG_EVENTS',
      'ACTIVITY_RECORDS',
      'ActivityError',
      'ERRORS',
      'createActivity',
      'verifyFile',
    ])
  })
})
