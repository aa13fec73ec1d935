import { type Mailbox, openMailbox, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { MAIL_LOCALES } from '../../src/mail/catalogue.ts'
import { sampleMails, smtpTransport, type SystemMail } from '../../src/index.ts'
import { createSystemMails, type SystemMails } from '../../src/mail/system-mailer.ts'
import { sampleInstance } from '../sample-instance.ts'

const samples = sampleMails(sampleInstance(), Date.UTC(2026, 1, 3, 4, 5, 6))
/** Gmail cuts off what is longer. */
const MAX_MESSAGE_BYTES = 20_000
const updateEmail = {
  url: 'https://alice.example.com/settings/email/confirm?token=00ff',
  minutes: 15,
  time: 0,
  address: '203.0.113.7',
}

describe('system mails over SMTP', () => {
  let mailbox: Mailbox
  let notify: SystemMails
  const lines: string[] = []

  beforeEach(async () => {
    mailbox = await openMailbox()
    lines.length = 0
    const note = (event: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push(JSON.stringify({ event, ...fields }))
    }
    notify = createSystemMails({
      log: { info: note, warn: note, error: note },
      mail: {
        transport: smtpTransport({ host: '127.0.0.1', port: mailbox.port, disableTls: true }),
      },
    })
  })
  afterEach(() => mailbox.close())

  for (const [name, mail] of samples) {
    it(`${name} arrives as it was written, in every language, and stays out of the log`, async () => {
      const instances = MAIL_LOCALES.map((locale) => sampleInstance({ locale }))
      await Promise.all(instances.map((instance) => notify.mailer.send(instance, mail)))
      for (const instance of instances) {
        const received = mailbox.mails.find(
          (each) => header(each, 'content-language') === instance.locale,
        )
        const written = await notify.render(instance, mail)
        expect(received?.subject).to.equal(written.subject)
        expect(lineEnds(received?.text)).to.equal(lineEnds(written.text))
        expect(lineEnds(received?.html)).to.equal(lineEnds(written.html))
        expect(Buffer.byteLength(received?.raw ?? '')).to.be.lessThan(MAX_MESSAGE_BYTES)
        expect(received?.attachments).to.deep.equal([])
        const to = mail.template === 'update_email' ? 'new@mail.example' : 'alice@mail.example'
        expect(received?.envelopeTo).to.deep.equal([to])
      }
      expect(lines.join()).to.include('mail.sent')
      for (const secret of ['482916', '0123456789abcdef', 'mail.example', '203.0.113.7']) {
        expect(lines.join()).to.not.include(secret)
      }
    })
  }

  const recipients: readonly (readonly [
    what: string,
    recipient: string | undefined,
    reason: string,
  ])[] = [
    ['no new address', undefined, 'no_email'],
    ['two addresses', 'a@mail.example, eve@evil.example', 'bad_email'],
    ['a line end', 'a@mail.example\r\nRCPT TO:<eve@evil.example>', 'bad_email'],
    ['a name beside it', 'A <a@mail.example>', 'bad_email'],
  ]
  for (const [what, recipient, reason] of recipients) {
    it(`sends no update_email with ${what}`, async () => {
      const variables = { ...updateEmail, ...(recipient !== undefined && { recipient }) }
      const error: unknown = await notify.mailer
        .send(sampleInstance(), { template: 'update_email', variables })
        .catch((thrown: unknown) => thrown)
      expect(error).to.include({ failure: 'permanent', reason })
      expect(mailbox.mails).to.have.lengthOf(0)
    })
  }

  it('writes update_email to the new address, without the owner’s name', async () => {
    const variables = { ...updateEmail, recipient: 'new@mail.example' }
    await notify.mailer.send(sampleInstance(), { template: 'update_email', variables })
    const [mail] = mailbox.mails
    expect(mail?.to).to.deep.equal([{ name: '', address: 'new@mail.example' }])
    expect(mail?.raw).to.not.include('Alice')
  })

  it('takes a recipient for no other mail', async () => {
    const mail: SystemMail = {
      template: 'onboarding',
      // @ts-expect-error the recipient of every other mail is the owner
      variables: { url: 'https://alice.example.com/', recipient: 'eve@evil.example' },
    }
    await notify.mailer.send(sampleInstance(), mail)
    expect(mailbox.mails.map(({ envelopeTo }) => envelopeTo)).to.deep.equal([
      ['alice@mail.example'],
    ])
  })
})

/** SMTP has its own ends of lines, and one more at the end. */
function lineEnds(content = ''): string {
  return content.replaceAll('\r\n', '\n').trimEnd()
}

function header(mail: ReceivedMail | undefined, name: string): string | undefined {
  return mail?.headers.find(({ key }) => key === name)?.value
}
