import { DAY_MS } from '@svc/platform'
import { expect } from 'chai'
import fc from 'fast-check'
import { describe, it } from 'mocha'
import { readAt } from '../../../src/intake/at.ts'
import { canonicalJson } from '../../../src/intake/idempotency.ts'
import { sourceIdOf } from '../../../src/intake/new-record.ts'
import { createKeyedQueue } from '../../../src/intake/posting.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import { isNotificationId, notificationId } from '../../../src/outbox/notification.ts'

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

const of = (categoryId?: string, owner = 'bank') =>
  sourceIdOf('svc', {
    originator: 'app',
    owner,
    category: 'balance',
    ...(categoryId !== undefined && { categoryId }),
  })

describe('source_id (notifications.md 6)', () => {
  it('encodes slashes, percent signs and control characters, and nothing else', () => {
    expect(of('b/c')).to.equal('svc/app/bank/balance/b%2Fc')
    expect(of('b%2Fc')).to.equal('svc/app/bank/balance/b%252Fc')
    expect(of('a\u0001é ü?#&=😀')).to.equal('svc/app/bank/balance/a%01é ü?#&=😀')
  })

  it('is another one for every other sub-category', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(of(a) === of(b)).to.equal(a === b)
        expect(of(a).split('/')).to.have.length(5)
      }),
    )
  })
})

describe('ids of notifications (RFC 9562)', () => {
  it('are lower-case UUIDs of version 7 that begin with their time', () => {
    const now = Date.parse('2026-11-22T08:00:00.123Z')
    const id = notificationId(now)
    expect(isNotificationId(id)).to.equal(true)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(now)
  })

  it('are never the same', () => {
    const ids = Array.from({ length: 1000 }, () => notificationId(1))
    expect(new Set(ids).size).to.equal(1000)
  })

  it('are told from everything else', () => {
    const id = notificationId(Date.now())
    for (const other of ['', 'preferences', id.toUpperCase(), `${id} `, `{${id}}`, id.slice(1)]) {
      expect(isNotificationId(other), other).to.equal(false)
    }
    expect(isNotificationId('01a20245-0834-4752-8507-1002c8e7100d')).to.equal(false)
  })
})

describe('canonical JSON', () => {
  it('depends on everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(JSON.parse(canonicalJson(a))).to.deep.equal(JSON.parse(JSON.stringify(a)))
        if (JSON.stringify(a) === JSON.stringify(b)) {
          expect(canonicalJson(a)).to.equal(canonicalJson(b))
        }
      }),
    )
  })

  it('keeps members with names of objects', () => {
    const value: unknown = JSON.parse('{"constructor":1,"__proto__":{"b":1,"a":2}}')
    expect(canonicalJson(value)).to.equal('{"__proto__":{"a":2,"b":1},"constructor":1}')
  })
})

describe('turns', () => {
  it('run the tasks of a key one after the other, in order, whatever became of them', async () => {
    const inTurn = createKeyedQueue()
    const seen: string[] = []
    const task = (name: string, fails = false) =>
      inTurn('a', async () => {
        seen.push(`begin ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(`end ${name}`)
        if (fails) throw new Error(name)
        return name
      })
    const results = await Promise.allSettled([task('1'), task('2', true), task('3')])
    expect(seen).to.deep.equal(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await task('4')).to.equal('4')
  })

  it('of other keys do not wait', async () => {
    const inTurn = createKeyedQueue()
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = inTurn('a', () => promise)
    expect(await inTurn('b', async () => 'b')).to.equal('b')
    resolve('a')
    expect(await first).to.equal('a')
  })
})
