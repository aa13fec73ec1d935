import { parseCategories } from '@svc/oauth-core'
import { expect } from 'chai'
import { digestTime, isDigestInterval } from '../../../src/preferences/digest-times.ts'
import { applyPatch } from '../../../src/preferences/patch.ts'
import { MAX_CATEGORIES, NO_PREFERENCES } from '../../../src/preferences/preferences.ts'
import { quietUntil } from '../../../src/preferences/quiet-hours.ts'
import type { NotificationSource } from '../../../src/preferences/sources.ts'
import { isTimeZone, nextTime, timeOnDay, zoneOf } from '../../../src/preferences/zoned-time.ts'

const at = (iso: string): number => Date.parse(iso)
const iso = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString()

describe('times of day in the zone of the owner', () => {
  const next: readonly (readonly [now: string, zone: string, time: string, expected: string])[] = [
    ['2026-01-10T10:00:00Z', 'UTC', '12:30', '2026-01-10T12:30:00.000Z'],
    ['2026-01-10T12:30:00Z', 'UTC', '12:30', '2026-01-11T12:30:00.000Z'],
    ['2026-01-10T10:00:00Z', 'Europe/Paris', '11:30', '2026-01-10T10:30:00.000Z'],
    ['2026-01-10T23:30:00Z', 'Asia/Tokyo', '08:00', '2026-01-11T23:00:00.000Z'],
    // Clocks jump from 02:00 to 03:00.
    ['2026-03-28T23:30:00Z', 'Europe/Paris', '02:30', '2026-03-29T01:00:00.000Z'],
    ['2026-03-28T23:30:00Z', 'Europe/Paris', '03:00', '2026-03-29T01:00:00.000Z'],
    // Clocks fall back from 03:00 to 02:00: the first 02:30 counts.
    ['2026-10-24T23:00:00Z', 'Europe/Paris', '02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T00:45:00Z', 'Europe/Paris', '02:30', '2026-10-26T01:30:00.000Z'],
    // A zone that skips a whole day: at the jump.
    ['2011-12-30T09:00:00Z', 'Pacific/Apia', '10:00', '2011-12-30T10:00:00.000Z'],
  ]
  for (const [now, zone, time, expected] of next) {
    it(`${time} in ${zone} after ${now} is ${expected}`, () => {
      expect(iso(nextTime(at(now), zone, time))).to.equal(expected)
    })
  }

  it('knows the time of other days', () => {
    const noon = at('2026-01-10T12:00:00Z')
    expect(iso(timeOnDay(noon, 'UTC', 0, '12:00'))).to.equal('2026-01-10T12:00:00.000Z')
    expect(iso(timeOnDay(noon, 'Asia/Tokyo', -1, '12:00'))).to.equal('2026-01-09T03:00:00.000Z')
  })

  it('takes UTC for a zone that nobody knows', () => {
    expect(isTimeZone('Europe/Paris')).to.equal(true)
    expect(isTimeZone('Mars/Olympus')).to.equal(false)
    expect(zoneOf({ timeZone: 'Mars/Olympus' })).to.equal('UTC')
    expect(zoneOf({})).to.equal('UTC')
  })
})

describe('quiet hours', () => {
  const night = { start: '22:00', end: '07:00' }
  const rows: readonly (readonly [now: string, zone: string, expected: string | undefined])[] = [
    ['2026-01-10T21:59:59Z', 'UTC', undefined],
    ['2026-01-10T22:00:00Z', 'UTC', '2026-01-11T07:00:00.000Z'],
    ['2026-01-11T06:59:59Z', 'UTC', '2026-01-11T07:00:00.000Z'],
    ['2026-01-11T07:00:00Z', 'UTC', undefined],
    ['2026-01-10T21:30:00Z', 'Europe/Paris', '2026-01-11T06:00:00.000Z'],
    // The night that is an hour shorter, and the one that is an hour longer.
    ['2026-03-28T21:30:00Z', 'Europe/Paris', '2026-03-29T05:00:00.000Z'],
    ['2026-03-29T04:59:59Z', 'Europe/Paris', '2026-03-29T05:00:00.000Z'],
    ['2026-03-29T05:00:00Z', 'Europe/Paris', undefined],
    ['2026-10-24T20:30:00Z', 'Europe/Paris', '2026-10-25T06:00:00.000Z'],
    ['2026-10-25T05:30:00Z', 'Europe/Paris', '2026-10-25T06:00:00.000Z'],
    ['2026-10-25T06:00:00Z', 'Europe/Paris', undefined],
  ]
  for (const [now, zone, expected] of rows) {
    it(`from 22:00 to 07:00 in ${zone}: at ${now} ${expected === undefined ? 'there are none' : `silent until ${expected}`}`, () => {
      expect(iso(quietUntil(at(now), zone, night))).to.equal(expected)
    })
  }

  it('begin and end at the jump when the night skips their time', () => {
    const skipped = { start: '02:30', end: '04:00' }
    const jump = at('2026-03-29T01:00:00Z')
    expect(quietUntil(jump - 1, 'Europe/Paris', skipped)).to.equal(undefined)
    expect(iso(quietUntil(jump, 'Europe/Paris', skipped))).to.equal('2026-03-29T02:00:00.000Z')
    const ending = { start: '01:00', end: '02:30' }
    expect(iso(quietUntil(jump - 1, 'Europe/Paris', ending))).to.equal('2026-03-29T01:00:00.000Z')
    expect(quietUntil(jump, 'Europe/Paris', ending)).to.equal(undefined)
  })

  it('that start and end in the repeated hour go on through its repetition', () => {
    const repeated = { start: '02:15', end: '02:45' }
    const first = at('2026-10-25T00:20:00Z')
    expect(iso(quietUntil(first, 'Europe/Paris', repeated))).to.equal('2026-10-25T00:45:00.000Z')
  })

  it('of the whole day leave no gap', () => {
    const always = { start: '08:00', end: '08:00' }
    for (const now of ['2026-01-10T07:59:59Z', '2026-01-10T08:00:00Z', '2026-01-10T20:00:00Z']) {
      expect(quietUntil(at(now), 'UTC', always), now).to.be.greaterThan(at(now))
    }
  })
})

describe('digests', () => {
  it('go out on quarters, full hours, or at a time of the day', () => {
    const now = at('2026-01-10T10:07:30Z')
    expect(iso(digestTime(now, 'UTC', '15m'))).to.equal('2026-01-10T10:15:00.000Z')
    expect(iso(digestTime(now, 'UTC', '1h'))).to.equal('2026-01-10T11:00:00.000Z')
    expect(iso(digestTime(now, 'Europe/Paris', 'daily@09:00'))).to.equal('2026-01-11T08:00:00.000Z')
    expect(iso(digestTime(at('2026-01-10T10:15:00Z'), 'UTC', '15m'))).to.equal(
      '2026-01-10T10:30:00.000Z',
    )
  })

  it('know their intervals', () => {
    for (const text of ['15m', '1h', 'daily@09:00', 'daily@23:59']) {
      expect(isDigestInterval(text), text).to.equal(true)
    }
    for (const text of ['', '2h', 'daily@24:00', 'daily@9:00', 'daily', '__proto__', 'toString']) {
      expect(isDigestInterval(text), text).to.equal(false)
    }
  })
})

const ZONE = 'Europe/Paris'

describe('quiet hours that a night skips (notifications.md 23.8)', () => {
  // Clocks jump from 02:00 to 03:00 at 01:00 UTC.
  const jump = at('2026-03-29T01:00:00Z')
  for (const hours of [
    { start: '02:15', end: '02:45' },
    { start: '02:00', end: '03:00' },
    { start: '02:30', end: '03:00' },
  ]) {
    it(`from ${hours.start} to ${hours.end} do not last until the next day`, () => {
      for (const now of [jump - 1, jump, jump + 1, jump + 3_600_000]) {
        expect(quietUntil(now, ZONE, hours)).to.equal(undefined)
      }
      // The night after it has them again.
      const next = at('2026-03-30T00:30:00Z')
      expect(quietUntil(next, ZONE, hours)).to.equal(
        at(`2026-03-30T${hours.end === '02:45' ? '00:45' : '01:00'}:00Z`),
      )
    })
  }

  it('from 03:00 to 02:30 last through the whole day, as on any other', () => {
    const hours = { start: '03:00', end: '02:30' }
    expect(quietUntil(jump, ZONE, hours)).to.equal(at('2026-03-30T00:30:00Z'))
    expect(quietUntil(jump - 1, ZONE, hours)).to.equal(jump)
  })
})

describe('zones that a runtime knows (D36)', () => {
  const odd = ['PST', 'IST', 'JST', 'CST', 'ACT', 'EST5EDT', 'Etc/GMT+5', '+01:00', 'europe/paris']

  it('tell the time, or are taken for none', () => {
    const now = at('2026-03-29T00:30:00Z')
    for (const timeZone of [...Intl.supportedValuesOf('timeZone'), ...odd]) {
      const zone = zoneOf({ timeZone })
      expect(zone).to.equal(isTimeZone(timeZone) ? timeZone : 'UTC')
      expect(nextTime(now, zone, '02:30'), timeZone).to.be.greaterThan(now)
    }
  })
})

const ID = 'io.svc.apps/bank'

describe('choices for categories that are gone (notifications.md 23.2)', () => {
  it('give way when there are too many of them, those that are declared stay', () => {
    let current = NO_PREFERENCES
    for (let version = 0; version < 5; version += 1) {
      const names = Array.from({ length: 40 }, (_, number) => `v${version}-${number}`)
      const { categories } = parseCategories(Object.fromEntries(names.map((name) => [name, {}])))
      const known: NotificationSource[] = [{ id: ID, kind: 'app', name: 'Bank', categories }]
      const channels = { mail: false }
      const patch = { sources: [{ id: ID, categories: names.map((name) => ({ name, channels })) }] }
      current = applyPatch(current, patch, known)
      const chosen = Object.keys(current.sources[ID]?.categories ?? {})
      expect(chosen).to.include.members(names)
      expect(chosen.length).to.be.at.most(MAX_CATEGORIES)
    }
  })
})
