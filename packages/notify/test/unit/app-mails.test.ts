import { parsePage, textOf } from '@svc/testkit'
import { expect } from 'chai'
import type { AppMail } from '../../src/mail/app-mails.ts'
import { catalogueOf, MAIL_LOCALES } from '../../src/mail/catalogue.ts'
import { sampleAppMails } from '../../src/mail/sample-app-mails.ts'
import { createTemplates, type RenderedMail } from '../../src/mail/templates.ts'
import { sampleInstance } from '../sample-instance.ts'
import { expectHarmless, HOSTILE, wordsOf, wordsOfHtml } from '../support/mail-words.ts'

const TIME = Date.UTC(2026, 1, 3, 4, 5, 6)
const ORIGIN = 'https://alice.example.com'
const SETTINGS = 'https://settings.alice.example.com/#/notifications'
const templates = createTemplates()
const samples = sampleAppMails(sampleInstance(), TIME)

describe('mails of notifications', () => {
  for (const locale of MAIL_LOCALES) {
    for (const [name, mail] of samples) {
      it(`write ${name} in ${locale}, with the same words as text and as HTML`, () => {
        const { subject, text, html } = templates.render(sampleInstance({ locale }), mail)
        const page = parsePage(html, ORIGIN)
        expect(page.title).to.equal(subject)
        expect(page.elements('h1')).to.have.lengthOf(1)
        expect(page.elements('img')).to.have.lengthOf(0)
        expect(page.elements('html')[0]?.attrs).to.deep.include({ name: 'lang', value: locale })
        const { settings, unsubscribe } = mail.variables.links ?? {}
        const isAction = actionOf(mail) !== undefined
        const fallback = isAction ? catalogueOf(locale).text('action.fallback') : ''
        const links = [...itemLinks(mail), settings, unsubscribe].filter((url) => url !== undefined)
        const shown = text
          .replaceAll(/^- /gm, '')
          .replaceAll(/: (?=https:\/\/(?:settings\.)?alice\.example\.com\S+$)/gm, ' ')
        expect(wordsOf(shown)).to.deep.equal(wordsOfHtml(html, fallback, links))
        expect(Buffer.byteLength(html), 'bytes that mail programs show').to.be.lessThan(
          name === 'digest.many' ? 90_000 : 12_000,
        )
      })

      it(`have one button at most, and the ways out, in ${name} in ${locale}`, () => {
        const { text, html } = templates.render(sampleInstance({ locale }), mail)
        const { variables } = mail
        const { settings, unsubscribe } = variables.links ?? {}
        const wanted = [...itemLinks(mail), actionOf(mail), settings, unsubscribe].filter(
          (url) => url !== undefined,
        )
        expect(parsePage(html, ORIGIN).links.map(({ href }) => href)).to.deep.equal(wanted)
        for (const url of wanted) expect(text.split(/\s/)).to.include(url)
      })
    }
  }

  const PLACES: readonly (readonly [where: string, write: (words: string) => AppMail])[] = [
    ['the title', (title) => notification({ title })],
    ['the message', (message) => notification({ message })],
    ['the name of the app', (sender) => notification({ sender })],
    [
      'the name of the app behind the button',
      (name) => notification({ action: { name, url: `${ORIGIN}/` } }),
    ],
    ['a title in a digest', (title) => digest({ title })],
    ['a message in a digest', (message) => digest({ message })],
    ['a name in a digest', (sender) => digest({ sender })],
  ]
  for (const [where, write] of PLACES) {
    for (const [what, words] of HOSTILE) {
      it(`take ${what} as ${where}`, () => {
        const [plain, mail] = [render(write('plain')), render(write(words))]
        expectHarmless(mail, plain)
        if (where !== 'the title') expect(mail.subject).to.equal(plain.subject)
      })
    }
  }

  it('make no link of what an app is called', () => {
    const hostile = 'see https://evil.test/now, evil.test/now or eve@evil.test'
    for (const mail of [notification({ sender: hostile }), digest({ sender: hostile })]) {
      const { text, html } = render(mail)
      for (const content of [text, html]) expect(content).to.not.match(/evil\.test|https?:\/\/evil/)
    }
  })

  const foreign = ['https://evil.example/', 'http://alice.example.com/', 'javascript:alert(1)', '']
  for (const url of foreign) {
    it(`refuse to lead to ${url === '' ? 'nothing' : url}`, () => {
      const mails = [
        notification({ action: { name: 'x', url } }),
        notification({ links: { settings: url } }),
        notification({ links: { unsubscribe: url } }),
        digest({}, { settings: url }),
        digest({ url }),
      ]
      for (const mail of mails) expect(() => render(mail)).to.throw(TypeError)
    })
  }

  it('keep a title of 512 characters whole, in the subject too', () => {
    const title = 'word '.repeat(102).trim()
    expect(render(notification({ title })).subject).to.equal(title)
  })

  it('list the newest hundred of a digest, and count the rest', () => {
    const items = Array.from({ length: 103 }, (_, at) => ({
      title: `item ${at}`,
      time: TIME - at,
    })).reverse()
    const { text, html } = render({ template: 'digest', variables: { items } })
    expect(text).to.include('103 notifications for you').and.to.include('item 99\n')
    expect(text).to.not.include('item 100\n')
    expect(text).to.include('3 more in your inbox.')
    expect(parsePage(html, ORIGIN).elements('h3')).to.have.lengthOf(100)
  })

  // D98: a large mailbox provider cuts off what is over 102 kB.
  for (const locale of MAIL_LOCALES) {
    it(`keep a digest in ${locale} below 90 kB, with the newest, and count the rest`, () => {
      const digests = [
        { title: '&'.repeat(290), message: '&'.repeat(290) },
        { title: 'A', url: `${ORIGIN}/#/${'x'.repeat(2000)}` },
        { title: "'".repeat(290), message: '"'.repeat(290), sender: '<'.repeat(100) },
      ].map((item) =>
        Array.from({ length: 100 }, (_, at) => ({
          ...item,
          title: `${at}. ${item.title}`,
          time: TIME + at,
        })),
      )
      for (const items of digests) {
        const mail = { template: 'digest', variables: { items } } as const
        const { html, text } = templates.render(sampleInstance({ locale }), mail)
        expect(Buffer.byteLength(html)).to.be.lessThan(90_000)
        const shown = parsePage(html, ORIGIN)
          .elements('h3')
          .map((each) => textOf([each]))
        expect(shown.length).to.be.within(20, 99)
        expect(shown[0]).to.match(/^99\. /)
        const more = catalogueOf(locale).text('digest.more', { count: 100 - shown.length })
        for (const content of [html, text]) expect(content).to.include(more)
      }
    })
  }

  it('group a digest by app, that of the newest first, and lead each title to its app', () => {
    const bank = `${ORIGIN.replace('alice', 'bank.alice')}/#/balances`
    const items = [
      { sender: 'Bank', title: 'old', time: TIME - 2, url: bank },
      { sender: 'Drive', title: 'middle', time: TIME - 1 },
      { sender: 'Bank', title: 'new', time: TIME },
    ]
    const { html, text } = render({ template: 'digest', variables: { items } })
    const page = parsePage(html, ORIGIN)
    expect(page.elements('h2').map((each) => textOf([each]))).to.deep.equal([
      'App “Bank”',
      'App “Drive”',
    ])
    expect(page.elements('h3').map((each) => textOf([each]))).to.deep.equal([
      'new',
      'old',
      'middle',
    ])
    expect(page.links).to.deep.equal([
      { text: 'old', href: bank },
      { text: 'Open my inbox', href: `${ORIGIN}/` },
    ])
    expect(text.indexOf('\nnew\n')).to.be.lessThan(text.indexOf('\nold\n'))
    expect(text).to.include(`\n${bank}\n`)
  })

  it('cut what is long in a digest, at the end of a character', () => {
    const family = '👩‍👩‍👧‍👦'
    const { text } = render(digest({ message: family.repeat(100) }))
    expect(text).to.match(/\n(?:👩‍👩‍👧‍👦)+…\n/)
    expect(text).to.not.include(family.repeat(30))
  })

  it('tell the time in the owner’s zone and language', () => {
    const instance = sampleInstance({ locale: 'fr', timeZone: 'Europe/Paris' })
    const { text } = templates.render(instance, digest({ sender: 'Bank' }))
    expect(text).to.match(/\nApplication «\u00a0Bank\u00a0»\n\nLow\n3 février 2026 (?:à )?05:05\n/)
  })

  it('show system mails sent as notifications with their ways out', () => {
    const mail = { template: 'disk_quota', variables: { url: `${ORIGIN}/x` } } as const
    const { text } = templates.render(sampleInstance(), mail, { settings: SETTINGS })
    expect(text).to.include(`Notification settings: ${SETTINGS}`)
    expect(templates.render(sampleInstance(), mail).text).to.not.include(SETTINGS)
  })
})

type Words = Extract<AppMail, { template: 'notification' }>['variables']
type Item = Extract<AppMail, { template: 'digest' }>['variables']['items'][number]

function notification(changes: Partial<Words>): AppMail {
  const words = { sender: 'Bank', title: 'Low', message: 'See', links: { settings: SETTINGS } }
  return { template: 'notification', variables: { ...words, ...changes } }
}

function digest(changes: Partial<Item>, links: Words['links'] = { settings: SETTINGS }): AppMail {
  const item = { sender: 'Bank', title: 'Low', message: 'See', time: TIME, ...changes }
  return { template: 'digest', variables: { items: [item, item], links } }
}

function render(mail: AppMail): RenderedMail {
  return templates.render(sampleInstance(), mail)
}

/** Where the one button leads. */
function actionOf({ template, variables }: AppMail): string | undefined {
  return template === 'digest' ? `${ORIGIN}/` : variables.action?.url
}

/** Where titles lead, in their order. */
function itemLinks({ template, variables }: AppMail): readonly string[] {
  if (template !== 'digest') return []
  return variables.items
    .toSorted((one, other) => other.time - one.time)
    .slice(0, 100)
    .flatMap(({ url }) => (url === undefined ? [] : [url]))
}
