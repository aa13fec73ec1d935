import { createHash, X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { APPLE_ROOTS, GOOGLE_ROOTS } from '../../../src/certification/trust-roots.ts'

const ROOTS = [
  {
    list: APPLE_ROOTS,
    name: 'Apple App Attestation Root CA',
    sha256: '1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932',
    key: 'ec',
    until: '2045-03-15T00:00:00.000Z',
  },
  {
    list: GOOGLE_ROOTS,
    name: 'GTS Root R1',
    sha256: 'd947432abde7b7fa90fc2e6b59101b1280e0e1c7e4e40fa3c6887fff57a7f4cf',
    key: 'rsa',
    until: '2036-06-22T00:00:00.000Z',
  },
  {
    list: GOOGLE_ROOTS,
    name: 'GlobalSign Root CA',
    sha256: 'ebd41040e4bb3ec742c9e381d31ef2a41a48b6685c96e7cef3c1df6cd4331c99',
    key: 'rsa',
    until: '2028-01-28T12:00:00.000Z',
  },
  {
    list: GOOGLE_ROOTS,
    name: 'GlobalSign',
    sha256: 'ca42dd41745fd0b81eb902362cf9d8bf719da1bd1b1efc946f5b4c99f42c1b9e',
    key: 'rsa',
    until: '2021-12-15T08:00:00.000Z',
  },
] as const

describe('the pinned roots', () => {
  for (const { list, name, sha256, key, until } of ROOTS) {
    it(`hold ${name} (${sha256.slice(0, 8)}), byte for byte`, () => {
      const roots = list.map((pem) => new X509Certificate(pem))
      const root = roots.find(
        ({ raw }) => createHash('sha256').update(raw).digest('hex') === sha256,
      )
      expect(root?.subject.split('\n')).to.include(`CN=${name}`)
      expect(root?.publicKey.asymmetricKeyType).to.equal(key)
      expect(root?.validToDate.toISOString()).to.equal(until)
      expect(root?.ca).to.equal(true)
      expect(root?.verify(root.publicKey)).to.equal(true)
    })
  }

  it('hold no other certificate', () => {
    expect([...APPLE_ROOTS, ...GOOGLE_ROOTS]).to.have.length(ROOTS.length)
  })
})
