import { plainMessage } from '@svc/platform'
import { expect } from 'chai'
import { IntlMessageFormat } from 'intl-messageformat'
import { AUTHORIZE_TEXTS } from '../../../oauth-core/src/authorize/page-texts.ts'
import {
  hostRefused,
  unverifiable,
} from '../../../oauth-core/src/client-documents/document-error.ts'
import { tooManyLookUps } from '../../../oauth-core/src/client-documents/document-limits.ts'
import { errorModel } from '../../src/pages/error-model.ts'
import {
  createMessages,
  type Isolated,
  isolated,
  leftToRight,
  readCatalogues,
} from '../../src/messages.ts'

/** Codes of the errors that are not `invalid_request`. */
const CODES: Readonly<Record<string, string>> = {
  consentMismatch: 'consent_outdated',
  nothingChosen: 'nothing_chosen',
  resourceUnknown: 'invalid_target',
}

describe('errors of the authorization endpoint', () => {
  for (const [name, description] of Object.entries(AUTHORIZE_TEXTS)) {
    it(`have words for ${name} in every language`, () => {
      const french = createMessages().forLocale('fr')
      const error = Object.assign(new Error(description), {
        code: CODES[name] ?? 'invalid_request',
        status: 400,
        expose: true,
        description,
      })
      const { lead, detail, technical } = errorModel({ error }, french, '')
      // Words of its own, as the lead, below it or folded away; those of its status say nothing about it.
      const code = lead.startsWith('error.code.') ? french.text(lead) : undefined
      const words = detail ?? technical ?? code ?? description
      expect(words).not.to.equal(description)
      // A rule of the protocol is no sentence for the owner: it is a technical detail.
      if (/parameter|scope|response type/iu.test(description)) expect(detail).to.equal(undefined)
    })
  }
})

describe('errors of an app that leaves out a protection', () => {
  for (const locale of ['en', 'fr', 'de', 'es']) {
    it(`say so above the rule of the protocol, and who it is, in ${locale}`, () => {
      const messages = createMessages().forLocale(locale)
      const description = AUTHORIZE_TEXTS.stateNeeded
      const words = { key: 'state-needed', values: { host: 'client.example' } }
      const error = { code: 'invalid_request', status: 400, expose: true, description, words }
      const { heading, lead, detail, technical } = errorModel({ error }, messages, '')
      expect([heading, lead]).to.deep.equal(['error.unsafe.title', 'error.unsafe.lead'])
      expect([heading, lead].every((key) => messages.has(key))).to.equal(true)
      expect(technical).to.include('client.example')
      expect(detail).to.equal(undefined)
    })
  }
})

describe('errors about documents of clients', () => {
  for (const locale of ['en', 'fr', 'de', 'es']) {
    it(`name the host in words of their own in ${locale}`, () => {
      const messages = createMessages().forLocale(locale)
      const errors = [
        unverifiable('client.example', { kind: 'invalid' }),
        unverifiable('client.example', { kind: 'redirect' }),
        unverifiable('client.example', { kind: 'status', status: 404 }),
        unverifiable('client.example', { kind: 'status', status: 403 }),
        unverifiable('client.example', { kind: 'timeout' }),
        unverifiable('client.example', { kind: 'unreachable' }),
        hostRefused('client.example'),
      ]
      const details = errors.map((error) => errorModel({ error }, messages, ''))
      for (const { detail, heading, lead } of details) {
        expect(detail).to.include('client.example')
        expect([heading, lead].every((key) => messages.has(key))).to.equal(true)
        expect(heading).to.match(/^error.title.client_/)
      }
      expect(details[2]?.detail).to.include('404')
      expect(details[3]?.detail).to.include('403')
      // Where a copy of the operator's would help, the page says so.
      const asKept = details.map(({ detail = '' }) => detail.split('. ').length > 1)
      expect(asKept).to.deep.equal([false, false, false, true, true, true, false])
      expect(new Set(details.map(({ detail }) => detail)).size).to.equal(errors.length)
      const [one, many] = [60, 3600].map((seconds) => tooManyLookUps('cimd-url', seconds))
      const words = [one, many].map((error) => error && errorModel({ error }, messages, '').detail)
      expect(words[0]).to.match(/\b1\b/)
      expect(words[1]).to.match(/\b60\b/)
    })
  }
})

describe('createMessages', () => {
  const source = createMessages({ pseudo: true })

  const languages: readonly [tag: string, locale: string][] = [
    ['en', 'en'],
    ['fr', 'fr'],
    ['fr-CA', 'fr'],
    ['fr_FR', 'fr'],
    ['FR', 'fr'],
    ['de-AT', 'de'],
    ['es-419', 'es'],
    ['nl', 'en'],
    ['', 'en'],
    ['__proto__', 'en'],
    ['en-XA', 'en-XA'],
    ['ar-XB', 'ar-XB'],
  ]
  for (const [tag, locale] of languages) {
    it(`answers ${locale} for the instance locale "${tag}"`, () => {
      expect(source.forLocale(tag).locale).to.equal(locale)
    })
  }

  it('counts by the rules of the language', () => {
    const french = source.forLocale('fr')
    expect(french.text('consent.limited.ids', { count: 0 })).to.equal('Seulement 0 élément')
    expect(french.text('consent.limited.ids', { count: 2 })).to.equal('Seulement 2 éléments')
    expect(source.forLocale('en').text('consent.limited.ids', { count: 0 })).to.equal(
      'Only 0 items',
    )
  })

  it('keeps a text from outside apart from the sentence', () => {
    const parts = source.forLocale('en').parts('consent.title', { name: isolated('<Drive>') })
    expect(parts).to.deep.equal(['Allow ', { isolated: '<Drive>' }, '?'])
  })

  it('does not read ICU syntax in a text from outside', () => {
    const name = isolated('{count, plural, other {x}} <b>')
    expect(source.forLocale('en').text('consent.title', { name })).to.equal(
      'Allow {count, plural, other {x}} <b>?',
    )
  })

  it('removes controls of writing direction, and isolates right-to-left text in plain words', () => {
    const name = isolated('\u202eملف\u2066')
    expect(source.forLocale('en').text('consent.title', { name })).to.equal(
      'Allow \u2068ملف\u2069?',
    )
  })

  it('keeps an address apart from words that are written from right to left', () => {
    const host = leftToRight('example.com')
    const arabic = source.forLocale('ar-XB')
    expect(arabic.parts('consent.says', { host })).to.deep.include(host)
    expect(arabic.text('consent.says', { host })).to.include('\u2066example.com\u2069')
    expect(source.forLocale('en').text('consent.says', { host })).to.include(' example.com')
  })

  it('throws a TypeError for a key there is not', () => {
    expect(() => source.forLocale('en').text('no.such.key')).to.throw(TypeError, 'no.such.key')
    expect(() => source.forLocale('en').text('constructor')).to.throw(TypeError)
  })

  it('has a pseudo-locale from right to left, and leaves names as they are', () => {
    const arabic = source.forLocale('ar-XB')
    expect(arabic.dir).to.equal('rtl')
    const parts = arabic.parts('consent.title', { name: isolated('Drive') })
    expect(parts).to.deep.include({ isolated: 'Drive' })
    expect(parts[0]).to.match(/^\u202e.*\u202c$/u)
  })

  it('makes the pseudo-locale two fifths longer and leaves names as they are', () => {
    const english = source.forLocale('en').text('login.lead')
    expect(source.forLocale('en-XA').text('login.lead').length).to.be.at.least(english.length * 1.4)
    const title = source.forLocale('en-XA').text('consent.title', { name: isolated('Drive') })
    expect(title).to.include('Drive').and.not.to.include('Allow')
  })
})

describe('texts that are only words and arguments', () => {
  const values = (names: readonly string[]): Record<string, string | Isolated> =>
    Object.fromEntries(names.map((name, at) => [name, at % 2 === 0 ? isolated(name) : name]))

  for (const [locale, catalogue] of readCatalogues()) {
    it(`are in ${locale} what the library makes of them`, () => {
      let plain = 0
      for (const [key, text] of Object.entries(catalogue)) {
        const format = plainMessage(text)
        if (format === undefined) continue
        plain += 1
        const given = values([...text.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name))
        const library = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
        const parts = library.formatToParts<Isolated>(given).map(({ value }) => value)
        expect(format(given), key).to.deep.equal(parts)
      }
      // Most texts, or nothing is gained.
      expect(plain).to.be.above(0.8 * Object.keys(catalogue).length)
    })
  }
})
