import { expect } from 'chai'
import { quietUntil } from '../../../src/preferences/quiet-hours.ts'
import { isTimeZone, nextTime, zoneOf } from '../../../src/preferences/zoned-time.ts'

const ZONE = 'Europe/Paris'
const at = (iso: string): number => Date.parse(iso)

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
