import { expect } from 'chai'
import { proxyRequestId } from '../../src/http/request-scope.ts'

describe('the request id of a proxy', () => {
  for (const id of ['a1b2c3d4', 'A-Z_09-x', 'f'.repeat(64)]) {
    it(`is kept where it is ${id}`, () => expect(proxyRequestId(id)).to.equal(id))
  }
  for (const [what, id] of [
    ['nothing', ''],
    ['too short', 'a1b2c3d'],
    ['too long', 'f'.repeat(65)],
    ['of other characters', 'a1b2c3d4 event=login'],
    ['two, joined', 'a1b2c3d4, e5f6a7b8'],
    ['a line break', 'a1b2c3d4\n'],
    ['of letters with accents', 'éééééééé'],
  ] as const) {
    it(`is left out where it is ${what}`, () => expect(proxyRequestId(id)).to.equal(undefined))
  }
})
