import { readFileSync } from 'node:fs'
import { ACTIVITY_EVENTS } from '@svc/platform'
import { expect } from 'chai'

const LOCALES = ['de', 'en', 'es', 'fr']
/** What may stand behind the name of an event: the sentence for an entry with a name, a count or another actor. */
const MORE = /^(?:\.(?:named|many|idle|operator|owner|client|app))*(?:_[a-z]+)?$/

function catalogue(locale: string): Readonly<Record<string, string>> {
  const file = new URL(`../../settings-app/locales/${locale}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>
}

describe('sentences of the record of activity', () => {
  for (const locale of LOCALES) {
    it(`are there for every event in ${locale}`, () => {
      const keys = Object.keys(catalogue(locale))
      const silent = [...ACTIVITY_EVENTS.keys()].filter((event) => {
        const prefix = `activity.event.${event}`
        return !keys.some((key) => key.startsWith(prefix) && MORE.test(key.slice(prefix.length)))
      })
      expect(silent).to.deep.equal([])
    })
  }
})
