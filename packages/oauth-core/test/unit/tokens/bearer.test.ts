import type { IncomingMessage } from 'node:http'
import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { readBearer } from '../../../src/tokens/bearer.ts'

function request(...values: string[]): IncomingMessage {
  const headers = values[0] === undefined ? {} : { authorization: values[0] }
  const rawHeaders = values.flatMap((value) => ['Authorization', value])
  // All of a request that is looked at.
  return { headers, rawHeaders: ['Host', 'x', ...rawHeaders] } as unknown as IncomingMessage
}

describe('readBearer', () => {
  const cases: readonly (readonly [string | undefined, ReturnType<typeof readBearer>])[] = [
    ['Bearer abc', { token: 'abc' }],
    ['bearer abc', { token: 'abc' }],
    ['BEARER abc', { token: 'abc' }],
    [undefined, 'missing'],
    ['', 'missing'],
    ['Bearer', 'missing'],
    ['Bearer ', 'missing'],
    ['Basic YTpi', 'missing'],
    ['Bearerabc', 'missing'],
    ['null', 'missing'],
    ['abc', 'missing'],
    ['Bearer a b', 'malformed'],
    ['Bearer abc,def', { token: 'abc,def' }],
    ['Bearer abc, Bearer def', 'malformed'],
    ['Bearer  abc', 'malformed'],
    ['Bearer\tabc', 'missing'],
  ]
  for (const [header, expected] of cases) {
    it(`answers ${JSON.stringify(expected)} for ${JSON.stringify(header)}`, () => {
      const found = header === undefined ? request() : request(header)
      expect(readBearer(found)).to.deep.equal(expected)
    })
  }

  it('refuses two headers, even equal ones', () => {
    expect(readBearer(request('Bearer abc', 'Bearer abc'))).to.equal('malformed')
  })

  it('judges 50 KB of spaces in 50 ms', async () => {
    const long = request(`Bearer ${' '.repeat(50_000)}x y`)
    expect(await cpuMs(() => void readBearer(long))).to.be.below(scaledLimit(50))
    expect(readBearer(long)).to.equal('malformed')
  })
})
