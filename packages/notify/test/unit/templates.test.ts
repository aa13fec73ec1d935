import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { MAIL_LOCALES } from '../../src/catalogue.ts'
import { SYSTEM_MAILS, type SystemMail, type SystemMailName } from '../../src/system-mails.ts'
import { createTemplates } from '../../src/templates.ts'
import { sampleInstance } from '../sample-instance.ts'

const url = 'https://home.alice.example.com/#/sessions?a=1&b=2'
const facts = {
  url,
  time: Date.UTC(2026, 1, 3, 4, 5, 6),
  address: '203.0.113.7',
  browser: 'Firefox',
  os: 'Linux',
  place: 'Lyon, France',
}
const MAILS: readonly SystemMail[] = [
  {
    template: 'onboarding',
    variables: { url: 'https://alice.example.com/auth/passphrase?registerToken=00ff' },
  },
  { template: 'new_connection', variables: facts },
  { template: 'passphrase_changed', variables: facts },
  { template: 'login_throttled', variables: facts },
]
const templates = createTemplates()

describe('system mails', () => {
  it('has a case here for each of them', () => {
    expect(MAILS.map(({ template }) => template).sort()).to.deep.equal(
      Object.keys(SYSTEM_MAILS).sort(),
    )
  })

  it('has the same texts in every language', () => {
    const [first = [], ...others] = MAIL_LOCALES.map((locale) => {
      const file = new URL(`../../locales/${locale}.json`, import.meta.url)
      return Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object).sort()
    })
    for (const keys of others) expect(keys).to.deep.equal(first)
  })

  for (const locale of MAIL_LOCALES) {
    for (const mail of MAILS) {
      it(`writes ${mail.template} in ${locale}, with the same words as text and as HTML`, () => {
        const instance = sampleInstance({ locale })
        const { subject, text, html } = templates.render(instance, mail)
        const page = parsePage(html, instance.origin)
        const words = (content: string): string[] =>
          content.replaceAll(/\s+/g, ' ').trim().split(' ')
        expect(subject).to.include('alice.example.com')
        expect(page.title).to.equal(subject)
        for (const line of text.split('\n').filter((part) => part !== '' && part !== '-- ')) {
          expect(words(page.text).join(' ')).to.include(words(line).join(' '))
        }
        expect(text).to.include(mail.variables.url)
        expect(page.links.map(({ href }) => href)).to.deep.equal([mail.variables.url])
        expect(page.elements('img')).to.have.lengthOf(0)
        expect(page.elements('h1')).to.have.lengthOf(1)
        expect(page.elements('html')[0]?.attrs).to.deep.include({ name: 'lang', value: locale })
        expect(html).to.not.match(/(?:src|href)="(?!https:\/\/home\.|https:\/\/alice\.)/)
        expect(html.length).to.be.lessThan(20_000)
      })
    }
  }

  it('tells time and place in the language and zone of the owner', () => {
    const instance = sampleInstance({ locale: 'fr', timeZone: 'Europe/Paris' })
    const { text } = templates.render(instance, { template: 'new_connection', variables: facts })
    expect(text).to.include('Quand\u00a0: 3 février 2026')
    expect(text).to.include('05:05:06')
    expect(text).to.include('Firefox sur Linux')
    expect(text).to.include('Où\u00a0: Lyon, France')
  })

  it('leaves out what is not known', () => {
    const { text } = templates.render(sampleInstance(), {
      template: 'login_throttled',
      variables: { url, time: facts.time, address: '203.0.113.7' },
    })
    expect(text).to.include('Address: 203.0.113.7')
    expect(text).to.not.include('Browser:')
    expect(text).to.not.include('Where:')
  })

  it('falls back to English, and to UTC for a zone nobody knows', () => {
    const instance = sampleInstance({ locale: 'tlh', timeZone: 'Mars/Olympus' })
    const rendered = templates.render(instance, { template: 'new_connection', variables: facts })
    expect(rendered.locale).to.equal('en')
    expect(rendered.text).to.include('UTC')
  })

  it('escapes names in HTML and keeps them on one line', () => {
    const instance = sampleInstance({ publicName: '<b onmouseover="x">{{7*7}}</b>\r\nBcc: a@b.c' })
    const { html, text } = templates.render(instance, {
      template: 'onboarding',
      variables: { url },
    })
    expect(html).to.include('&lt;b onmouseover=&quot;x&quot;&gt;{{7*7}}&lt;/b&gt; Bcc: a@b.c')
    expect(text).to.include('<b onmouseover="x">{{7*7}}</b> Bcc: a@b.c')
  })

  const foreign: [string, string][] = [
    ['another host', 'https://evil.example/'],
    ['a host that only starts alike', 'https://alice.example.com.evil.example/'],
    ['a plain scheme', 'http://alice.example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['an app of another instance', 'https://home.bob.example.com/'],
    ['two labels below', 'https://a.b.alice.example.com/'],
    ['no URL at all', 'alice'],
  ]
  for (const [what, link] of foreign) {
    it(`refuses a link to ${what}`, () => {
      expect(() =>
        templates.render(sampleInstance(), { template: 'onboarding', variables: { url: link } }),
      ).to.throw(TypeError, 'mail.variables.url')
    })
  }

  it('links to flat app hosts too', () => {
    const flat = sampleInstance({ subdomains: 'flat' })
    const link = 'https://alice-settings.example.com/#/sessions'
    const names: SystemMailName[] = ['onboarding']
    for (const template of names) {
      const { text } = templates.render(flat, { template: 'onboarding', variables: { url: link } })
      expect(text, template).to.include(link)
    }
  })
})
