import { DAY_MS } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { readAt } from '../../../src/intake/at.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'

const NOW = Date.parse('2026-03-20T12:00:00Z')

const read = (text: string, zone = 'UTC', now = NOW) => readAt(text, zone, now, DEFAULT_LIFETIMES)
const codeOf = (text: string, zone?: string) => {
  const result = read(text, zone)
  return 'code' in result ? result.code : 'fine'
}

describe('at (notifications.md 11, D36)', () => {
  const good: readonly (readonly [string, string, string, string])[] = [
    ['UTC', '2026-03-21T08:00:00Z', 'Europe/Paris', '2026-03-21T08:00:00.000Z'],
    ['an offset', '2026-03-21T08:00:00+05:30', 'Europe/Paris', '2026-03-21T02:30:00.000Z'],
    ['a negative offset', '2026-03-21T08:00:00-08:00', 'UTC', '2026-03-21T16:00:00.000Z'],
    ['a fraction', '2026-03-21T08:00:00.25Z', 'UTC', '2026-03-21T08:00:00.250Z'],
    ['small letters', '2026-03-21t08:00:00z', 'UTC', '2026-03-21T08:00:00.000Z'],
    ['no seconds', '2026-03-21T08:00Z', 'UTC', '2026-03-21T08:00:00.000Z'],
    ['a leap second', '2026-03-21T23:59:60Z', 'UTC', '2026-03-21T23:59:59.000Z'],
    ['no offset', '2026-03-21T08:00:00', 'Europe/Paris', '2026-03-21T07:00:00.000Z'],
    ['no offset in summer', '2026-07-01T08:00:00', 'Europe/Paris', '2026-07-01T06:00:00.000Z'],
    ['no offset, no zone', '2026-03-21T08:00:00', 'UTC', '2026-03-21T08:00:00.000Z'],
    ['a date alone', '2026-03-22', 'Europe/Paris', '2026-03-21T23:00:00.000Z'],
    ['a date in the west', '2026-03-22', 'America/New_York', '2026-03-22T04:00:00.000Z'],
    ['a time the clocks skip', '2026-03-29T02:30', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
    ['a time that comes twice', '2026-10-25T02:30', 'Europe/Paris', '2026-10-25T00:30:00.000Z'],
    ['a day without midnight', '2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  ]
  for (const [what, text, zone, expected] of good) {
    it(`reads ${what}`, () => {
      const result = read(text, zone)
      expect('instant' in result && new Date(result.instant).toISOString()).to.equal(expected)
    })
  }

  it('rounds parts of a millisecond up, so that nothing is sent before its time', () => {
    expect(read('2026-03-21T08:00:00.000000001Z')).to.deep.equal({
      instant: Date.parse('2026-03-21T08:00:00.001Z'),
    })
  })

  const bad = [
    '',
    'tomorrow',
    '2026-02-30T08:00:00Z',
    '2026-02-30',
    '2026-13-01',
    '2026-03-21T25:00:00Z',
    '2026-03-21T08:60:00Z',
    '2026-03-21T08:00:00+25:00',
    '2026-03-21 08:00:00Z',
    '2026-03-21T08:00:00 Z',
    '2026-03-21T08',
    '2026-03-21T08:00:00[Europe/Paris]',
    '20260321T080000Z',
    '+002026-03-21T08:00:00Z',
    '1774080000',
    ' 2026-03-21',
    '2026-03-21\n',
  ]
  for (const text of bad) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(codeOf(text)).to.equal('invalid_at'))
  }

  it('takes what is up to 24 hours old, and no more', () => {
    expect(codeOf(new Date(NOW - DAY_MS).toISOString())).to.equal('fine')
    expect(codeOf(new Date(NOW - DAY_MS - 1).toISOString())).to.equal('at_too_old')
  })

  it('takes what is up to 366 days ahead, and no more', () => {
    expect(codeOf(new Date(NOW + 366 * DAY_MS).toISOString())).to.equal('fine')
    expect(codeOf(new Date(NOW + 366 * DAY_MS + 1).toISOString())).to.equal('at_too_far')
  })
})
