import { HOUR_MS } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { decideState, isComparable } from '../../../src/intake/state-rules.ts'
import type { NotificationRecord, NotificationStatus } from '../../../src/outbox/notification.ts'

function last(fields: Partial<NotificationRecord>): NotificationRecord {
  const record = { state: 'old', status: 'sent', createdAt: 0, lastSentAt: 0, ...fields }
  return record as NotificationRecord // the members that the rules look at
}

const decide = (
  state: string,
  before: NotificationRecord | undefined,
  context: { now?: number; minIntervalMs?: number; isCleared?: boolean } = {},
) => decideState(state, before, { now: 10 * HOUR_MS, isCleared: false, ...context })

describe('what a new state is compared with (7.1, D36)', () => {
  const statuses: Readonly<Record<NotificationStatus, boolean>> = {
    scheduled: true,
    queued: true,
    sending: true,
    sent: true,
    skipped: false,
    collapsed: false,
    expired: false,
    failed: false,
    cancelled: false,
  }
  for (const [status, expected] of Object.entries(statuses)) {
    it(`${expected ? 'is' : 'is not'} a notification that is ${status}`, () => {
      // Keys of our own table.
      expect(isComparable(last({ status: status as NotificationStatus }))).to.equal(expected)
    })
  }

  it('is one that says that an alert is over', () => {
    expect(isComparable(last({ status: 'skipped', reason: 'state_cleared' }))).to.equal(true)
    expect(isComparable(last({ status: 'skipped', reason: 'min_interval' }))).to.equal(false)
    expect(isComparable(last({ status: 'skipped', reason: 'muted' }))).to.equal(false)
  })
})

describe('what becomes of a new state (7)', () => {
  it('is sent when there is none before', () => {
    expect(decide('new', undefined, { minIntervalMs: HOUR_MS })).to.deep.equal({ kind: 'send' })
  })

  it('is nothing new when it is the same, however long ago', () => {
    expect(decide('old', last({}))).to.deep.equal({ kind: 'same' })
    expect(decide('old', last({}), { minIntervalMs: 1 })).to.deep.equal({ kind: 'same' })
  })

  it('is sent when it differs', () => {
    expect(decide('new', last({}))).to.deep.equal({ kind: 'send' })
  })

  it('is skipped within the interval since the last one was sent, and sent from its end on', () => {
    const before = last({ createdAt: HOUR_MS, lastSentAt: 9 * HOUR_MS })
    const expected = { kind: 'skip', reason: 'min_interval', lastSentAt: 9 * HOUR_MS }
    expect(decide('new', before, { minIntervalMs: HOUR_MS + 1 })).to.deep.equal(expected)
    expect(decide('new', before, { minIntervalMs: HOUR_MS })).to.deep.equal({ kind: 'send' })
  })

  it('is never sent when it says that an alert is over', () => {
    expect(decide('false', undefined, { isCleared: true })).to.deep.equal({
      kind: 'skip',
      reason: 'state_cleared',
    })
    expect(decide('false', last({ lastSentAt: 5 }), { isCleared: true })).to.deep.equal({
      kind: 'skip',
      reason: 'state_cleared',
      lastSentAt: 5,
    })
  })

  it('counts the interval from the alert, not from its end', () => {
    const cleared = { state: 'false', status: 'skipped', reason: 'state_cleared' } as const
    const after = last({ ...cleared, createdAt: 9 * HOUR_MS, lastSentAt: HOUR_MS })
    expect(decide('true', after, { minIntervalMs: 9 * HOUR_MS })).to.deep.equal({ kind: 'send' })
    expect(decide('true', after, { minIntervalMs: 9 * HOUR_MS + 1 })).to.include({ kind: 'skip' })
    const neverSent = last({ ...cleared, createdAt: 9 * HOUR_MS, lastSentAt: 9 * HOUR_MS })
    expect(decide('true', neverSent, { minIntervalMs: 7 * 24 * HOUR_MS })).to.deep.equal({
      kind: 'send',
    })
  })
})
