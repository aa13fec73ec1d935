import { expect } from 'chai'
import * as exported from '../../src/index.ts'

describe('@svc/contract', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).toSorted()).to.deep.equal([
      'CATALOGUE',
      'CATALOGUE_VERSION',
      'CannotRun',
      'GROUPS',
      'PROFILES',
      'exitCodeOf',
      'replay',
      'run',
      'selfTest',
      'writeReport',
    ])
  })
})
