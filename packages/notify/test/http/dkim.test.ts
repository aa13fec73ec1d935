import { createHash, createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { smtpTransport } from '../../src/index.ts'
import { openMailBench } from '../support/mail-bench.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const DKIM = {
  domain: 'example.com',
  selector: 'mails',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}

describe('signed mails (D39, RFC 6376)', () => {
  it('verify with the public key, both headers of the way out included', async () => {
    const bench = await openMailBench({ smtp: { dkim: DKIM } })
    try {
      const url = `https://alice.example.com/notifications/unsubscribe?t=${'x'.repeat(150)}`
      bench.links = { unsubscribe: url }
      const { raw } = await bench.mail({ title: 'Żółw', message: 'Déjà vu '.repeat(100) })
      const signature = readSignature(raw)
      expect(signature.tags).to.include({ d: 'example.com', s: 'mails', a: 'rsa-sha256' })
      const signed = signature.tags['h']?.split(':')
      expect(signed).to.include.members(['from', 'to', 'subject', 'date', 'message-id', 'list-id'])
      expect(signed).to.include.members(['list-unsubscribe', 'list-unsubscribe-post'])
      expect(verify(raw, publicKey)).to.equal(true)
      const forged = raw.replace('List-Unsubscribe=One-Click', 'List-Unsubscribe=Two-Clicks')
      expect(verify(forged, publicKey)).to.equal(false)
    } finally {
      await bench.close()
    }
  })

  it('are not signed without a key', async () => {
    const bench = await openMailBench()
    try {
      expect((await bench.mail()).raw).to.not.match(/^dkim-signature:/im)
    } finally {
      await bench.close()
    }
  })

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const small = generateKeyPairSync('rsa', { modulusLength: 512 })
  const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const faults: readonly (readonly [what: string, dkim: Partial<typeof DKIM>, option: string])[] = [
    ['no key', { privateKey: 'x' }, 'options.dkim.privateKey'],
    ['a key of another kind', { privateKey: pem(ec.privateKey) }, 'options.dkim.privateKey'],
    ['a short key', { privateKey: pem(small.privateKey) }, 'options.dkim.privateKey'],
    ['no domain', { domain: 'a b' }, 'options.dkim.domain'],
    ['no selector', { selector: '' }, 'options.dkim.selector'],
  ]
  for (const [what, dkim, option] of faults) {
    it(`are refused at the start with ${what}, rather than sent unsigned`, () => {
      expect(() => smtpTransport({ dkim: { ...DKIM, ...dkim } })).to.throw(TypeError, option)
    })
  }
})

interface Signature {
  readonly tags: Readonly<Record<string, string>>
  readonly line: string
}

function headersOf(raw: string): readonly string[] {
  return raw.slice(0, raw.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/)
}

function readSignature(raw: string): Signature {
  const line = headersOf(raw).find((header) => /^dkim-signature:/i.test(header)) ?? ''
  const tags = line
    .slice(line.indexOf(':') + 1)
    .split(';')
    .map((tag) => tag.trim())
    .map((tag) => [
      tag.slice(0, tag.indexOf('=')),
      tag.slice(tag.indexOf('=') + 1).replaceAll(/\s/g, ''),
    ])
  return { line, tags: Object.fromEntries(tags) as Record<string, string> } // pairs, as just made
}

/** Relaxed canonicalization, RFC 6376 section 3.4.2. */
function relax(header: string): string {
  const colon = header.indexOf(':')
  const value = header
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()
  return `${header.slice(0, colon).trim().toLowerCase()}:${value}`
}

function verify(raw: string, key: KeyObject): boolean {
  const { tags, line } = readSignature(raw)
  const body = raw
    .slice(raw.indexOf('\r\n\r\n') + 4)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ \r\n/g, '\r\n')
    .replace(/(?:\r\n)*$/, '\r\n')
  if (createHash('sha256').update(body).digest('base64') !== tags['bh']) return false
  const headers = headersOf(raw)
  const signed = (tags['h'] ?? '').split(':').map((name) => {
    const header = headers.findLast((each) => each.toLowerCase().startsWith(`${name}:`)) ?? ''
    return relax(header)
  })
  const own = relax(line.replace(/(;\s*b=)[\s\S]*$/, '$1'))
  return createVerify('RSA-SHA256')
    .update([...signed, own].join('\r\n'))
    .verify(key, tags['b'] ?? '', 'base64')
}
