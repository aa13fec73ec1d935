import { expect } from 'chai'
import { nodeFault } from '../../src/node-version.ts'

describe('the version of Node', () => {
  for (const version of ['22.22.2', '22.30.0', '24.14.1', '25.0.0']) {
    it(`may be ${version}`, () => {
      expect(nodeFault(version)).to.equal(undefined)
    })
  }

  for (const version of ['20.20.2', '22.22.1', '23.9.9', '24.14.0']) {
    it(`is not ${version}`, () => {
      expect(nodeFault(version)).to.equal(
        `The contract needs Node >= 22.22.2 or >= 24.14.1; this is ${version}.`,
      )
    })
  }
})
