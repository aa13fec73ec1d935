import { createSecretKey, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  digitsOf,
  isPasscode,
  newTwoFactorToken,
  passcodeOf,
} from '../../../src/factors/passcode.ts'

const secret = Buffer.from(Array.from({ length: 64 }, (_, at) => at))
const key = messageKeyOf(secret)
/** Vector of login.md 3.4: salt 64..83 hex, time 1700000000. */
const token =
  'AAAAAGVT8QBkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5_gIGCg4UPqWbq6sw2r9RyMj6QYomWlNRtjrTyaFAOXDxU3v2N'

describe('passcodeOf', () => {
  it('gives the passcode of login.md 3.4', () => {
    expect(passcodeOf(key, token)).to.deep.equal({ code: '167699', timeS: 1_700_000_000 })
  })

  it('gives the time of a fresh token, and six digits', () => {
    const fresh = newTwoFactorToken(key, 1_800_000_000)
    expect(fresh).to.match(/^[A-Za-z0-9_-]{96}$/)
    const passcode = passcodeOf(key, fresh)
    expect(passcode?.timeS).to.equal(1_800_000_000)
    expect(passcode?.code).to.match(/^[0-9]{6}$/)
  })

  it('gives different codes for tokens of one moment', () => {
    const codes = Array.from({ length: 20 }, () => {
      return passcodeOf(key, newTwoFactorToken(key, 1_800_000_000))?.code
    })
    expect(new Set(codes).size).to.be.greaterThan(15)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(passcodeOf(key, text)).to.equal(undefined)
      }),
    )
  })
})

describe('isPasscode', () => {
  const typed: readonly [text: string, isRight: boolean][] = [
    ['167699', true],
    [' 167 699 ', true],
    ['16 76 99', true],
    ['167698', false],
    ['1676990', false],
    ['67699', false],
    ['', false],
    ['١٦٧٦٩٩', false],
    ['1e5699', false],
    ['167699\u0000', false],
  ]
  for (const [text, isRight] of typed) {
    it(`${isRight ? 'takes' : 'refuses'} ${JSON.stringify(text)}`, () => {
      expect(isPasscode('167699', text)).to.equal(isRight)
    })
  }
})

describe('digitsOf', () => {
  it('never throws, and gives six digits or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(digitsOf(text) ?? '000000').to.match(/^[0-9]{6}$/)
      }),
    )
  })
})

/** As the keyring makes it. @see login.md 3.4 */
function messageKeyOf(bytes: Uint8Array): KeyObject {
  return createSecretKey(Buffer.concat([Buffer.from('2:'), bytes]))
}
