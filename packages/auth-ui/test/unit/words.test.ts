import { readFileSync } from 'node:fs'
import { frenchFaults, hasVerb, longSentences, wordFaults } from '@svc/testkit'
import { expect } from 'chai'
import type { Catalogue } from '../../src/messages.ts'
import { argumentsOf, everyCatalogue, spokenForms, type Texts } from '../support/catalogues.ts'

const listed = <List>(name: string): List =>
  // Our own file.
  JSON.parse(readFileSync(new URL(`../support/${name}.json`, import.meta.url), 'utf8')) as List
/** Keys of the texts of buttons, and of links that look like one, by the place of their catalogue. */
const BUTTONS = listed<Readonly<Record<string, readonly string[]>>>('button-texts')
/** What pages, settings and mails said once, and did not serve; titles count as a whole text. @see owner.md 6.3 */
const FORMER = listed<Readonly<Record<'titles' | 'words', readonly string[]>>>('former-words')
/** Endings of the keys of one text that depends on a count. */
const CATEGORY = /_(?:zero|one|two|few|many|other)$/u
const COUNTS = Array.from({ length: 201 }, (_, count) => count)
/** Pages hold still: what is missing among them is a fault of the list. */
const PAGES = 'packages/auth-ui'

/** @see owner.md 6.5 */
describe('words of every catalogue', () => {
  const catalogues = everyCatalogue()

  it('are those of pages, settings, mails, connectors and apps', () => {
    expect(catalogues.map(({ place }) => place)).to.include.members([
      PAGES,
      'packages/auth-ui/settings-app',
      'packages/connectors',
      'packages/notify',
      'examples/host/apps/safe',
      'examples/host/store-apps/drive',
    ])
  })

  for (const texts of catalogues) {
    const { place } = texts
    const english = catalogueOf(texts, 'en')

    it(`${place} speaks the languages of the pages`, () => {
      expect([...texts.byLocale.keys()]).to.deep.equal(languages(catalogues))
    })

    for (const [locale, catalogue] of texts.byLocale) {
      it(`${place} has the texts of English in ${locale}, with the same arguments`, () => {
        expect(bases(catalogue)).to.deep.equal(bases(english))
        for (const [key, text] of Object.entries(catalogue)) {
          const base = english[key] ?? english[`${key.replace(CATEGORY, '')}_other`] ?? ''
          expect(argumentsOf(text), key).to.deep.equal(argumentsOf(base))
          expect(text.trim(), key).to.equal(text).and.not.equal('')
        }
      })

      it(`${place} has a form for every count in ${locale}`, () => {
        const rules = new Intl.PluralRules(locale)
        const needed = [...new Set(COUNTS.map((count) => rules.select(count)))]
        for (const key of Object.keys(catalogue).filter((it) => CATEGORY.test(it)))
          for (const category of needed)
            expect(catalogue).to.have.property(`${key.replace(CATEGORY, '')}_${category}`)
      })

      it(`${place} says what the glossary says in ${locale}`, () => {
        const faults = found(catalogue, (text) => wordFaults(locale, text))
        expect(faults).to.deep.equal([])
      })

      it(`${place} has none of the former words in ${locale}`, () => {
        const faults = found(catalogue, (text) => [
          ...FORMER.words.filter((words) => text.includes(words)),
          ...FORMER.titles.filter((title) => text === title),
        ])
        expect(faults).to.deep.equal([])
      })

      it(`${place} has no sentence of more than 20 words in ${locale}`, () => {
        expect(found(catalogue, longSentences)).to.deep.equal([])
      })

      it(`${place} has a verb on its buttons in ${locale}`, () => {
        const keys = BUTTONS[place] ?? []
        const there = keys.filter((key) => Object.hasOwn(catalogue, key))
        if (place === PAGES) expect(there).to.deep.equal(keys)
        const faults = there.flatMap((key) =>
          spokenForms(catalogue[key] ?? '')
            .filter((text) => !hasVerb(locale, text))
            .map((text) => `${key}: ${text}`),
        )
        expect(faults).to.deep.equal([])
      })
    }

    it(`${place} has its French spaces, where no line can break`, () => {
      expect(found(catalogueOf(texts, 'fr'), frenchFaults)).to.deep.equal([])
    })
  }
})

/** @see docs/decisions/0474 */
describe('the check-up', () => {
  const catalogues = everyCatalogue()
  const of = (place: string, locale: string): Catalogue => {
    const texts = catalogues.find((each) => each.place === place)
    const all = texts === undefined ? {} : catalogueOf(texts, locale)
    const isFinding = (key: string): boolean => /^checkup\.(?!good$)/u.test(key)
    return Object.fromEntries(Object.entries(all).filter(([key]) => isFinding(key)))
  }

  for (const locale of languages(catalogues)) {
    it(`has the words of the settings on home in ${locale}`, () => {
      const settings = of('packages/auth-ui/settings-app', locale)
      expect(Object.keys(settings)).to.have.length.greaterThan(20)
      expect(of('packages/auth-ui/home-app', locale)).to.deep.equal(settings)
    })
  }
})

/** @see decision D101 */
describe('names of kinds of data', () => {
  it('have no placeholder: whoever sends a doctype chooses its key', () => {
    const named = everyCatalogue().flatMap(({ byLocale }) => [...byLocale.values()])
    const faults = named.flatMap((catalogue) =>
      Object.entries(catalogue)
        .filter(([key, text]) => /^(?:doctype|kind)\./u.test(key) && argumentsOf(text).length > 0)
        .map(([key]) => key),
    )
    expect(faults).to.deep.equal([])
  })
})

/** @see docs/decisions/0501 */
describe('languages', () => {
  /** Served before a native reading was asked for. */
  const FROM_BEFORE = ['de', 'en', 'es', 'fr']
  const lines = readFileSync(new URL('../../locales/REVIEWERS', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' | '))
  const reader = new Map(lines.map(([tag, name]) => [tag, name]))

  for (const locale of languages(everyCatalogue())) {
    it(`${locale} stands among those that native readers sign`, () => {
      expect([...reader.keys()]).to.include(locale)
      if (!FROM_BEFORE.includes(locale)) expect(reader.get(locale)).to.match(/\p{L}/u)
    })
  }
})

function catalogueOf({ byLocale, place }: Texts, locale: string): Catalogue {
  const catalogue = byLocale.get(locale)
  if (catalogue === undefined) throw new TypeError(`${place} has no ${locale}.json`)
  return catalogue
}

function languages(catalogues: readonly Texts[]): readonly string[] {
  const pages = catalogues.find(({ place }) => place === PAGES)
  return [...(pages?.byLocale.keys() ?? [])]
}

/** Keys without the category of a count, which depends on the language. */
function bases(catalogue: Catalogue): readonly string[] {
  return [...new Set(Object.keys(catalogue).map((key) => key.replace(CATEGORY, '')))].sort()
}

/** What a rule finds in what the owner may read, with the key. */
function found(catalogue: Catalogue, rule: (text: string) => readonly string[]): string[] {
  return Object.entries(catalogue).flatMap(([key, text]) =>
    [...new Set(spokenForms(text).flatMap(rule))].map((fault) => `${key}: ${fault}`),
  )
}
