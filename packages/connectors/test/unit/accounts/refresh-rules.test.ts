import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { AccountDocument, StoredOAuth } from '../../../src/accounts/account.ts'
import { lostSince, nextRefresh } from '../../../src/accounts/refresh-plan.ts'
import {
  afterFailure,
  afterSuccess,
  NO_STATE,
  type RefreshState,
  wasRefreshedSince,
} from '../../../src/accounts/refresh-state.ts'
import { sampleType } from '../../support/sample-type.ts'

const START = Date.UTC(2026, 0, 1)

const instant = (ms: number): string => new Date(ms).toISOString()

function account(lifeMs: number | undefined, oauth: Partial<StoredOAuth> = {}): AccountDocument {
  return {
    _id: 'a',
    _rev: '1',
    account_type: 'bank',
    name: '',
    oauth: {
      refresh_token_encrypted: 'sealed',
      ...(lifeMs !== undefined && { expires_at: instant(START + lifeMs) }),
      refreshed_at: instant(START),
      refresh_seq: 3,
      status: 'connected',
      ...oauth,
    },
  }
}

const type = sampleType()
const next = (
  document: AccountDocument,
  of = type,
  state: RefreshState = NO_STATE,
): number | undefined => nextRefresh(document, of, state)

function margin(lifeMs: number, of = type): number {
  const when = next(account(lifeMs), of)
  if (when === undefined) throw new Error('there is no refresh')
  return START + lifeMs - when
}

describe('when an account is refreshed (8.7)', () => {
  it('is 15 minutes before the end of long lives, a fifth of the life before that of shorter ones', () => {
    expect(margin(DAY_MS)).to.be.within(0.9 * 15 * MINUTE_MS, 1.1 * 15 * MINUTE_MS)
    expect(margin(30 * MINUTE_MS)).to.be.within(0.9 * 6 * MINUTE_MS, 1.1 * 6 * MINUTE_MS)
  })

  it('is at least a minute before the end, and follows the margin of the type', () => {
    expect(margin(3 * MINUTE_MS)).to.be.within(0.9 * MINUTE_MS, 1.1 * MINUTE_MS)
    const own = sampleType({ refreshMarginMs: HOUR_MS })
    expect(margin(DAY_MS, own)).to.be.within(0.9 * HOUR_MS, 1.1 * HOUR_MS)
    expect(margin(DAY_MS, sampleType({ refreshMarginMs: 0 }))).to.be.within(54_000, 66_000)
  })

  it('is never in the first half of a life, whatever the margin: it would have no end', () => {
    expect(margin(HOUR_MS, sampleType({ refreshMarginMs: DAY_MS }))).to.equal(HOUR_MS / 2)
  })

  it('never comes for lives below two minutes, nor for ends that are unknown', () => {
    expect(next(account(119_000))).to.equal(undefined)
    expect(next(account(-HOUR_MS))).to.equal(undefined)
    expect(next(account(undefined))).to.equal(undefined)
    expect(next(account(HOUR_MS, { expires_at: 'soon' }))).to.equal(undefined)
  })

  it('never comes without a refresh token or token endpoint, or once the owner is needed', () => {
    const { refresh_token_encrypted: _, ...bare } = account(HOUR_MS).oauth!
    expect(next({ ...account(HOUR_MS), oauth: bare })).to.equal(undefined)
    expect(next(account(HOUR_MS), sampleType({ tokenEndpoint: undefined }))).to.equal(undefined)
    expect(next(account(HOUR_MS, { status: 'reconnect_required' }))).to.equal(undefined)
    expect(next(account(HOUR_MS, { status: 'disconnected' }))).to.equal(undefined)
  })

  it('is within a day of the last one where idle tokens die', () => {
    const kept = sampleType({ isKeptAlive: true })
    const wait = (document: AccountDocument): number => (next(document, kept) ?? 0) - START
    expect(wait(account(undefined))).to.be.within(0.9 * DAY_MS, DAY_MS)
    expect(wait(account(60 * DAY_MS))).to.be.within(0.9 * DAY_MS, DAY_MS)
    expect(wait(account(HOUR_MS))).to.be.below(HOUR_MS)
  })

  it('is the same however often it is asked, and not the same for all accounts', () => {
    const times = Array.from({ length: 20 }, (_, i) => next({ ...account(DAY_MS), _id: `${i}` }))
    expect(new Set(times).size).to.be.above(15)
    expect(times).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => next({ ...account(DAY_MS), _id: `${i}` })),
    )
  })

  describe('after failures (8.7.4)', () => {
    const failing = (count: number, more = {}): RefreshState => ({
      finished: count,
      failing: { sequence: 3, since: START, at: START + DAY_MS, count, ...more },
    })
    const pause = (state: RefreshState): number =>
      ((next(account(HOUR_MS), type, state) ?? 0) - START - DAY_MS) / MINUTE_MS

    it('waits 1, 5, 15, 60 minutes, then an hour each time', () => {
      const pauses = [1, 2, 3, 4, 5, 50].map((count) => pause(failing(count)))
      expect(pauses).to.deep.equal([1, 5, 15, 60, 60, 60])
    })

    it('waits as long as the provider wants, an hour at most', () => {
      expect(pause(failing(1, { retryAfterS: 600 }))).to.equal(10)
      expect(pause(failing(1, { retryAfterS: 86_400 }))).to.equal(60)
    })

    it('does not wait for failures of tokens that were replaced since', () => {
      expect(next(account(HOUR_MS), type, failing(4, { sequence: 2 }))).to.be.below(START + HOUR_MS)
    })

    it('does not come before it would have come without them', () => {
      expect(next(account(30 * DAY_MS), type, failing(1))).to.be.above(START + 29 * DAY_MS)
    })

    it('gives up after four days', () => {
      const { failing: four } = failing(9)
      expect(lostSince(four, START + 4 * DAY_MS)).to.equal(START)
      expect(lostSince(four, START + 4 * DAY_MS - 1)).to.equal(undefined)
      expect(lostSince(undefined, START)).to.equal(undefined)
    })
  })
})

describe('revisions of callers (8.3)', () => {
  const once = afterSuccess(NO_STATE, { replaced: '3-c', written: '4-d' }, 0)

  it('are old when a refresh replaced them', () => {
    expect(wasRefreshedSince(once, '4-d', '3-c')).to.equal(true)
    expect(wasRefreshedSince(once, '9-i', '3-c')).to.equal(true)
    const twice = afterSuccess(once, { replaced: '6-f', written: '7-g' }, 0)
    expect(wasRefreshedSince(twice, '9-i', '4-d')).to.equal(true)
    expect(wasRefreshedSince(twice, '9-i', '3-c')).to.equal(true)
  })

  it('are not old when they are those of the last refresh, or of now', () => {
    expect(wasRefreshedSince(once, '9-i', '4-d')).to.equal(false)
    expect(wasRefreshedSince(once, '9-i', '9-i')).to.equal(false)
    expect(wasRefreshedSince(NO_STATE, '2-b', '1-a')).to.equal(false)
  })

  it('that nobody remembers are old when nothing changed since the last refresh', () => {
    expect(wasRefreshedSince(once, '4-d', 'whatever')).to.equal(true)
  })

  it('that nobody remembers are told by their generation after an edit, when they have one', () => {
    expect(wasRefreshedSince(once, '6-f', '2-b')).to.equal(true)
    expect(wasRefreshedSince(once, '6-f', '5-e')).to.equal(false)
    expect(wasRefreshedSince(once, '6-f', 'whatever')).to.equal(false)
  })

  it('are remembered to a limit', () => {
    let state = NO_STATE
    for (let i = 0; i < 100; i += 1) {
      state = afterSuccess(state, { replaced: `r${i}`, written: `w${i}` }, 0)
    }
    expect(state.outdated).to.have.lengthOf(16)
  })
})

describe('failures of an account', () => {
  const failure = { class: 'unavailable' } as const

  it('are counted in a row, from the first, and end with success', () => {
    const first = afterFailure(NO_STATE, { failure, sequence: 1 }, 100)
    const second = afterFailure(first, { failure, sequence: 1 }, 200)
    expect(second).to.deep.include({ finished: 2, last: { at: 200, failure } })
    expect(second.failing).to.deep.equal({ sequence: 1, since: 100, at: 200, count: 2 })
    const revisions = { replaced: 'a', written: 'b' }
    expect(afterSuccess(second, revisions, 300)).to.deep.equal({
      finished: 3,
      last: { at: 300 },
      written: 'b',
      outdated: ['a'],
    })
  })

  it('begin anew with other tokens', () => {
    const first = afterFailure(NO_STATE, { failure, sequence: 1 }, 100)
    expect(afterFailure(first, { failure, sequence: 2 }, 200).failing?.count).to.equal(1)
  })

  it('are those of nobody who is asking any more', () => {
    const asking = { ...NO_STATE, asking: { since: 0, tokenHash: 'x' } }
    expect(afterFailure(asking, { failure, sequence: 1 }, 1)).to.not.have.property('asking')
  })
})
