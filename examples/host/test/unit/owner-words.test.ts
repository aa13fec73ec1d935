import { frenchFaults, longSentences, wordFaults } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { RECONNECT_TEXTS } from '../../src/accounts/reconnect-texts.ts'
import { permissionTexts } from '../../src/apps/permission-texts.ts'

/** Texts of the host that stand in code, by language. @see owner.md 6.5 */
const TEXTS = ['de', 'en', 'es', 'fr'].map(
  (locale) =>
    [
      locale,
      [
        ...Object.values(permissionTexts('org.example')).flatMap((byLocale) =>
          Object.values(byLocale[locale] ?? {}).map(String),
        ),
        RECONNECT_TEXTS[locale]?.title('Demo photos') ?? '',
        RECONNECT_TEXTS[locale]?.message ?? '',
      ],
    ] as const,
)

describe('words of the host', () => {
  for (const [locale, texts] of TEXTS) {
    it(`are those of the glossary, in short sentences, in ${locale}`, () => {
      expect(texts).to.not.include('')
      expect(texts.flatMap((text) => wordFaults(locale, text))).to.deep.equal([])
      expect(texts.flatMap(longSentences)).to.deep.equal([])
      if (locale === 'fr') expect(texts.flatMap(frenchFaults)).to.deep.equal([])
    })
  }
})
