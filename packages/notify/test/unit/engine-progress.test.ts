import { expect } from 'chai'
import fc from 'fast-check'
import type { ChannelOutcome } from '../../src/channels/channel.ts'
import { afterAttempt, expiryOf, type RetryPlan, withChannels } from '../../src/engine/progress.ts'
import {
  channelOrder,
  currentChannel,
  type NotificationRecord,
} from '../../src/outbox/notification.ts'
import { CHANNEL_DELAYS_MS, ROUND_DELAYS_MS } from '../../src/lifetimes.ts'

const PLAN: RetryPlan = {
  channelDelays: CHANNEL_DELAYS_MS,
  roundDelays: ROUND_DELAYS_MS,
  random: () => 0.5,
}
const NOW = 1_000_000

function record(changes: Partial<NotificationRecord> = {}): NotificationRecord {
  const posted: NotificationRecord = {
    id: 'one',
    sourceId: 'svc/app/bank/balance/',
    originator: 'app',
    owner: 'bank',
    postedBy: 'io.svc.apps/bank',
    category: 'balance',
    title: 'Hello',
    preferredChannels: ['mobile', 'sms'],
    flags: { collapsible: false, stateful: false, multiple: false, sensitive: false },
    version: 1,
    createdAt: NOW,
    scheduledAt: NOW,
    lastSentAt: NOW,
    dueAt: NOW,
    status: 'sending',
    round: 0,
    progress: {},
    attempts: [],
    crashes: 0,
    lease: { token: 'mine', until: NOW + 60_000 },
    ...changes,
  }
  return withChannels(posted, channelOrder(posted))
}

function attempt(
  before: NotificationRecord,
  outcome: ChannelOutcome,
  plan: RetryPlan = PLAN,
): NotificationRecord {
  const name = currentChannel(before)
  if (name === undefined) throw new Error('nothing is left to try')
  return afterAttempt(before, name, outcome, NOW, plan)
}

describe('what an attempt makes of a notification (notifications.md 10.1 to 10.5)', () => {
  it('puts mail last unless it was named, and drops repeats', () => {
    expect(channelOrder(record())).to.deep.equal(['mobile', 'sms', 'mail'])
    const given = record({ preferredChannels: ['mail', 'sms', 'mail'] })
    expect(channelOrder(given)).to.deep.equal(['mail', 'sms'])
  })

  it('waits 1 s, 5 s and 25 s between the tries of a channel', () => {
    let now = record()
    for (const delay of [1000, 5000, 25_000]) {
      now = attempt(now, { class: 'transient' })
      expect(now).to.include({ status: 'queued', dueAt: NOW + delay })
      expect(now.lease).to.equal(undefined)
      expect(currentChannel(now)).to.equal('mobile')
    }
    now = attempt(now, { class: 'transient' })
    expect(currentChannel(now)).to.equal('sms')
  })

  it('varies a delay by a fifth at most', () => {
    for (const [random, delay] of [
      [0, 800],
      [1, 1200],
    ] as const) {
      const next = attempt(record(), { class: 'transient' }, { ...PLAN, random: () => random })
      expect(next.dueAt - NOW).to.equal(delay)
    }
  })

  it('takes what the other side asks for instead, up to 60 s', () => {
    const asked = (retryAfterMs: number) => attempt(record(), { class: 'transient', retryAfterMs })
    expect(asked(60_000)).to.include({ status: 'queued', dueAt: NOW + 60_000 })
    expect(currentChannel(asked(60_001))).to.equal('sms')
    expect(asked(60_001).lease?.token).to.equal('mine')
  })

  it('begins rounds after 1 min, 5 min, 30 min, 2 h and 6 h, then fails', () => {
    const impatient = { ...PLAN, channelDelays: [] }
    let now = record({ preferredChannels: [] })
    for (const minutes of [1, 5, 30, 120, 360]) {
      now = attempt(now, { class: 'config', code: 'smtp_off' }, impatient)
      expect(now).to.include({ status: 'queued', dueAt: NOW + minutes * 60_000 })
    }
    now = attempt(now, { class: 'transient', code: 'smtp_451' }, impatient)
    expect(now).to.include({ status: 'failed', reason: 'mail transient smtp_451' })
    expect(now.finishedAt).to.equal(NOW)
  })

  it('leaves a channel that can never work out of later rounds', () => {
    let now = record({ preferredChannels: ['mobile'] })
    now = attempt(now, { class: 'permanent', code: 'no_device' })
    now = attempt(now, { class: 'config', code: 'smtp_off' })
    expect(now.round).to.equal(1)
    expect(currentChannel(now)).to.equal('mail')
    now = attempt(now, { class: 'permanent', code: 'no_email' })
    expect(now).to.include({
      status: 'failed',
      reason: 'mobile permanent no_device, mail permanent no_email',
    })
  })

  it('never waits past the end of its time to live', () => {
    const flags = { ...record().flags, ttlMs: 600 }
    const waiting = attempt(record({ flags }), { class: 'transient' })
    expect(waiting.dueAt).to.equal(NOW + 600)
    expect(expiryOf(waiting)).to.equal(NOW + 600)
    expect(expiryOf(record())).to.equal(Number.POSITIVE_INFINITY)
  })

  it('ends, whatever channels answer, with bounded attempts and no lease', () => {
    const outcome = fc.record({
      class: fc.constantFrom('permanent' as const, 'transient' as const, 'config' as const),
      retryAfterMs: fc.integer({ min: 0, max: 120_000 }),
    })
    fc.assert(
      fc.property(fc.infiniteStream(outcome), (outcomes) => {
        let now = record()
        for (const next of outcomes) {
          now = attempt(now, next)
          if (now.status === 'failed') break
        }
        expect(now.lease).to.equal(undefined)
        // 3 channels, 4 tries each, 6 rounds.
        expect(now.attempts.length).to.be.at.most(72)
        expect(now.round).to.be.at.most(5)
      }),
      { numRuns: 200 },
    )
  })
})
