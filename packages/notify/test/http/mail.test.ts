import { type Mailbox, openMailbox, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { createServer, type Server } from 'node:net'
import { isMailError, type MailFailure, type SmtpOptions, smtpTransport } from '../../src/index.ts'
import { createSystemMails, type Mailer } from '../../src/mail/system-mailer.ts'
import type { MailOptions, MailSettings } from '../../src/mail/mail-options.ts'
import { sampleInstance } from '../sample-instance.ts'

type Line = { event: string; fields: Readonly<Record<string, unknown>> | undefined }

function recordLog() {
  const lines: Line[] = []
  const note = (event: string, fields?: Line['fields']): void => {
    lines.push({ event, fields })
  }
  return { lines, log: { info: note, warn: note, error: note } }
}

const secret = 'https://alice.example.com/auth/passphrase?registerToken=0123456789abcdef'
const onboarding = { template: 'onboarding', variables: { url: secret } } as const

function plain(port: number): SmtpOptions {
  return { host: '127.0.0.1', port, disableTls: true }
}

describe('mail over SMTP', () => {
  let mailbox: Mailbox
  let refusal: (Error & { responseCode?: number }) | undefined

  beforeEach(async () => {
    refusal = undefined
    mailbox = await openMailbox({ refuse: () => refusal })
  })
  afterEach(() => mailbox.close())

  function mailerTo(settings: Omit<MailSettings, 'transport'> = {}): {
    mailer: Mailer
    lines: Line[]
  } {
    const { lines, log } = recordLog()
    const transport = smtpTransport(plain(mailbox.port))
    return {
      mailer: createSystemMails({ log, mail: { transport, ...settings } }).mailer,
      lines,
    }
  }

  it('delivers text first, then HTML, to the owner alone', async () => {
    await mailerTo().mailer.send(sampleInstance(), onboarding)
    const mail = await mailbox.waitForMail()
    expect(mail.envelopeTo).to.deep.equal(['alice@mail.example'])
    expect(mail.envelopeFrom).to.equal('noreply@alice.example.com')
    expect(mail.to).to.deep.equal([{ name: 'Alice', address: 'alice@mail.example' }])
    expect(mail.from).to.deep.equal({
      name: 'alice.example.com',
      address: 'noreply@alice.example.com',
    })
    expect(mail.subject).to.equal('Choose a passphrase for alice.example.com')
    expect(mail.text).to.include(secret)
    expect(mail.html).to.include(secret)
    expect(mail.raw).to.match(/content-type: multipart\/alternative/i)
    expect(mail.raw.indexOf('text/plain; charset=utf-8')).to.be.lessThan(
      mail.raw.indexOf('text/html; charset=utf-8'),
    )
    expect(mail.raw).to.match(/content-transfer-encoding: quoted-printable/i)
    expect(mail.replyTo).to.equal(undefined)
  })

  it('says what it is, so that nobody answers it', async () => {
    await mailerTo().mailer.send(
      sampleInstance({
        domain: 'alice.example.com:8443',
        origin: 'https://alice.example.com',
        locale: 'fr',
      }),
      onboarding,
    )
    const mail = await mailbox.waitForMail()
    expect(header(mail, 'x-svc')).to.equal('alice.example.com:8443')
    expect(header(mail, 'auto-submitted')).to.equal('auto-generated')
    expect(header(mail, 'x-auto-response-suppress')).to.equal('All')
    expect(header(mail, 'content-language')).to.equal('fr')
    expect(header(mail, 'message-id')).to.match(/^<[0-9a-f-]{36}@alice\.example\.com>$/)
    expect(header(mail, 'mime-version')).to.equal('1.0')
    expect(header(mail, 'date')).to.be.a('string')
  })

  it('uses the configured sender, a context its own', async () => {
    const { log } = recordLog()
    const { mailer } = createSystemMails({
      log,
      mail: {
        transport: smtpTransport(plain(mailbox.port)),
        noreplyAddress: 'hello@provider.example',
        noreplyName: 'Provider',
        replyTo: 'help@provider.example',
        contexts: { beta: { noreplyAddress: 'beta@provider.example', noreplyName: 'Beta' } },
      },
    })
    await mailer.send(sampleInstance(), onboarding)
    await mailer.send(sampleInstance({ context: 'beta' }), onboarding)
    const [first, second] = mailbox.mails
    expect(first?.from).to.deep.equal({ name: 'Provider', address: 'hello@provider.example' })
    expect(first?.replyTo).to.deep.equal([{ name: 'Provider', address: 'help@provider.example' }])
    expect(second?.from).to.deep.equal({ name: 'Beta', address: 'beta@provider.example' })
  })

  it('comes from the name of the theme where the operator gave none, else from the domain', async () => {
    const { log } = recordLog()
    // One theme is for the pages, too.
    const theme = { name: 'Example Space', accent: '#0a5c52' }
    const fromOf = async (mail: Partial<MailOptions>, context?: string): Promise<unknown> => {
      const transport = smtpTransport(plain(mailbox.port))
      const { mailer } = createSystemMails({ log, mail: { transport, ...mail } })
      await mailer.send(sampleInstance(context === undefined ? {} : { context }), onboarding)
      return mailbox.mails.at(-1)?.from?.name
    }
    const contexts = { beta: { noreplyName: 'Beta' } }
    expect(await fromOf({ theme })).to.equal('Example Space')
    expect(await fromOf({ theme, noreplyName: 'Provider' })).to.equal('Provider')
    expect(await fromOf({ theme, contexts }, 'beta')).to.equal('Beta')
    expect(await fromOf({ theme, contexts: { beta: {} } }, 'beta')).to.equal('Example Space')
    expect(await fromOf({ theme: {} })).to.equal('alice.example.com')
    const nameless = { name: '' }
    expect(() =>
      createSystemMails({ log, mail: { transport: smtpTransport(plain(1)), theme: nameless } }),
    ).to.throw(TypeError, /theme/u)
  })

  it('says whether replies are read, as its Reply-To does', async () => {
    const { log } = recordLog()
    const { mailer } = createSystemMails({
      log,
      mail: {
        transport: smtpTransport(plain(mailbox.port)),
        contexts: { beta: { replyTo: 'help@provider.example' } },
      },
    })
    await mailer.send(sampleInstance(), onboarding)
    await mailer.send(sampleInstance({ context: 'beta' }), onboarding)
    const [unread, answered] = mailbox.mails
    for (const [mail, isRead] of [
      [unread, false],
      [answered, true],
    ] as const) {
      for (const form of [mail?.text, mail?.html]) {
        expect(form?.includes('Replies to this address are not read.')).to.equal(!isRead)
        expect(form?.includes('Questions? Reply to this email.')).to.equal(isRead)
      }
    }
    expect(answered?.replyTo).to.deep.equal([
      { name: 'alice.example.com', address: 'help@provider.example' },
    ])
  })

  it('keeps a name from becoming a header', async () => {
    const publicName = 'Alice\r\nBcc: eve@evil.example'
    await mailerTo().mailer.send(sampleInstance({ publicName }), onboarding)
    const mail = await mailbox.waitForMail()
    expect(mail.envelopeTo).to.deep.equal(['alice@mail.example'])
    expect(mail.bcc).to.equal(undefined)
    expect(mail.to?.[0]?.name).to.equal('Alice Bcc: eve@evil.example')
  })

  it('logs that a mail went out, without its address, link or code', async () => {
    const { mailer, lines } = mailerTo()
    await mailer.send(sampleInstance(), onboarding)
    expect(lines.map(({ event }) => event)).to.deep.equal(['mail.sent'])
    expect(lines[0]?.fields).to.have.all.keys('domain', 'template', 'messageId')
    const text = JSON.stringify(lines)
    for (const hidden of ['0123456789abcdef', 'alice@mail.example', 'Choose']) {
      expect(text).to.not.include(hidden)
    }
  })

  const refusals: [number, MailFailure][] = [
    [421, 'transient'],
    [452, 'transient'],
    [550, 'permanent'],
    [554, 'permanent'],
  ]
  for (const [responseCode, failure] of refusals) {
    it(`fails as ${failure} when the server answers ${responseCode}`, async () => {
      refusal = Object.assign(new Error('no such user alice@mail.example'), { responseCode })
      const { mailer, lines } = mailerTo()
      const error = await failureOf(mailer.send(sampleInstance(), onboarding))
      expect(error).to.include({ failure, reason: `smtp_${responseCode}`, status: 503 })
      expect(lines.map(({ event }) => event)).to.deep.equal(['mail.failed'])
      expect(JSON.stringify(lines)).to.not.include('alice@mail.example')
    })
  }

  const unusable: [string, string | undefined, string][] = [
    ['without an address', undefined, 'no_email'],
    ['with two addresses', 'alice@mail.example, eve@evil.example', 'bad_email'],
    ['with a quoted local part', '"alice@evil.example"@mail.example', 'bad_email'],
    ['with a line end', 'alice@mail.example\r\nRCPT TO:<eve@evil.example>', 'bad_email'],
  ]
  for (const [what, email, reason] of unusable) {
    it(`sends nothing ${what}`, async () => {
      const { email: _email, ...instance } = sampleInstance()
      const error = await failureOf(
        mailerTo().mailer.send({ ...instance, ...(email !== undefined && { email }) }, onboarding),
      )
      expect(error).to.include({ failure: 'permanent', reason })
      expect(mailbox.mails).to.have.lengthOf(0)
    })
  }

  it('says the domain of the sender in EHLO, or the name that is set', async () => {
    const nameFor = async (options: Partial<SmtpOptions>, address?: string): Promise<string> => {
      mailbox.clear()
      const transport = smtpTransport({ ...plain(mailbox.port), ...options })
      const mail = { transport, ...(address !== undefined && { noreplyAddress: address }) }
      await createSystemMails({ log: recordLog().log, mail }).mailer.send(
        sampleInstance(),
        onboarding,
      )
      return (await mailbox.waitForMail()).clientName
    }
    expect(await nameFor({}, 'svc@mail.example.org')).to.equal('mail.example.org')
    expect(await nameFor({})).to.equal('alice.example.com')
    expect(await nameFor({ localName: 'out.example.net' })).to.equal('out.example.net')
    expect(await nameFor({ localName: '[192.0.2.1]' })).to.equal('[192.0.2.1]')
  })

  it('fails as config when the server refuses recipients for the name in EHLO', async () => {
    const refusals: [number, string][] = [
      [504, '5.5.2 <alice.example.com>: Helo command rejected: need fully-qualified hostname'],
      [550, '5.7.1 <alice.example.com>: Helo command rejected: Host not found'],
      [501, '5.5.2 <alice.example.com>: Helo command rejected: Invalid name'],
    ]
    for (const [responseCode, words] of refusals) {
      const strict = await openMailbox({
        refuseClient: () => Object.assign(new Error(words), { responseCode }),
      })
      try {
        const error = await failureOf(sendOver(plain(strict.port)))
        expect(error).to.include({ failure: 'config', reason: `smtp_${responseCode}` })
      } finally {
        await strict.close()
      }
    }
  })

  it('asks for STARTTLS unless told otherwise, and gives up without it', async () => {
    const { log } = recordLog()
    const transport = smtpTransport({ host: '127.0.0.1', port: mailbox.port })
    const { mailer } = createSystemMails({ log, mail: { transport } })
    const error = await failureOf(mailer.send(sampleInstance(), onboarding))
    expect(error).to.include({ failure: 'config' })
    expect(mailbox.mails).to.have.lengthOf(0)
  })

  it('counts a mail as done when mail is switched off', async () => {
    const { log } = recordLog()
    const transport = smtpTransport({ host: '-' })
    await createSystemMails({ log, mail: { transport } }).mailer.send(sampleInstance(), onboarding)
    expect(mailbox.mails).to.have.lengthOf(0)
  })
})

describe('smtpTransport', () => {
  it('fails as transient when nobody listens', async () => {
    const server = createServer()
    const port = await listenOn(server)
    await new Promise((resolve) => server.close(resolve))
    const error = await failureOf(sendOver(plain(port)))
    expect(error).to.include({ failure: 'transient' })
  })

  it('fails as config when TLS is expected and not spoken', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.resume().end('220 plain ESMTP\r\n')
    })
    const port = await listenOn(server)
    try {
      const error = await failureOf(sendOver({ host: '127.0.0.1', port, useSsl: true }))
      expect(error).to.include({ failure: 'config' })
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  for (const code of [501, 504, 550]) {
    it(`fails as config when EHLO and HELO are answered ${code}`, async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.write('220 relay ESMTP\r\n')
        socket.on('data', () => socket.write(`${code} we do not know that name\r\n`))
      })
      const port = await listenOn(server)
      try {
        const error = await failureOf(sendOver(plain(port)))
        expect(error).to.include({ failure: 'config', reason: `smtp_${code}` })
        expect(error).to.have.property('detail').that.does.not.include('we do not know')
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
    })
  }

  const contradictions: [string, SmtpOptions][] = [
    ['a name for EHLO that no host has', { localName: 'example.org\r\nMAIL' }],
    ['TLS on and off', { useSsl: true, disableTls: true }],
    [
      'a password in plain text to another machine',
      { host: 'mail.example', disableTls: true, username: 'a', password: 'b' },
    ],
  ]
  for (const [what, options] of contradictions) {
    it(`refuses ${what}`, () => {
      expect(() => smtpTransport(options)).to.throw(TypeError, 'options.')
    })
  }
})

describe('options of mails', () => {
  it('reports every fault of its options at once', () => {
    const mail = {
      transport: smtpTransport({ host: '-' }),
      noreplyAddress: 'a, b',
      contexts: { beta: { replyTo: 'Name <a@b.c>' } },
    }
    const { log } = recordLog()
    expect(() => createSystemMails({ log, mail })).to.throw(
      TypeError,
      /^options\.mail\.noreplyAddress: must be .*\noptions\.mail\.contexts\.beta\.replyTo: must be/,
    )
  })
})

async function sendOver(options: SmtpOptions): Promise<void> {
  const { log } = recordLog()
  const { mailer } = createSystemMails({ log, mail: { transport: smtpTransport(options) } })
  await mailer.send(sampleInstance(), onboarding)
}

async function failureOf(sending: Promise<void>): Promise<unknown> {
  const error: unknown = await sending.then(
    () => new Error('the mail was sent'),
    (thrown: unknown) => thrown,
  )
  expect(isMailError(error), String(error)).to.equal(true)
  return error
}

function header(mail: ReceivedMail, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name)?.value
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
}
