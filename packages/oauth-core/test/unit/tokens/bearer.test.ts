import type { IncomingMessage } from 'node:http'
import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { readBearer } from '../../../src/tokens/bearer.ts'

function request(authorization: string): IncomingMessage {
  const headers = { authorization }
  const rawHeaders = ['Authorization', authorization]
  // All of a request that is looked at.
  return { headers, rawHeaders: ['Host', 'x', ...rawHeaders] } as unknown as IncomingMessage
}

// What there is no token in, and two of them: http/same-refusals.test.ts.
describe('readBearer', () => {
  const cases: readonly (readonly [string, ReturnType<typeof readBearer>])[] = [
    ['Bearer abc', { token: 'abc' }],
    ['BEARER abc', { token: 'abc' }],
    ['Bearerabc', 'missing'],
    ['null', 'missing'],
    ['Bearer abc,def', { token: 'abc,def' }],
    ['Bearer abc, Bearer def', 'malformed'],
    ['Bearer\tabc', 'missing'],
  ]
  for (const [header, expected] of cases) {
    it(`answers ${JSON.stringify(expected)} for ${JSON.stringify(header)}`, () => {
      expect(readBearer(request(header))).to.deep.equal(expected)
    })
  }

  it('judges 50 KB of spaces in 50 ms', async () => {
    const long = request(`Bearer ${' '.repeat(50_000)}x y`)
    expect(await cpuMs(() => void readBearer(long))).to.be.below(scaledLimit(50))
    expect(readBearer(long)).to.equal('malformed')
  })
})
