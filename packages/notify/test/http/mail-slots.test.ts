import { type Mailbox, openMailbox, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { type MailOptions, type MailSlot, smtpTransport } from '../../src/index.ts'
import { createSystemMails } from '../../src/mail/system-mailer.ts'
import { sampleInstance } from '../sample-instance.ts'

describe('what the host says in mails', () => {
  let mailbox: Mailbox
  let logged: [event: string, fields: unknown][]
  beforeEach(async () => {
    mailbox = await openMailbox()
    logged = []
  })
  afterEach(() => mailbox.close())

  async function send(options: Partial<MailOptions>): Promise<ReceivedMail> {
    const note = (event: string, fields?: unknown): void => void logged.push([event, fields])
    const { mailer } = createSystemMails({
      log: { info: note, warn: note, error: note },
      mail: {
        transport: smtpTransport({ host: '127.0.0.1', port: mailbox.port, disableTls: true }),
        ...options,
      },
    })
    const variables = {
      url: 'https://alice.example.com/auth/passphrase_renew?token=00ff',
      minutes: 15,
    }
    await mailer.send(sampleInstance(), { template: 'passphrase_reset', variables } as never)
    return mailbox.waitForMail()
  }

  it('stands below both forms as text, with links to the instance', async () => {
    const slot: MailSlot = ({ instance, locale, template }) => [
      [`<b>${template}</b> in ${locale}: `, { text: 'Help', href: '/help' }],
      instance.domain,
    ]
    const mail = await send({ slots: { 'mail.footer': slot } })
    const { origin, domain } = sampleInstance()
    expect(mail.text).to.match(
      new RegExp(`-- [\\s\\S]*<b>passphrase_reset</b> in en: Help ${origin}/help\\s+${domain}`),
    )
    expect(mail.html).to.include('&lt;b&gt;passphrase_reset&lt;/b&gt; in en: ')
    expect(mail.html).to.match(new RegExp(`<a href="${origin}/help"[^>]*>Help</a>`))
  })

  const wrong: readonly [name: string, slot: () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['answers later', async () => ['SLOT']],
    ['runs a script', () => [[{ text: 'SLOT', href: 'javascript:alert(1)' }]]],
  ]
  for (const [name, slot] of wrong) {
    it(`is left out when it ${name}, and the mail is sent`, async () => {
      const mail = await send({ slots: { 'mail.footer': slot as MailSlot } })
      expect(mail.html).not.to.include('SLOT')
      expect(logged.map(([event]) => event)).to.deep.equal(['mail.slot_failed', 'mail.sent'])
    })
  }

  it('names the product that an instance has', async () => {
    const mail = await send({ theme: ({ domain }) => ({ name: `Cloud of ${domain}` }) })
    expect(mail.from?.name).to.include(`Cloud of ${sampleInstance().domain}`)
  })

  it('has the name of the instance where the looks fail', async () => {
    const mail = await send({
      theme: () => {
        throw new Error('broken')
      },
    })
    expect(mail.from?.name).to.include(sampleInstance().domain)
  })
})
