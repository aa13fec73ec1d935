import { createHash, createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { createMailChannel } from '../../src/channels/mail-channel.ts'
import { smtpTransport } from '../../src/index.ts'
import type { AttemptClass } from '../../src/outbox/notification.ts'
import { headerOf, lineEnds, type MailBench, openMailBench } from '../support/mail-bench.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { sampleNotification } from '../support/sample-notification.ts'

/** Every header that a mail without a way out has. */
const HEADERS = [
  'auto-submitted',
  'content-language',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
  'x-auto-response-suppress',
  'x-svc',
]

describe('notifications by mail (10.2)', () => {
  let bench: MailBench

  beforeEach(async () => {
    bench = await openMailBench()
  })

  it('go to the owner alone, with the title as the subject', async () => {
    const mail = await bench.mail({ title: 'Your balance is low' })
    expect(mail.envelopeTo).to.deep.equal(['alice@mail.example'])
    expect(mail.to).to.deep.equal([{ name: 'Alice', address: 'alice@mail.example' }])
    expect(mail.cc).to.equal(undefined)
    expect(mail.from).to.deep.equal({
      name: 'Bank · alice.example.com',
      address: 'noreply@alice.example.com',
    })
    expect(mail.replyTo).to.equal(undefined)
    expect(mail.subject).to.equal('Your balance is low')
  })

  it('keep their id at every attempt, without the port of the domain', async () => {
    const as = {
      ...bench.alice,
      domain: 'alice.localhost:8443',
      origin: 'https://alice.localhost:8443',
    }
    const { id } = (await bench.attempt({}, { as })).record
    await bench.attempt({ id }, { as })
    expect(bench.mailbox.mails.map((mail) => headerOf(mail, 'message-id'))).to.deep.equal([
      `<${id}@alice.localhost>`,
      `<${id}@alice.localhost>`,
    ])
    expect(bench.mailbox.mails[0]?.envelopeFrom).to.equal('noreply@alice.localhost')
  })

  it('name the app before the configured sender', async () => {
    const other = await openMailBench({ settings: { noreplyName: 'Provider' } })
    expect((await other.mail()).from?.name).to.equal('Bank · Provider')
  })

  it('have no way out in their headers unless there is one', async () => {
    bench.links = { settings: 'https://settings.alice.example.com/#/notifications' }
    const mail = await bench.mail()
    for (const name of ['list-unsubscribe', 'list-unsubscribe-post', 'list-id']) {
      expect(headerOf(mail, name), name).to.equal(undefined)
    }
  })

  it('can be ended with one click, each category for itself (23.3)', async () => {
    const url = `https://alice.example.com/notifications/unsubscribe?t=${'x'.repeat(200)}`
    bench.links = { unsubscribe: url }
    const mail = await bench.mail({ category: 'Low_balance:v2' })
    expect(mail.raw).to.include(`\r\nList-Unsubscribe: <${url}>\r\n`)
    expect(mail.raw).to.include('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
    expect(headerOf(mail, 'list-id')).to.equal('<low-balance-v2.bank.alice.example.com>')
    expect(lineEnds(mail.text)).to.include(`Unsubscribe: ${url}`)
    expect(parsePage(mail.html ?? '', bench.alice.origin).links.map(({ href }) => href)).to.include(
      url,
    )
  })

  it('never have a way out that leads elsewhere', async () => {
    bench.links = { unsubscribe: 'https://evil.example/unsubscribe' }
    const thrown: unknown = await bench.attempt().catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(TypeError)
    expect(bench.mailbox.mails).to.have.lengthOf(0)
  })

  it('fail as the SMTP server says, without its words', async () => {
    const answers: readonly (readonly [number, AttemptClass])[] = [
      [452, 'transient'],
      [550, 'permanent'],
    ]
    for (const [responseCode, ended] of answers) {
      const words = 'no such user alice@mail.example'
      bench.refusal = Object.assign(new Error(words), { responseCode })
      const outcome = await bench.attempt()
      expect(outcome).to.include({ class: ended, code: `smtp_${responseCode}` })
      expect(bench.logged.join()).to.include(`smtp_${responseCode}`)
    }
    expect(bench.logged.join()).to.not.include('mail.example')
  })

  it('fail as transient when the host’s own transport throws something else', async () => {
    const { log } = recordedLog()
    const broken = { send: () => Promise.reject(new TypeError('alice@mail.example')) }
    const mailSender = { options: { transport: broken } }
    const channel = createMailChannel({ ...bench.services, log, mailSender }, () => ({}))
    const { signal } = new AbortController()
    const record = sampleNotification()
    expect(await channel.attempt({ instance: bench.alice, record, signal })).to.deep.equal({
      class: 'transient',
      code: 'transport_error',
      warnings: [],
    })
  })

  it('fail as transient when the attempt has taken too long', async () => {
    const outcome = await bench.attempt({}, { signal: AbortSignal.abort() })
    expect(outcome).to.include({ class: 'transient', code: 'timeout' })
    expect(bench.mailbox.mails).to.have.lengthOf(0)
  })

  const hostile: readonly (readonly [what: string, words: string])[] = [
    ['a header', 'x\r\nBcc: eve@evil.example\r\nX-Svc: evil.example'],
    ['a header by one sign', 'x\nBcc: eve@evil.example\rX-Svc: evil.example'],
    ['a body', 'x\r\n\r\n<html>forged</html>'],
    [
      'the end of the mail, and another',
      'x\r\n.\r\nMAIL FROM:<eve@evil.example>\r\nRCPT TO:<bob@mail.example>\r\nDATA',
    ],
    ['the end of the mail by one sign', 'x\n.\nMAIL FROM:<eve@evil.example>\n'],
    ['an encoded header', '=?utf-8?Q?x=0D=0ABcc:_eve@evil.example?='],
    ['a part of a mail', 'x\r\n--boundary\r\nContent-Type: text/html\r\n\r\nforged'],
    ['an attachment', '<a href="cid:x">x</a> file:///etc/passwd data:text/html,x'],
  ]
  for (const [what, words] of hostile) {
    it(`hold nothing more when words are like ${what}`, async () => {
      const member = { title: words, message: words, category: 'balance' }
      const mails = [
        await bench.mail(member),
        await bench.mail({ ...member, content: words }),
        await bench.mail({ ...member, contentHtml: `<html><body>${words}</body></html>` }),
      ]
      expect(mails).to.have.lengthOf(3)
      for (const mail of mails) {
        expect(mail.envelopeTo).to.deep.equal(['alice@mail.example'])
        expect(mail.envelopeFrom).to.equal('noreply@alice.example.com')
        expect([mail.bcc, mail.cc]).to.deep.equal([undefined, undefined])
        expect(mail.headers.map(({ key }) => key).sort()).to.deep.equal(HEADERS)
        expect(headerOf(mail, 'x-svc')).to.equal('alice.example.com')
        expect(mail.attachments).to.deep.equal([])
        expect(mail.subject).to.not.match(/[\r\n]/)
      }
    })
  }

  it('are logged without address, title and words', async () => {
    await bench.mail({ title: 'Secret title', message: 'secret words' })
    expect(bench.logged).to.have.lengthOf(1)
    expect(bench.logged[0]).to.match(/^info notification\.mail_sent /)
    expect(bench.logged[0]).to.not.match(/secret|mail\.example/i)
  })
})

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const DKIM = {
  domain: 'example.com',
  selector: 'mails',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}

describe('signed mails (D39, RFC 6376)', () => {
  it('verify with the public key, both headers of the way out included', async () => {
    const bench = await openMailBench({ smtp: { dkim: DKIM } })
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
  })

  it('are not signed without a key', async () => {
    const bench = await openMailBench()
    expect((await bench.mail()).raw).to.not.match(/^dkim-signature:/im)
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
