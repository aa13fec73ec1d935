import { createSecretKey, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { openMac, sealMac } from '../../src/web/mac.ts'

const secret = Buffer.from(Array.from({ length: 64 }, (_, at) => at))
const key = messageKeyOf(secret)
const id = '0123456789abcdef0123456789abcdef'
const name = 'svcsessid'
const sealed =
  'AAAAAGVT8QAwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZhq5-txDlOdiyIgOofLApxRsoY5G9g4yHZkQn4dB4ToB'

describe('sealMac', () => {
  it('makes the session cookie of login.md 3.5', () => {
    expect(sealMac(key, { name }, Buffer.from(id), 1_700_000_000)).to.equal(sealed)
  })

  it('makes the second-factor token of login.md 3.4', () => {
    const salt = Buffer.from(Array.from({ length: 32 }, (_, at) => 0x64 + at))
    expect(sealMac(key, { name: 'totp' }, salt, 1_700_000_000)).to.equal(
      'AAAAAGVT8QBkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5_gIGCg4UPqWbq6sw2r9RyMj6QYomWlNRtjrTyaFAOXDxU3v2N',
    )
  })
})

describe('openMac', () => {
  it('gives back value and time', () => {
    const message = openMac(key, { name }, sealed)
    expect(message?.value.toString()).to.equal(id)
    expect(message?.timeS).to.equal(1_700_000_000)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(openMac(key, { name }, text)).to.equal(undefined)
      }),
    )
  })

  const changed = Buffer.from(secret)
  changed.writeUInt8(255, 63)
  const other = messageKeyOf(changed)
  const short = sealMac(key, { name }, Buffer.from('a'), 1_700_000_000)
  const cases: readonly [what: string, key: KeyObject, purpose: object, text: string][] = [
    ['another name', key, { name: 'svcapp' }, sealed],
    ['additional data', key, { name, additional: 'drive' }, sealed],
    ['another key', other, { name }, sealed],
    ['a changed character', key, { name }, `B${sealed.slice(1)}`],
    ['a cut tail', key, { name }, sealed.slice(0, -1)],
    ['padding', key, { name }, `${sealed}=`],
    ['stray bits', key, { name }, short.replace(/.$/, (last) => nextLetter(last))],
    ['an empty text', key, { name }, ''],
    ['39 bytes', key, { name }, Buffer.alloc(39).toString('base64url')],
    ['over 256 characters', key, { name }, 'A'.repeat(257)],
    ['a lone surrogate', key, { name }, `\ud800${sealed}`],
    ['standard base64', key, { name }, sealed.replaceAll('-', '+')],
  ]
  for (const [what, used, purpose, text] of cases) {
    it(`refuses ${what}`, () => {
      expect(openMac(used, { name, ...purpose }, text)).to.equal(undefined)
    })
  }
})

/** As the keyring makes it. @see login.md 3.4 */
function messageKeyOf(bytes: Uint8Array): KeyObject {
  return createSecretKey(Buffer.concat([Buffer.from('2:'), bytes]))
}

/** The next of the alphabet: it differs in the last bit. */
function nextLetter(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? ''
}
