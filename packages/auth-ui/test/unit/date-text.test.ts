import { dateText } from '@svc/platform'
import { expect } from 'chai'

/** What browsers load; it has no types of its own. */
const url = new URL('../../app-kit/_kit/dates.js', import.meta.url).href
const { dateText: inBrowsers } = (await import(url)) as {
  dateText(locale: string, options: Intl.DateTimeFormatOptions, at: Date): string
}

const FIRST = Date.UTC(2026, 0, 1, 13, 5)
const ELEVENTH = Date.UTC(2026, 10, 11)
const DATES: readonly (readonly [locale: string, at: number, long: string])[] = [
  ['fr', FIRST, '1er janvier 2026'],
  ['fr-CA', FIRST, '1er janvier 2026'],
  ['fr', ELEVENTH, '11 novembre 2026'],
  ['de', FIRST, '1. Januar 2026'],
  ['es', FIRST, '1 de enero de 2026'],
  ['en', FIRST, 'January 1, 2026'],
  ['en-GB', FIRST, '1 January 2026'],
]

describe('a date in words', () => {
  for (const [locale, at, long] of DATES) {
    it(`is ${long} in ${locale}, on pages of the server and of apps`, () => {
      const options = { dateStyle: 'long', timeZone: 'UTC' } as const
      expect(dateText(locale, options, at)).to.equal(long)
      expect(inBrowsers(locale, options, new Date(at))).to.equal(long)
    })
  }

  it('leaves numbers, clocks and other languages as they are', () => {
    for (const locale of ['fr', 'de', 'es', 'en', 'ar', 'pt']) {
      for (const options of [
        { dateStyle: 'short', timeZone: 'UTC' },
        { timeStyle: 'short', timeZone: 'UTC' },
      ] as const) {
        const plain = new Intl.DateTimeFormat(locale, options).format(FIRST)
        expect(dateText(locale, options, FIRST)).to.equal(plain)
        expect(inBrowsers(locale, options, new Date(FIRST))).to.equal(plain)
      }
    }
    const full = { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' } as const
    expect(dateText('fr', full, FIRST)).to.match(/^jeudi 1er janvier 2026/)
  })
})
