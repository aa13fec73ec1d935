import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createSealer, type SealingKey } from '../../../src/keys/sealer.ts'

const OLD: SealingKey = { kid: 'k1', key: randomBytes(32) }
const NEW: SealingKey = { kid: 'k2', key: randomBytes(32) }
const AAD = 'alice|io.svc.accounts|4f|oauth.access_token'
const INFO = 'svc/account/v1'

describe('createSealer', () => {
  it('refuses an empty keyring, a malformed or doubled kid, and a key that is not 32 bytes', () => {
    const faulty: readonly (readonly SealingKey[])[] = [
      [],
      [{ kid: 'a.b', key: OLD.key }],
      [{ kid: '', key: OLD.key }],
      [OLD, { kid: 'k1', key: NEW.key }],
      [{ kid: 'k1', key: randomBytes(31) }],
    ]
    for (const keys of faulty) expect(() => createSealer(keys)).to.throw(TypeError)
  })

  it('opens what it sealed, with the same context only', () => {
    const sealer = createSealer([OLD])
    const sealed = sealer.seal('pâté', 'client:1')
    expect(sealer.open(sealed, 'client:1').toString()).to.equal('pâté')
    expect(() => sealer.open(sealed, 'client:2')).to.throw()
  })
})

/** Texts that the decoder takes for the same bytes, of a text whose last character has stray bits. */
function otherSpellings(text: string): readonly string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const stray = alphabet[alphabet.indexOf(text.slice(-1)) + 1] ?? ''
  return [`${text}=`, `${text}==`, `${text} `, `${text}\n`, `${text.slice(0, -1)}${stray}`]
}

describe('what was sealed has one spelling (D103)', () => {
  const sealer = createSealer([OLD])
  const values = sealer.derive('alice', INFO)
  // 29 and 31 bytes: the last character has two and four stray bits.
  const cases = {
    'open, with two stray bits': [sealer.seal('a', AAD), (text: string) => sealer.open(text, AAD)],
    'open, with four': [sealer.seal('abc', AAD), (text: string) => sealer.open(text, AAD)],
    'open of a derivation': [values.seal('a', AAD), (text: string) => values.open(text, AAD)],
    verify: [values.sign(AAD), (text: string) => values.verify(text, AAD)],
  } as const
  for (const [what, [text, open]] of Object.entries(cases)) {
    it(`for ${what}`, () => {
      expect(() => open(text)).not.to.throw()
      for (const other of otherSpellings(text)) {
        expect(() => open(other), JSON.stringify(other)).to.throw()
      }
    })
  }
})

describe('Sealer.derive (connectors.md 7.3)', () => {
  it('seals as v1, kid, nonce, ciphertext and tag under HKDF-SHA256 of the key', () => {
    const sealed = createSealer([OLD]).derive('alice', INFO).seal('s3cret', AAD)
    const [version, kid, nonce = '', body = '', ...rest] = sealed.split('.')
    expect([version, kid, rest]).to.deep.equal(['v1', 'k1', []])
    const key = new Uint8Array(hkdfSync('sha256', OLD.key, 'alice', INFO, 32))
    const bytes = Buffer.from(body, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'))
      .setAAD(Buffer.from(AAD))
      .setAuthTag(bytes.subarray(-16))
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()])
    expect(plain.toString()).to.equal('s3cret')
  })

  it('opens bytes and text, the empty one too, and never seals twice alike', () => {
    const values = createSealer([OLD]).derive('alice', INFO)
    const bytes = randomBytes(5000)
    expect(values.open(values.seal(bytes, AAD), AAD).equals(bytes)).to.equal(true)
    expect(values.open(values.seal('', AAD), AAD).length).to.equal(0)
    expect(values.seal('same', AAD)).not.to.equal(values.seal('same', AAD))
  })

  it('does not open a value with another place, salt, purpose or key', () => {
    const sealer = createSealer([OLD])
    const sealed = sealer.derive('alice', INFO).seal('s3cret', AAD)
    const refusals = {
      place: () => sealer.derive('alice', INFO).open(sealed, AAD.replace('4f', '50')),
      salt: () => sealer.derive('bob', INFO).open(sealed, AAD),
      purpose: () => sealer.derive('alice', 'svc/state/v1').open(sealed, AAD),
      'unknown key': () => createSealer([NEW]).derive('alice', INFO).open(sealed, AAD),
      'other key of that name': () =>
        createSealer([{ kid: 'k1', key: NEW.key }])
          .derive('alice', INFO)
          .open(sealed, AAD),
    }
    for (const [name, open] of Object.entries(refusals)) expect(open, name).to.throw(Error)
  })

  it('opens nothing that was changed or cut, and no malformed text', () => {
    const values = createSealer([OLD]).derive('alice', INFO)
    const sealed = values.seal('s3cret', AAD)
    const [version, kid, nonce = '', body = ''] = sealed.split('.')
    const flipped = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
    const faulty = [
      '',
      'v1',
      sealed.slice(0, -4),
      `${sealed}.`,
      `${sealed}\n`,
      `v2.${kid}.${nonce}.${body}`,
      `${version}.${kid}.${flipped(nonce)}.${body}`,
      `${version}.${kid}.${nonce}.${flipped(body)}`,
      `${version}.${kid}.${nonce}.AAAA`,
      `${version}.${kid}.${nonce}`,
      createSealer([OLD]).seal('s3cret', AAD),
    ]
    for (const text of faulty) expect(() => values.open(text, AAD), text).to.throw(Error)
  })

  it('reads with any key of the ring, and seals with the first', () => {
    const before = createSealer([OLD]).derive('alice', INFO)
    const rotated = createSealer([NEW, OLD]).derive('alice', INFO)
    const old = before.seal('s3cret', AAD)
    expect(rotated.open(old, AAD).toString()).to.equal('s3cret')
    const again = rotated.seal('s3cret', AAD)
    expect(again.startsWith('v1.k2.')).to.equal(true)
  })
})
