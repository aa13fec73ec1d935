import { type Mailbox, openMailbox } from '@svc/testkit'
import { expect } from 'chai'
import { createServer, type Server, type Socket } from 'node:net'
import { isMailError, type MailFailure, type SmtpOptions, smtpTransport } from '../../src/index.ts'
import type { MailOptions } from '../../src/mail/mail-options.ts'
import { sampleInstance } from '../sample-instance.ts'
import { headerOf } from '../support/mail-bench.ts'
import { systemMails } from '../support/system-mail-bench.ts'

const secret = 'https://alice.example.com/auth/passphrase?registerToken=0123456789abcdef'
const onboarding = { template: 'onboarding', variables: { url: secret } } as const

describe('mail over SMTP', () => {
  let mailbox: Mailbox
  let refusal: (Error & { responseCode?: number }) | undefined

  beforeEach(async () => {
    refusal = undefined
    mailbox = await openMailbox({ refuse: () => refusal })
  })
  afterEach(() => mailbox.close())

  /** Sends it over the mailbox. */
  const send = (
    instance = sampleInstance(),
    options: Partial<MailOptions> = {},
    smtp: SmtpOptions = {},
  ): Promise<void> => systemMails(mailbox.port, options, smtp).mailer.send(instance, onboarding)

  it('delivers text first, then HTML, to the owner alone', async () => {
    await send()
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
    const origin = 'https://alice.example.com'
    await send(sampleInstance({ domain: 'alice.example.com:8443', origin, locale: 'fr' }))
    const mail = await mailbox.waitForMail()
    expect(headerOf(mail, 'x-svc')).to.equal('alice.example.com:8443')
    expect(headerOf(mail, 'auto-submitted')).to.equal('auto-generated')
    expect(headerOf(mail, 'x-auto-response-suppress')).to.equal('All')
    expect(headerOf(mail, 'content-language')).to.equal('fr')
    expect(headerOf(mail, 'message-id')).to.match(/^<[0-9a-f-]{36}@alice\.example\.com>$/)
    expect(headerOf(mail, 'mime-version')).to.equal('1.0')
    expect(headerOf(mail, 'date')).to.be.a('string')
  })

  it('uses the configured sender, a context its own', async () => {
    const options = {
      noreplyAddress: 'hello@provider.example',
      noreplyName: 'Provider',
      replyTo: 'help@provider.example',
      contexts: { beta: { noreplyAddress: 'beta@provider.example', noreplyName: 'Beta' } },
    }
    await send(sampleInstance(), options)
    await send(sampleInstance({ context: 'beta' }), options)
    const [first, second] = mailbox.mails
    expect(first?.from).to.deep.equal({ name: 'Provider', address: 'hello@provider.example' })
    expect(first?.replyTo).to.deep.equal([{ name: 'Provider', address: 'help@provider.example' }])
    expect(second?.from).to.deep.equal({ name: 'Beta', address: 'beta@provider.example' })
  })

  it('comes from the name of the theme where the operator gave none, else from the domain', async () => {
    // One theme is for the pages, too.
    const theme = { name: 'Example Space', accent: '#0a5c52' }
    const fromOf = async (mail: Partial<MailOptions>, context?: string): Promise<unknown> => {
      await send(sampleInstance(context === undefined ? {} : { context }), mail)
      return mailbox.mails.at(-1)?.from?.name
    }
    const contexts = { beta: { noreplyName: 'Beta' } }
    expect(await fromOf({ theme })).to.equal('Example Space')
    expect(await fromOf({ theme, noreplyName: 'Provider' })).to.equal('Provider')
    expect(await fromOf({ theme, contexts }, 'beta')).to.equal('Beta')
    expect(await fromOf({ theme, contexts: { beta: {} } }, 'beta')).to.equal('Example Space')
    expect(await fromOf({ theme: {} })).to.equal('alice.example.com')
    expect(() => systemMails(1, { theme: { name: '' } })).to.throw(TypeError, /theme/u)
  })

  it('says whether replies are read, as its Reply-To does', async () => {
    const options = { contexts: { beta: { replyTo: 'help@provider.example' } } }
    await send(sampleInstance(), options)
    await send(sampleInstance({ context: 'beta' }), options)
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
    await send(sampleInstance({ publicName }))
    const mail = await mailbox.waitForMail()
    expect(mail.envelopeTo).to.deep.equal(['alice@mail.example'])
    expect(mail.bcc).to.equal(undefined)
    expect(mail.to?.[0]?.name).to.equal('Alice Bcc: eve@evil.example')
  })

  it('logs that a mail went out, without its address, link or code', async () => {
    const { mailer, lines } = systemMails(mailbox.port)
    await mailer.send(sampleInstance(), onboarding)
    expect(lines).to.have.length(1)
    const [text = ''] = lines
    expect(text).to.match(/^info mail\.sent /)
    const fields: unknown = JSON.parse(text.slice(text.indexOf('{')))
    expect(fields).to.have.all.keys('domain', 'template', 'messageId')
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
      const { mailer, lines } = systemMails(mailbox.port)
      const error = await failureOf(mailer.send(sampleInstance(), onboarding))
      expect(error).to.include({ failure, reason: `smtp_${responseCode}`, status: 503 })
      expect(lines).to.have.length(1)
      expect(lines[0]).to.include('mail.failed').and.to.not.include('alice@mail.example')
    })
  }

  const unusable: [string, string | undefined, string][] = [
    ['without an address', undefined, 'no_email'],
    ['with a name beside it', 'Alice <alice@mail.example>', 'bad_email'],
    ['with two addresses', 'alice@mail.example, eve@evil.example', 'bad_email'],
    ['with a quoted local part', '"alice@evil.example"@mail.example', 'bad_email'],
    ['with a line end', 'alice@mail.example\r\nRCPT TO:<eve@evil.example>', 'bad_email'],
  ]
  for (const [what, email, reason] of unusable) {
    it(`sends nothing ${what}`, async () => {
      const { email: _email, ...instance } = sampleInstance()
      const given = email === undefined ? instance : { ...instance, email }
      const error = await failureOf(send(given))
      expect(error).to.include({ failure: 'permanent', reason })
      expect(mailbox.mails).to.have.lengthOf(0)
    })
  }

  it('says the domain of the sender in EHLO, or the name that is set', async () => {
    const nameFor = async (options: Partial<SmtpOptions>, address?: string): Promise<string> => {
      mailbox.clear()
      const mail = address === undefined ? {} : { noreplyAddress: address }
      await send(sampleInstance(), mail, options)
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
        const error = await failureOf(sendOver(strict.port))
        expect(error).to.include({ failure: 'config', reason: `smtp_${responseCode}` })
      } finally {
        await strict.close()
      }
    }
  })

  it('asks for STARTTLS unless told otherwise, and gives up without it', async () => {
    const error = await failureOf(send(sampleInstance(), {}, { disableTls: false }))
    expect(error).to.include({ failure: 'config' })
    expect(mailbox.mails).to.have.lengthOf(0)
  })

  it('counts a mail as done when mail is switched off', async () => {
    await send(sampleInstance(), {}, { host: '-' })
    expect(mailbox.mails).to.have.lengthOf(0)
  })
})

describe('smtpTransport', () => {
  it('fails as transient when nobody listens', async () => {
    const server = createServer()
    const port = await listenOn(server)
    await new Promise((resolve) => server.close(resolve))
    const error = await failureOf(sendOver(port))
    expect(error).to.include({ failure: 'transient' })
  })

  /** How sending fails over a server that talks so. */
  async function failureOver(
    talk: (socket: Socket) => void,
    options: SmtpOptions = {},
  ): Promise<unknown> {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      talk(socket)
    })
    const port = await listenOn(server)
    try {
      return await failureOf(sendOver(port, options))
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  }

  it('fails as config when TLS is expected and not spoken', async () => {
    const talk = (socket: Socket): void => void socket.resume().end('220 plain ESMTP\r\n')
    const error = await failureOver(talk, { useSsl: true, disableTls: false })
    expect(error).to.include({ failure: 'config' })
  })

  for (const code of [501, 504, 550]) {
    it(`fails as config when EHLO and HELO are answered ${code}`, async () => {
      const error = await failureOver((socket) => {
        socket.write('220 relay ESMTP\r\n')
        socket.on('data', () => socket.write(`${code} we do not know that name\r\n`))
      })
      expect(error).to.include({ failure: 'config', reason: `smtp_${code}` })
      expect(error).to.have.property('detail').that.does.not.include('we do not know')
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
    const mail = { noreplyAddress: 'a, b', contexts: { beta: { replyTo: 'Name <a@b.c>' } } }
    expect(() => systemMails(1, mail)).to.throw(
      TypeError,
      /^options\.mail\.noreplyAddress: must be .*\noptions\.mail\.contexts\.beta\.replyTo: must be/,
    )
  })
})

function sendOver(port: number, options?: SmtpOptions): Promise<void> {
  return systemMails(port, {}, options).mailer.send(sampleInstance(), onboarding)
}

async function failureOf(sending: Promise<void>): Promise<unknown> {
  const error: unknown = await sending.then(
    () => new Error('the mail was sent'),
    (thrown: unknown) => thrown,
  )
  expect(isMailError(error), String(error)).to.equal(true)
  return error
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
}
