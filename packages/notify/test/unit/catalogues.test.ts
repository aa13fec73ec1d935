import { frenchFaults } from '@svc/testkit'
import { expect } from 'chai'
import { IntlMessageFormat } from 'intl-messageformat'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { catalogueOf, MAIL_LOCALES } from '../../src/mail/catalogue.ts'
import { FORMER_WORDS } from '../support/former-words.ts'

const FOLDER = fileURLToPath(new URL('../../locales', import.meta.url))
const english = read('en')

/** What this test reads of a parsed text; the library's own type is a wider union. */
interface AstNode {
  readonly type: number
  readonly value: string
  readonly options?: Record<string, { value: AstNode[] }>
}

describe('catalogues of the mails', () => {
  for (const locale of MAIL_LOCALES) {
    it(`say in ${locale} what the library makes of each text, with arguments of words and numbers`, () => {
      const catalogue = catalogueOf(locale)
      for (const [key, text] of Object.entries(read(locale))) {
        const names = [...text.matchAll(/\{(\w+)/gu)].map(([, name = '']) => name)
        const library = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
        for (const count of [0, 1, 2]) {
          const values = Object.fromEntries(
            names.map((name, at) => [name, at % 2 === 0 ? count : name]),
          )
          expect(catalogue.text(key, values), key).to.equal(String(library.format(values)))
        }
      }
    })
  }

  it('are chosen by the language of a tag, English for one that is not there', () => {
    const cases = [
      ['fr-CA', 'fr'],
      ['de', 'de'],
      ['nl', 'en'],
      ['', 'en'],
    ] as const
    for (const [tag, locale] of cases) expect(catalogueOf(tag).locale, tag).to.equal(locale)
  })

  for (const locale of MAIL_LOCALES) {
    const texts = read(locale)

    it(`${locale} has the keys of English, in the same order`, () => {
      expect(Object.keys(texts)).to.deep.equal(Object.keys(english))
    })

    it(`${locale} has the arguments of English in every text, and their choices`, () => {
      for (const [key, text] of Object.entries(english))
        expect(argumentsOf(texts[key] ?? '', locale), key).to.deep.equal(argumentsOf(text, 'en'))
    })

    it(`${locale} leaves no text empty, and has no mark-up or link of its own`, () => {
      for (const [key, text] of Object.entries(texts)) {
        expect(text.trim(), key).to.equal(text).and.not.equal('')
        expect(text, key).to.not.match(/[<>]|https?:|www\./)
      }
    })

    if (locale === 'fr') {
      it('fr has its spaces, and no line can break there', () => {
        for (const [key, text] of Object.entries(texts)) {
          expect(frenchFaults(text), key).to.deep.equal([])
        }
      })
    }

    it(`${locale} has none of the words that readers stopped at`, () => {
      const words = (FORMER_WORDS[locale] ?? []).map((word) => word.toLowerCase())
      expect(words).to.not.be.empty
      const found = Object.entries(texts).flatMap(([key, text]) =>
        words.filter((word) => text.toLowerCase().includes(word)).map((word) => `${key}: ${word}`),
      )
      expect(found).to.deep.equal([])
    })

    it(`${locale} keeps subjects and preheaders short, codes and names out of them`, () => {
      const heads = Object.entries(texts).filter(([key]) => /\.(subject|preheader)$/.test(key))
      for (const [key, text] of heads) {
        expect(text.length, key).to.be.at.most(90)
        expect(argumentsOf(text, locale), key).to.satisfy((names: string[]) =>
          names.every((name) => name === 'domain:1'),
        )
      }
    })
  }
})

function read(locale: string): Record<string, string> {
  const content: unknown = JSON.parse(readFileSync(`${FOLDER}/${locale}.json`, 'utf8'))
  return content as Record<string, string> // Our own file; a value that is no text fails below.
}

/** Names of the arguments of an ICU text, with the kind of each and the choices that depend on no language. */
function argumentsOf(text: string, locale: string): string[] {
  const found = new Set<string>()
  const visit = (nodes: readonly AstNode[]): void => {
    for (const node of nodes) {
      if (node.type >= 1 && node.type <= 6) found.add(`${node.value}:${node.type}`)
      for (const [name, option] of Object.entries(node.options ?? {})) {
        // A plural has the categories of its language, and the same exact numbers everywhere.
        if (node.type === 5 || name.startsWith('=')) found.add(`${node.value}:${node.type}:${name}`)
        visit(option.value)
      }
    }
  }
  const format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
  visit(format.getAst() as unknown as AstNode[]) // See AstNode.
  return [...found].sort()
}
