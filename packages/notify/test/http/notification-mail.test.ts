import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { createMailChannel } from '../../src/channels/mail-channel.ts'
import type { AttemptClass } from '../../src/outbox/notification.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { sampleNotification } from '../support/sample-notification.ts'
import { headerOf, lineEnds, type MailBench, openMailBench } from '../support/mail-bench.ts'

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
  afterEach(() => bench.close())

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

  it('carry the headers of mails that nobody answers', async () => {
    const { id } = (await bench.attempt()).record
    const mail = await bench.mailbox.waitForMail()
    expect(headerOf(mail, 'x-svc')).to.equal('alice.example.com')
    expect(headerOf(mail, 'message-id')).to.equal(`<${id}@alice.example.com>`)
    expect(headerOf(mail, 'auto-submitted')).to.equal('auto-generated')
    expect(headerOf(mail, 'x-auto-response-suppress')).to.equal('All')
    expect(headerOf(mail, 'content-language')).to.equal('en')
    expect(headerOf(mail, 'mime-version')).to.equal('1.0')
    expect(Date.parse(headerOf(mail, 'date') ?? '')).to.be.closeTo(Date.now(), 60_000)
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

  it('are text first, then HTML, both UTF-8 and quoted-printable', async () => {
    const { raw } = await bench.mail({ message: 'Déjà vu' })
    expect(raw).to.match(/content-type: multipart\/alternative/i)
    const [text, html] = ['text/plain; charset=utf-8', 'text/html; charset=utf-8'].map((type) =>
      raw.toLowerCase().indexOf(type),
    )
    expect(text)
      .to.be.greaterThan(0)
      .and.lessThan(html ?? 0)
    expect(raw.match(/content-transfer-encoding: quoted-printable/gi)).to.have.lengthOf(2)
    expect(raw).to.include('D=C3=A9j=C3=A0 vu')
  })

  it('come from the configured sender, a context’s own where it has one', async () => {
    const other = await openMailBench({
      settings: {
        noreplyAddress: 'hello@provider.example',
        noreplyName: 'Provider',
        replyTo: 'help@provider.example',
      },
      contexts: { beta: { noreplyAddress: 'beta@provider.example', noreplyName: 'Beta' } },
    })
    try {
      const mail = await other.mail()
      expect(mail.from).to.deep.equal({
        name: 'Bank · Provider',
        address: 'hello@provider.example',
      })
      expect(mail.replyTo).to.deep.equal([{ name: 'Provider', address: 'help@provider.example' }])
      const beta = await other.mail({}, other.instance({ context: 'beta' }))
      expect(beta.from).to.deep.equal({
        name: 'Bank · Beta',
        address: 'beta@provider.example',
      })
      expect(beta.replyTo).to.deep.equal([{ name: 'Beta', address: 'help@provider.example' }])
    } finally {
      await other.close()
    }
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

  const unusable: readonly (readonly [what: string, email: string | undefined, code: string])[] = [
    ['no address', undefined, 'no_email'],
    ['two addresses', 'alice@mail.example, eve@evil.example', 'bad_email'],
    ['an address with a name', 'Alice <alice@mail.example>', 'bad_email'],
    ['an address with a line end', 'alice@mail.example\r\nRCPT TO:<eve@evil.example>', 'bad_email'],
  ]
  for (const [what, email, code] of unusable) {
    it(`fail for good with ${what}`, async () => {
      const { email: _, ...rest } = bench.alice
      const as = { ...rest, ...(email !== undefined && { email }) }
      expect(await bench.attempt({}, { as })).to.include({ class: 'permanent', code })
      expect(bench.mailbox.mails).to.have.lengthOf(0)
    })
  }

  const answers: readonly (readonly [status: number, ended: AttemptClass])[] = [
    [421, 'transient'],
    [450, 'transient'],
    [452, 'transient'],
    [550, 'permanent'],
    [552, 'permanent'],
    [554, 'permanent'],
  ]
  for (const [responseCode, ended] of answers) {
    it(`fail as ${ended} when the server answers ${responseCode}, without its words`, async () => {
      const words = 'no such user alice@mail.example'
      bench.refusal = Object.assign(new Error(words), { responseCode })
      const outcome = await bench.attempt()
      expect(outcome).to.include({ class: ended, code: `smtp_${responseCode}` })
      expect(bench.logged.join()).to.include(`smtp_${responseCode}`)
      expect(bench.logged.join()).to.not.include('mail.example')
    })
  }

  it('fail as transient when nobody listens', async () => {
    await bench.mailbox.close()
    expect(await bench.attempt()).to.include({ class: 'transient' })
    bench = await openMailBench()
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

  it('fail as config when TLS is demanded and not offered', async () => {
    const other = await openMailBench({ smtp: { disableTls: false } })
    try {
      expect(await other.attempt()).to.include({ class: 'config' })
      expect(other.mailbox.mails).to.have.lengthOf(0)
    } finally {
      await other.close()
    }
  })

  it('count as sent when mail is switched off', async () => {
    const other = await openMailBench({ smtp: { host: '-' } })
    try {
      expect(await other.attempt()).to.include({ class: 'sent' })
      expect(other.mailbox.mails).to.have.lengthOf(0)
    } finally {
      await other.close()
    }
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
