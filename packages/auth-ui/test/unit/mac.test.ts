import { expect } from 'chai'
import fc from 'fast-check'
import { openMac, sealMac } from '../../src/web/mac.ts'

const secret = Buffer.from(Array.from({ length: 64 }, (_, at) => at))
const id = '0123456789abcdef0123456789abcdef'
const name = 'svcsessid'
const sealed =
  'AAAAAGVT8QAwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZhq5-txDlOdiyIgOofLApxRsoY5G9g4yHZkQn4dB4ToB'

describe('sealMac', () => {
  it('makes the session cookie of login.md 3.5', () => {
    expect(sealMac(secret, { name }, Buffer.from(id), 1_700_000_000)).to.equal(sealed)
  })

  it('makes the second-factor token of login.md 3.4', () => {
    const salt = Buffer.from(Array.from({ length: 32 }, (_, at) => 0x64 + at))
    expect(sealMac(secret, { name: 'totp' }, salt, 1_700_000_000)).to.equal(
      'AAAAAGVT8QBkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5_gIGCg4UPqWbq6sw2r9RyMj6QYomWlNRtjrTyaFAOXDxU3v2N',
    )
  })
})

describe('openMac', () => {
  it('gives back value and time', () => {
    const message = openMac(secret, { name }, sealed)
    expect(message?.value.toString()).to.equal(id)
    expect(message?.timeS).to.equal(1_700_000_000)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(openMac(secret, { name }, text)).to.equal(undefined)
      }),
    )
  })

  const other = Buffer.from(secret)
  other.writeUInt8(255, 63)
  const cases: readonly [what: string, secret: Buffer, purpose: object, text: string][] = [
    ['another name', secret, { name: 'svcapp' }, sealed],
    ['additional data', secret, { name, additional: 'drive' }, sealed],
    ['another key', other, { name }, sealed],
    ['a changed character', secret, { name }, `B${sealed.slice(1)}`],
    ['a cut tail', secret, { name }, sealed.slice(0, -1)],
    ['padding', secret, { name }, `${sealed}=`],
    ['an empty text', secret, { name }, ''],
    ['39 bytes', secret, { name }, Buffer.alloc(39).toString('base64url')],
    ['over 256 characters', secret, { name }, 'A'.repeat(257)],
    ['a lone surrogate', secret, { name }, `\ud800${sealed}`],
    ['standard base64', secret, { name }, sealed.replaceAll('-', '+')],
  ]
  for (const [what, key, purpose, text] of cases) {
    it(`refuses ${what}`, () => {
      expect(openMac(key, { name, ...purpose }, text)).to.equal(undefined)
    })
  }
})
