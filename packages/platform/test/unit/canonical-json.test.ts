import { type Json, parseExact } from '@svc/store'
import { expect } from 'chai'
import { canonicalJson } from '../../src/transfer/canonical-json.ts'

describe('the canonical text of an export', () => {
  it('keeps the digits of integers beyond 2^53 (D97)', () => {
    const text = '{"b":[17841405822304915],"a":-9007199254740993}'
    expect(canonicalJson(parseExact(text) as Json)).to.equal(
      '{"a":-9007199254740993,"b":[17841405822304915]}',
    )
  })
})
