import { encodeCbor } from '@svc/testkit/attestation'
import { expect } from 'chai'
import { decodeCbor } from '../../../src/certification/cbor.ts'

const decode = (hex: string): unknown => decodeCbor(Buffer.from(hex, 'hex'))

describe('decodeCbor', () => {
  it('decodes what attestations are made of', () => {
    const value = { fmt: 'x', attStmt: { x5c: [Buffer.from('a'), Buffer.alloc(300, 1)] }, n: -7 }
    const decoded = decodeCbor(encodeCbor(value))
    expect(decoded).to.be.instanceOf(Map)
    // Checked the line before.
    const map = decoded as ReadonlyMap<string, unknown>
    expect([...map.keys()]).to.deep.equal(['fmt', 'attStmt', 'n'])
    expect(map.get('fmt')).to.equal('x')
    expect(map.get('n')).to.equal(-7)
    expect(map.get('attStmt')).to.deep.equal(
      new Map([['x5c', [Buffer.from('a'), Buffer.alloc(300, 1)]]]),
    )
  })

  const refusals: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['bytes after the item', '0000'],
    ['a string that is cut short', '42ff'],
    ['a length that is cut short', '59ff'],
    ['a length of 64 bits', '5bffffffffffffffff'],
    ['a list of more items than bytes', '9a01e00000'],
    ['a map without its last value', 'a100'],
    ['a string of indefinite length', '5f41004100ff'],
    ['a list of indefinite length', '9f00ff'],
    ['a map of indefinite length', 'bf0000ff'],
    ['a reserved length', '5c'],
    ['a map that has a key twice', 'a2616100616101'],
    ['a tag', 'c100'],
    ['a regular expression', 'd81b8166526567457870'],
    ['a fraction', 'f93c00'],
    ['a simple value of two bytes', 'f8ff'],
    ['five lists in each other', '8181818180'],
    ['a thousand lists in each other', `${'81'.repeat(1000)}80`],
  ]
  for (const [name, hex] of refusals) {
    it(`refuses ${name}`, () => {
      expect(() => decode(hex)).to.throw(RangeError)
    })
  }

  it('accepts four lists in each other', () => {
    expect(decode('81818180')).to.deep.equal([[[[]]]])
  })
})
