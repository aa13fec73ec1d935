import { frenchFaults, parsePage } from '@svc/testkit'
import { expect } from 'chai'
import type { AppMail } from '../../src/mail/app-mails.ts'
import { catalogueOf, MAIL_LOCALES } from '../../src/mail/catalogue.ts'
import { sampleMails } from '../../src/mail/sample-mails.ts'
import { SYSTEM_MAILS, type SystemMail, type SystemMailName } from '../../src/mail/system-mails.ts'
import { createTemplates } from '../../src/mail/templates.ts'
import { sampleInstance } from '../sample-instance.ts'
import { wordsOf, wordsOfHtml } from '../support/mail-words.ts'

const url = 'https://home.alice.example.com/#/sessions?a=1&b=2'
const facts = {
  url,
  time: Date.UTC(2026, 1, 3, 4, 5, 6),
  address: '203.0.113.7',
  browser: 'Firefox',
  os: 'Linux',
  place: 'Lyon, France',
}
const samples = sampleMails(sampleInstance(), facts.time)
const templates = createTemplates()

describe('system mails', () => {
  it('has a sample of each of them', () => {
    const names = new Set([...samples.values()].map(({ template }) => template))
    expect([...names].sort()).to.deep.equal(Object.keys(SYSTEM_MAILS).sort())
  })

  for (const locale of MAIL_LOCALES) {
    for (const [name, mail] of samples) {
      it(`writes ${name} in ${locale}, with the same words as text and as HTML`, () => {
        const instance = sampleInstance({ locale })
        const { subject, text, html } = templates.render(instance, mail)
        const page = parsePage(html, instance.origin)
        expect(subject).to.include('alice.example.com')
        expect(page.title).to.equal(subject)
        const fallback = 'url' in mail.variables ? catalogueOf(locale).text('action.fallback') : ''
        expect(wordsOf(text)).to.deep.equal(wordsOfHtml(html, fallback))
        expect(page.elements('img')).to.have.lengthOf(0)
        expect(page.elements('h1')).to.have.lengthOf(1)
        expect(page.elements('html')[0]?.attrs).to.deep.include({ name: 'lang', value: locale })
        expect(html).to.not.match(/(?:src|href)="(?!https:\/\/[a-z.]*alice\.example\.com\/)/)
        expect(html).to.include('@media (prefers-color-scheme: dark)')
        expect(Buffer.byteLength(html)).to.be.lessThan(12_000)
        expect(Buffer.byteLength(text)).to.be.lessThan(3000)
      })

      it(`has one thing to act on in ${name} in ${locale}`, () => {
        const instance = sampleInstance({ locale })
        const { subject, text, html } = templates.render(instance, mail)
        const page = parsePage(html, instance.origin)
        const { variables } = mail
        if ('url' in variables && variables.url !== undefined) {
          expect(page.links.map(({ href }) => href)).to.deep.equal([variables.url])
          expect(text.match(/https?:\/\/\S+/g)).to.deep.equal([variables.url])
          expect(text.split('\n')).to.include(variables.url)
        } else if (!('passcode' in variables || 'code' in variables)) {
          // Only told: there is nothing to act on.
          expect(page.links).to.deep.equal([])
          expect(text).to.not.match(/https?:/)
        } else {
          const code = 'passcode' in variables ? variables.passcode : variables.code
          expect(page.links).to.deep.equal([])
          expect(text).to.not.match(/https?:/)
          expect(text.split('\n').filter((line) => line === code)).to.have.lengthOf(1)
          expect(page.text.split(code)).to.have.lengthOf(2)
          expect(subject).to.not.include(code)
          expect(page.text.indexOf(code), 'characters before the code').to.be.lessThan(500)
        }
      })
    }
  }

  const unlike: readonly SystemMailName[] = ['two_factor', 'auth_mode_changed']
  for (const template of unlike) {
    it(`says in the title and the words of ${template} what it is about`, () => {
      const all = [...samples.values()].filter((mail) => mail.template === template)
      const kinds = new Map(
        all.map((mail) => {
          const { variables } = mail
          const kind =
            'purpose' in variables ? variables.purpose : 'change' in variables && variables.change
          return [kind, templates.render(sampleInstance(), mail).subject]
        }),
      )
      expect(new Set(kinds.values()).size).to.equal(kinds.size).and.be.greaterThan(5)
    })
  }

  it('warns of what a reset loses, only where it does', () => {
    const words = (losesVault: boolean): string =>
      templates.render(sampleInstance(), {
        template: 'passphrase_reset',
        variables: { ...facts, minutes: 15, losesVault },
      }).text
    expect(words(true)).to.include('they can never be read again')
    expect(words(false)).to.not.include('they can never be read again')
  })

  it('tells how many recovery codes are left, where that is known', () => {
    const textWith = (more: object): string => {
      const told = { ...facts, change: 'recovery_code_used', factor: 'recovery', ...more } as const
      return templates.render(sampleInstance(), { template: 'auth_mode_changed', variables: told })
        .text
    }
    expect(textWith({})).to.not.match(/You have .*recovery codes?/)
    expect(textWith({ left: 0 })).to.include('You have no recovery codes left.')
    expect(textWith({ left: 1 })).to.include('You have 1 recovery code left.')
  })

  it('asks nobody to remove an app where none may be connected', () => {
    const write = (limit: number): string => {
      const variables = { url, clientName: 'Drive', limit }
      const mail = { template: 'oauth_clients_limit', variables } as const
      const { html, text } = templates.render(sampleInstance(), mail)
      return `${text}\n${html}`
    }
    expect(write(1)).to.include('remove the ones')
    expect(write(0)).to.include('No other app can be connected.')
    expect(write(0)).not.to.include('remove the ones')
  })

  it('tells whoever reads a new, unproven address neither name nor place', () => {
    const { text, html } = templates.render(sampleInstance(), {
      template: 'update_email',
      variables: { ...facts, minutes: 15, recipient: 'new@mail.example' },
    })
    for (const content of [text, html]) {
      expect(content).to.include('February 3, 2026')
      for (const hidden of ['Alice', '203.0.113.7', 'Lyon', 'Firefox', 'new@mail.example']) {
        expect(content).to.not.include(hidden)
      }
    }
  })

  it('tells times to the minute in every mail and language', () => {
    for (const locale of MAIL_LOCALES) {
      const instance = sampleInstance({ locale, timeZone: 'Europe/Paris' })
      for (const [name, mail] of samples) {
        const { text, html } = templates.render(instance, mail)
        for (const content of [text, html]) {
          expect(content, `${name} ${locale}`).to.not.match(/\d:\d\d:\d\d/)
        }
      }
    }
  })

  it('tells time and place in the language and zone of the owner', () => {
    const instance = sampleInstance({ locale: 'fr', timeZone: 'Europe/Paris' })
    const { text } = templates.render(instance, { template: 'new_connection', variables: facts })
    expect(text).to.include('Quand\u00a0: 3 février 2026')
    expect(text).to.include('05:05 UTC+1')
    expect(text).to.include('Firefox sur Linux')
    expect(text).to.include('Où\u00a0: Lyon, France')
  })

  it('leaves out what is not known', () => {
    const { text } = templates.render(sampleInstance(), {
      template: 'login_throttled',
      variables: { url, time: facts.time, address: '203.0.113.7' },
    })
    expect(text).to.include('IP address: 203.0.113.7')
    expect(text).to.not.include('Browser:')
    expect(text).to.not.include('Where:')
  })

  it('falls back to English, and to UTC for a zone nobody knows', () => {
    const instance = sampleInstance({ locale: 'tlh', timeZone: 'Mars/Olympus' })
    const rendered = templates.render(instance, { template: 'new_connection', variables: facts })
    expect(rendered.locale).to.equal('en')
    expect(rendered.text).to.include('UTC')
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

  it('begins with the tile, the name and the domain, without a name for whoever may not know it', () => {
    const instance = sampleInstance({ publicName: 'Ünal Martin' })
    const { text, html } = templates.render(instance, {
      template: 'new_connection',
      variables: facts,
    })
    expect(text.split('\n')[0]).to.equal('Ünal Martin · alice.example.com')
    const shown = html.slice(html.indexOf('<table')).replaceAll(/<[^>]+>/g, ' ')
    expect(shown.trim()).to.match(/^Ü\s+Ünal Martin\s+alice\.example\.com\s/)
    const unproven = templates.render(instance, {
      template: 'update_email',
      variables: { ...facts, minutes: 15, recipient: 'new@mail.example' },
    })
    expect(unproven.text.split('\n')[0]).to.equal('alice.example.com')
    expect(unproven.html)
      .to.match(/>A<\/td>/)
      .and.to.not.include('Ünal')
  })

  it('breaks the name of the space at dots alone, and only when it is long', () => {
    const { url: _url, ...seen } = facts
    const write = (domain: string): string =>
      templates.render(sampleInstance({ domain, origin: `https://${domain}` }), {
        template: 'two_factor',
        variables: { ...seen, passcode: '1', purpose: 'login', minutes: 5 },
      }).html
    const short = write('alice.example.com')
    const shown = short.slice(short.indexOf('<h1')).split('alice.example.com').length - 1
    const kept = short
      .slice(short.indexOf('<h1'))
      .split('<span style="white-space:nowrap;">alice.example.com</span>')
    expect(shown).to.be.greaterThan(1)
    expect(kept.length - 1).to.equal(shown)
    const long = `${'a'.repeat(30)}.example.provider.example.com`
    expect(write(long)).to.include(
      `<span style="white-space:nowrap;">${'a'.repeat(30)}.</span><wbr><span style="white-space:nowrap;">example.</span><wbr>`,
    )
    expect(short).to.not.include('\u2060')
  })

  it('tells no word of a link, and where to go in a browser, beside a code', () => {
    for (const mail of samples.values()) {
      if (!('passcode' in mail.variables || 'code' in mail.variables)) continue
      const { text } = templates.render(sampleInstance(), mail)
      expect(text, mail.template).to.include(
        'Open alice.example.com in your browser and choose “Change the passphrase” under Settings, Login and security.',
      )
    }
  })

  it('links to flat app hosts too', () => {
    const flat = sampleInstance({ subdomains: 'flat' })
    const link = 'https://alice-settings.example.com/#/sessions'
    const { text } = templates.render(flat, { template: 'onboarding', variables: { url: link } })
    expect(text).to.include(link)
  })
})

const TIME = Date.UTC(2026, 1, 3, 4, 5, 6)
const FRENCH = sampleInstance({ locale: 'fr', publicName: 'Hélène' })
const LINKS = {
  settings: 'https://settings.alice.example.com/?section=notifications',
  unsubscribe: `${FRENCH.origin}/notifications/unsubscribe?t=0123456789abcdef`,
}
const ITEM = { sender: 'Banque', title: 'Solde bas', message: 'Il reste 84 €.', time: TIME }
const APP_MAILS: readonly (readonly [string, AppMail])[] = [
  ['notification', { template: 'notification', variables: { ...ITEM, links: LINKS } }],
  ['digest', { template: 'digest', variables: { items: [ITEM, ITEM], links: LINKS } }],
]
const MAILS: ReadonlyMap<string, SystemMail | AppMail> = new Map<string, SystemMail | AppMail>([
  ...sampleMails(FRENCH, TIME),
  ...APP_MAILS,
])

/** What is read of a mail, with its spaces as they are. */
function shownIn(html: string): string {
  return html.slice(html.indexOf('<body')).replaceAll(/<[^>]*>/g, '\n')
}

describe('mails in French', () => {
  const templates = createTemplates({ takesReplies: ({ context }) => context === 'read' })

  for (const [name, mail] of MAILS) {
    for (const context of ['read', 'unread']) {
      it(`${name} has the spaces of French typography as text and as HTML, ${context} or not`, () => {
        const instance = { ...FRENCH, context }
        const { html, subject, text } = templates.render(instance, mail, LINKS)
        expect(frenchFaults(subject)).to.deep.equal([])
        expect(frenchFaults(text)).to.deep.equal([])
        expect(frenchFaults(shownIn(html))).to.deep.equal([])
        expect(text).to.include(`Réglages des notifications\u00a0: ${LINKS.settings}`)
      })
    }
  }
})
