import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { OptionsError } from '@svc/platform/options'
import { createCatalogues } from '../../src/mail/catalogue.ts'
import { mailLanguages } from '../../src/mail/language-option.ts'
import { createTemplates } from '../../src/mail/templates.ts'
import { defineOptions } from '@svc/platform/options'
import { sampleMails } from '../../src/index.ts'
import { sampleInstance } from '../sample-instance.ts'

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
