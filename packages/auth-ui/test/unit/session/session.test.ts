import { DAY_MS, MINUTE_MS } from '@svc/platform'
import { expect } from 'chai'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import {
  cookieMaxAgeMs,
  isUpgrade,
  needsTouch,
  parseSessionId,
  type Session,
  type SessionId,
  sessionEnd,
} from '../../../src/session/session.ts'

const session = (kind: Session['kind'], lastSeen = 0): Session => ({
  id: '0123456789abcdef0123456789abcdef' as SessionId,
  kind,
  method: 'password',
  createdAt: 0,
  lastSeen,
})

describe('sessionEnd', () => {
  const cases: readonly [Session['kind'], lastSeenDay: number, endDay: number][] = [
    ['normal', 0, 30],
    ['normal', 20, 30],
    ['long', 0, 30],
    ['long', 20, 50],
    ['long', 380, 400],
  ]
  for (const [kind, lastSeenDay, endDay] of cases) {
    it(`is day ${endDay} for a ${kind} session last seen on day ${lastSeenDay}`, () => {
      const end = sessionEnd(session(kind, lastSeenDay * DAY_MS), DEFAULT_LIFETIMES)
      expect(end).to.equal(endDay * DAY_MS)
    })
  }

  it('is five minutes after its creation for a short session, used or not', () => {
    expect(sessionEnd(session('short', MINUTE_MS), DEFAULT_LIFETIMES)).to.equal(5 * MINUTE_MS)
  })
})

describe('needsTouch', () => {
  it('is at most once in 24 hours, and never for a short session', () => {
    expect(needsTouch(session('normal'), DAY_MS - 1, DEFAULT_LIFETIMES)).to.equal(false)
    expect(needsTouch(session('normal'), DAY_MS, DEFAULT_LIFETIMES)).to.equal(true)
    expect(needsTouch(session('long'), DAY_MS, DEFAULT_LIFETIMES)).to.equal(true)
    expect(needsTouch(session('short'), DAY_MS, DEFAULT_LIFETIMES)).to.equal(false)
  })
})

describe('cookieMaxAgeMs', () => {
  it('is 300 s, none, and 400 days', () => {
    expect(cookieMaxAgeMs('short', DEFAULT_LIFETIMES)).to.equal(300_000)
    expect(cookieMaxAgeMs('normal', DEFAULT_LIFETIMES)).to.equal(undefined)
    expect(cookieMaxAgeMs('long', DEFAULT_LIFETIMES)).to.equal(34_560_000_000)
  })
})

describe('isUpgrade', () => {
  it('replaces a short session only, by a normal or long one', () => {
    const kinds = ['short', 'normal', 'long'] as const
    const upgrades = kinds.flatMap((live) =>
      kinds.filter((asked) => isUpgrade(live, asked)).map((asked) => `${live} ${asked}`),
    )
    expect(upgrades).to.deep.equal(['short normal', 'short long'])
  })
})

describe('parseSessionId', () => {
  it('takes 32 lower-case hexadecimal characters only', () => {
    expect(parseSessionId('0123456789abcdef0123456789abcdef')).to.be.a('string')
    for (const text of ['', 'x', '0123456789ABCDEF0123456789ABCDEF', `${'0'.repeat(32)}\n`]) {
      expect(parseSessionId(text), JSON.stringify(text)).to.equal(undefined)
    }
  })
})
