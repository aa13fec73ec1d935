import { expect } from 'chai'
import fc from 'fast-check'
import type { AccountTypeEntry } from '../../../src/account-types/account-type.ts'
import { checkEntry } from '../../../src/account-types/check-entry.ts'
import { createEntryReader } from '../../../src/account-types/entry-reader.ts'
import { entrySchema } from '../../../src/account-types/entry.schema.ts'
import { recordedLog } from '../../support/recorded-log.ts'

const MARK = 's3cret-value'
const FIELDS = Object.keys(entrySchema['properties'] as object)

/** Any JSON, with the mark in its texts. */
const odd = fc
  .jsonValue({ maxDepth: 3 })
  .map(
    (value) =>
      JSON.parse(
        JSON.stringify(value, (_, inner: unknown) =>
          typeof inner === 'string' ? `${MARK}${inner}` : inner,
        ),
      ) as unknown,
  )
const oddEntry = fc.dictionary(fc.constantFrom(...FIELDS, 'redirect_url', 'future'), odd)

describe('odd entries', () => {
  const good = { _id: 'bank', preset: 'google', client_id: 'id', client_secret: 'secret' }

  it('are refused without an exception and without a word of what they hold', () => {
    fc.assert(
      fc.property(fc.oneof(odd, oddEntry), (value) => {
        const { faults } = checkEntry(value)
        for (const { reason } of faults) expect(reason).not.to.include(MARK)
      }),
      { numRuns: 500 },
    )
  })

  it('leave only right fields, which are accepted again', () => {
    fc.assert(
      fc.property(oddEntry, (fields) => {
        const { entry } = checkEntry({ ...good, ...fields, _id: 'bank' })
        const again = checkEntry(entry).faults.filter(({ reason }) => !reason.includes('missing'))
        expect(again).to.deep.equal([])
      }),
      { numRuns: 500 },
    )
  })

  it('never keep a type from being read', () => {
    const reader = createEntryReader({ log: recordedLog() })
    fc.assert(
      fc.property(oddEntry, (fields) => {
        // What another version stored is anything.
        const type = reader.read('bank', { ...good, ...fields } as AccountTypeEntry)
        expect(type.id).to.equal('bank')
        for (const url of [type.authEndpoint, type.tokenEndpoint, type.issuer]) {
          if (url !== undefined) expect(url).to.match(/^https:/)
        }
      }),
      { numRuns: 500 },
    )
  })
})
