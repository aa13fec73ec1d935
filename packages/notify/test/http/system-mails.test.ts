import { readFileSync } from 'node:fs'
import { defineOptions, OptionsError } from '@svc/platform/options'
import { type Mailbox, openMailbox, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { type MailOptions, type MailSlot, sampleMails, type SystemMail } from '../../src/index.ts'
import { createCatalogues, MAIL_LOCALES } from '../../src/mail/catalogue.ts'
import { mailLanguages } from '../../src/mail/language-option.ts'
import { createTemplates } from '../../src/mail/templates.ts'
import { sampleInstance } from '../sample-instance.ts'
import { headerOf, lineEnds } from '../support/mail-bench.ts'
import { type SystemMailBench, systemMails } from '../support/system-mail-bench.ts'

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
  let notify: SystemMailBench

  beforeEach(async () => {
    mailbox = await openMailbox()
    notify = systemMails(mailbox.port)
  })
  afterEach(() => mailbox.close())

  for (const [name, mail] of samples) {
    it(`${name} arrives as it was written, in every language, and stays out of the log`, async () => {
      const instances = MAIL_LOCALES.map((locale) => sampleInstance({ locale }))
      await Promise.all(instances.map((instance) => notify.mailer.send(instance, mail)))
      for (const instance of instances) {
        const received = mailbox.mails.find(
          (each) => headerOf(each, 'content-language') === instance.locale,
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
      expect(notify.lines.join()).to.include('mail.sent')
      for (const secret of ['482916', '0123456789abcdef', 'mail.example', '203.0.113.7']) {
        expect(notify.lines.join()).to.not.include(secret)
      }
    })
  }

  it('sends no update_email without one usable address', async () => {
    const recipients: readonly (readonly [recipient: string | undefined, reason: string])[] = [
      [undefined, 'no_email'],
      ['a@mail.example, eve@evil.example', 'bad_email'],
      ['a@mail.example\r\nRCPT TO:<eve@evil.example>', 'bad_email'],
      ['A <a@mail.example>', 'bad_email'],
    ]
    for (const [recipient, reason] of recipients) {
      const variables = { ...updateEmail, ...(recipient !== undefined && { recipient }) }
      const error: unknown = await notify.mailer
        .send(sampleInstance(), { template: 'update_email', variables })
        .catch((thrown: unknown) => thrown)
      expect(error).to.include({ failure: 'permanent', reason })
    }
    expect(mailbox.mails).to.have.lengthOf(0)
  })

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

describe('what the host says in mails', () => {
  let mailbox: Mailbox
  let logged: readonly string[]
  beforeEach(async () => {
    mailbox = await openMailbox()
  })
  afterEach(() => mailbox.close())

  async function send(options: Partial<MailOptions>): Promise<ReceivedMail> {
    const { lines, mailer } = systemMails(mailbox.port, options)
    logged = lines
    const url = 'https://alice.example.com/auth/passphrase_renew?token=00ff'
    const mail = { template: 'passphrase_reset', variables: { url, minutes: 15 } } as never
    await mailer.send(sampleInstance(), mail)
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
      const events = logged.map((line) => line.split(' ')[1])
      expect(events).to.deep.equal(['mail.slot_failed', 'mail.sent'])
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

const ENGLISH = JSON.parse(
  readFileSync(new URL('../../locales/en.json', import.meta.url), 'utf8'),
) as Record<string, string>

describe('a language of the host in mails', () => {
  const options = defineOptions({ locales: mailLanguages().or({}) })

  it('is that of every mail, from right to left, also for a region of it', () => {
    const messages = Object.fromEntries(
      Object.entries(ENGLISH).map(([key, text]) => [key, `§${text}`]),
    )
    const { locales } = options.settle({ locales: { ar: { messages } } })
    const templates = createTemplates({ catalogueOf: createCatalogues(locales) })
    for (const [name, mail] of sampleMails(sampleInstance(), 0)) {
      const written = templates.render(sampleInstance({ locale: 'ar-EG' }), mail)
      expect(written.locale, name).to.equal('ar')
      expect(written.html, name).to.include('<html lang="ar" dir="rtl">')
      expect(written.subject, name).to.match(/^§/)
    }
  })

  it('is English where it has gaps that are meant, and is refused for others', () => {
    const messages = { 'footer.sender': '§ {domain}' }
    const { locales } = options.settle({ locales: { nl: { messages, partial: true } } })
    const dutch = createCatalogues(locales)('nl')
    expect(dutch.text('footer.sender', { domain: 'a' })).to.equal('§ a')
    expect(dutch.text('footer.unread')).to.equal(ENGLISH['footer.unread'])
    for (const [given, fault] of [
      [{ messages }, 'options.locales.nl.messages: lacks greeting'],
      [
        { messages: { grating: 'x' }, partial: true },
        'options.locales.nl.messages.grating: unknown',
      ],
      [
        { messages: { 'footer.sender': '§' }, partial: true },
        'options.locales.nl.messages.footer.sender: lacks placeholders: {domain}',
      ],
    ] as const) {
      expect(() => options.settle({ locales: { nl: given } })).to.throw(OptionsError, fault)
    }
  })
})
