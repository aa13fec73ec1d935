import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { frenchFaults } from '@svc/testkit'
import { expect } from 'chai'
import { IntlMessageFormat } from 'intl-messageformat'
import { AUTHORIZE_TEXTS } from '../../../oauth-core/src/authorize/page-texts.ts'
import {
  hostRefused,
  unverifiable,
} from '../../../oauth-core/src/client-documents/document-error.ts'
import { tooManyLookUps } from '../../../oauth-core/src/client-documents/document-limits.ts'
import { errorModel } from '../../src/pages/error-model.ts'
import { createMessages, isolated, readCatalogue } from '../../src/messages.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const CATALOGUES = folder('../../locales')
const SETTINGS = folder('../../settings-app/locales')
const HOME = folder('../../../../examples/host/apps/home/locales')
const SAFE = folder('../../../../examples/host/apps/safe/locales')
const DRIVE = folder('../../../../examples/host/store-apps/drive/locales')

/** A select on this name asks for a case of grammar: only languages that have cases use it. */
const CASE = 'form'

/** Names of the arguments of an ICU text, with the kind of each. */
function argumentsOf(text: string): string[] {
  const found = new Set<string>()
  const visit = (nodes: readonly AstNode[]): void => {
    for (const node of nodes) {
      if (node.type >= 1 && node.type <= 6 && node.value !== CASE)
        found.add(`${node.value}:${node.type}`)
      for (const option of Object.values(node.options ?? {})) visit(option.value)
    }
  }
  const format = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true })
  visit(format.getAst() as unknown as AstNode[])
  return [...found].sort()
}

/** What this test reads of a parsed text; the library's own type is a wider union. */
interface AstNode {
  readonly type: number
  readonly value: string
  readonly options?: Record<string, { value: AstNode[] }>
}

describe('catalogues', () => {
  for (const path of [CATALOGUES, SETTINGS, HOME, SAFE, DRIVE]) {
    it(`French has its spaces in ${path.split('/').slice(-2).join('/')}, and no line can break there`, () => {
      const texts = Object.entries(readCatalogue(`${path}/fr.json`))
      const faults = texts.flatMap(([key, text]) =>
        frenchFaults(text).map((fault) => `${key}: ${fault}`),
      )
      expect(faults).to.deep.equal([])
    })
  }

  const english = readCatalogue(`${CATALOGUES}/en.json`)

  it('holds German, English, Spanish and French', () => {
    expect(createMessages().locales).to.deep.equal(['de', 'en', 'es', 'fr'])
  })

  for (const name of readdirSync(CATALOGUES).filter((file) => file !== 'en.json')) {
    const other = readCatalogue(`${CATALOGUES}/${name}`)

    it(`${name} has the keys of en.json, no more and no fewer`, () => {
      expect(Object.keys(other).sort()).to.deep.equal(Object.keys(english).sort())
    })

    it(`${name} has the arguments of en.json in every text`, () => {
      for (const [key, text] of Object.entries(english))
        expect(argumentsOf(other[key] ?? ''), key).to.deep.equal(argumentsOf(text))
    })

    it(`${name} leaves no text empty`, () => {
      expect(Object.values(other).filter((text) => text.trim() === '')).to.deep.equal([])
    })
  }

  for (const [app, path] of [
    ['settings', SETTINGS],
    ['home', HOME],
    ['safe', SAFE],
  ] as const) {
    for (const language of ['de', 'es', 'fr']) {
      it(`the ${app} app has the keys and arguments of English in ${language}`, () => {
        const one = readCatalogue(`${path}/en.json`)
        const other = readCatalogue(`${path}/${language}.json`)
        expect(Object.keys(other).sort()).to.deep.equal(Object.keys(one).sort())
        for (const [key, text] of Object.entries(one))
          expect(argumentsOf(other[key] ?? ''), key).to.deep.equal(argumentsOf(text))
        expect(Object.values(other).filter((text) => text.trim() === '')).to.deep.equal([])
      })
    }
  }
})

describe('errors of the authorization endpoint', () => {
  for (const [name, description] of Object.entries(AUTHORIZE_TEXTS)) {
    it(`have words for ${name} in every language`, () => {
      const french = createMessages().forLocale('fr')
      const error = Object.assign(new Error(description), {
        code: name === 'consentMismatch' ? 'consent_outdated' : 'invalid_request',
        status: 400,
        expose: true,
        description,
      })
      const { lead, detail } = errorModel({ error }, french, '')
      // Words of its own, as the lead or below it; those of its status say nothing about it.
      const words = detail ?? (lead.startsWith('error.code.') ? french.text(lead) : description)
      expect(words).not.to.equal(description)
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
