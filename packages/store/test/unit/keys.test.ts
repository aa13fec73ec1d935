import { expect } from 'chai'
import { indexKey, recordKey, secretKey } from '../../src/index.ts'

describe('recordKey', () => {
  it('puts the instance into the hash tag', () => {
    expect(recordKey('alice_1-2', 'auth-code', 'x:y z')).to.equal('{alice_1-2}:auth-code:x:y z')
  })

  const REFUSED: readonly [instance: string, kind: string, id: string][] = [
    ['', 'code', 'a'],
    ['a}b', 'code', 'a'],
    ['a:b', 'code', 'a'],
    ['ä', 'code', 'a'],
    ['x'.repeat(65), 'code', 'a'],
    ['a', '', 'a'],
    ['a', 'Code', 'a'],
    ['a', '#code', 'a'],
    ['a', 'co:de', 'a'],
    ['a', 'x'.repeat(33), 'a'],
    ['a', 'code', ''],
    ['a', 'code', 'a\nb'],
    ['a', 'code', 'a\u0000'],
    ['a', 'code', '\u007f'],
    ['a', 'code', '\udc00'],
    ['a', 'code', 'x'.repeat(513)],
  ]
  for (const parts of REFUSED) {
    it(`refuses ${JSON.stringify(parts).slice(0, 60)}`, () => {
      expect(() => recordKey(...parts)).to.throw(TypeError)
    })
  }
})

describe('secretKey', () => {
  it('holds only the SHA-256 of the secret', () => {
    // printf secret | openssl sha256 -binary | basenc --base64url
    expect(secretKey('a', 'code', 'secret')).to.equal(
      '{a}:code:K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols',
    )
  })
})

describe('indexKey', () => {
  it('is told from records by its kind', () => {
    expect(indexKey('a', 'clients:by name')).to.equal('{a}:index:clients:by name')
  })

  for (const name of ['', 'a\u0001', '\ud800', 'x'.repeat(257)]) {
    it(`refuses ${JSON.stringify(name).slice(0, 20)}`, () => {
      expect(() => indexKey('a', name)).to.throw(TypeError)
    })
  }
})
