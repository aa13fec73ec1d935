import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { Parameters } from '../../../src/http/parameters.ts'

describe('Parameters.parse', () => {
  const read: readonly (readonly [string, ...(readonly (readonly [string, string])[])])[] = [
    [''],
    ['a=1&b=2', ['a', '1'], ['b', '2']],
    ['a', ['a', '']],
    ['a=', ['a', '']],
    ['a=b=c', ['a', 'b=c']],
    ['&&a=1&', ['a', '1']],
    ['a=x+y%20z', ['a', 'x y z']],
    ['a=%2B', ['a', '+']],
    ['a=%E2%82%AC', ['a', '€']],
    ['a=€', ['a', '€']],
    ['a[b]=1', ['a[b]', '1']],
    ['a[]=1', ['a[]', '1']],
    ['a.b=1', ['a.b', '1']],
    ['__proto__=1&constructor=2', ['__proto__', '1'], ['constructor', '2']],
  ]
  for (const [text, ...pairs] of read) {
    it(`reads ${text || 'nothing'}`, () => {
      const parameters = Parameters.parse(text)
      expect([...parameters.entries()]).to.deep.equal(pairs)
      expect(parameters.duplicate).to.equal(undefined)
    })
  }

  for (const text of ['a=1&a=1', 'a=1&%61=2', 'a&a', 'b=1&a=1&b=2', '__proto__=1&__proto__=2']) {
    it(`names the duplicate of ${text}`, () => {
      expect(Parameters.parse(text).duplicate).to.be.a('string')
    })
  }

  for (const text of ['a=%', 'a=%4', 'a=%GG', 'a=%C3', 'a=%C0%80', 'a=%ED%A0%80', '%FF=1']) {
    it(`refuses ${text}`, () => {
      expect(() => Parameters.parse(text))
        .to.throw()
        .with.property('code', 'invalid_request')
    })
  }

  it('takes 200 parameters and no more', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, i) => `p${i}=1`).join('&')
    expect([...Parameters.parse(many(200)).entries()]).to.have.length(200)
    expect(() => Parameters.parse(many(201)))
      .to.throw()
      .with.property('code', 'invalid_request')
  })

  it('has no inherited names', () => {
    expect(Parameters.empty.get('toString')).to.equal(undefined)
    expect(Parameters.empty.has('constructor')).to.equal(false)
    expect(Parameters.empty.text('__proto__')).to.equal('')
  })

  for (const [what, text] of [
    ['plus signs', `a=${'+'.repeat(60_000)}`],
    ['percent signs', `a=${'%20'.repeat(20_000)}`],
    ['separators', '&'.repeat(60_000)],
    ['equal signs', '='.repeat(60_000)],
  ] as const) {
    it(`judges 60 KB of ${what} in 50 ms`, async () => {
      const tookMs = await cpuMs(() => {
        try {
          Parameters.parse(text)
        } catch {
          // Refused is judged, too.
        }
      })
      expect(tookMs).to.be.below(scaledLimit(50))
    })
  }
})

describe('Parameters.parseQuery', () => {
  for (const text of ['a=é', 'a=b c', 'a=\u0000', 'a=\u007f']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => Parameters.parseQuery(text))
        .to.throw()
        .with.property('code', 'invalid_request')
    })
  }

  it('reads percent-encoded text', () => {
    expect(Parameters.parseQuery('a=%C3%A9').text('a')).to.equal('é')
  })
})
