import { createGate, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import type { ChannelOutcome } from '../../src/channels/channel.ts'
import { type Answer, createCircuitBreaker } from '../../src/circuit-breaker.ts'
import { afterAttempt, expiryOf, type RetryPlan, withChannels } from '../../src/engine/progress.ts'
import { ReadWriteLock } from '../../src/engine/read-write-lock.ts'
import { CHANNEL_DELAYS_MS, ROUND_DELAYS_MS } from '../../src/lifetimes.ts'
import {
  channelOrder,
  currentChannel,
  type NotificationRecord,
} from '../../src/outbox/notification.ts'
import { never } from '../support/sample-push.ts'
import { sampleRecord } from '../support/sample-record.ts'

const PLAN: RetryPlan = {
  channelDelays: CHANNEL_DELAYS_MS,
  roundDelays: ROUND_DELAYS_MS,
  random: () => 0.5,
}
const NOW = 1_000_000

function record(changes: Partial<NotificationRecord> = {}): NotificationRecord {
  const posted = sampleRecord({
    preferredChannels: ['mobile', 'sms'],
    createdAt: NOW,
    scheduledAt: NOW,
    lastSentAt: NOW,
    dueAt: NOW,
    lease: { token: 'mine', until: NOW + 60_000 },
    ...changes,
  })
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

function openRun(): { readonly run: () => Promise<void>; end(): void; isRunning(): boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isRunning = false
  return {
    async run() {
      isRunning = true
      await promise
      isRunning = false
    },
    end: resolve,
    isRunning: () => isRunning,
  }
}

/** Lets everything that is ready happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('runs that have to be alone', () => {
  it('come one after the other, and let go when they throw', async () => {
    const lock = new ReadWriteLock()
    const [first, second] = [openRun(), openRun()]
    const failing = lock.exclusive(async () => {
      await first.run()
      throw new Error('a mistake')
    })
    const next = lock.exclusive(second.run)
    await settle()
    expect([first.isRunning(), second.isRunning()]).to.deep.equal([true, false])
    first.end()
    let failure: unknown
    await failing.catch((error: unknown) => {
      failure = error
    })
    expect(failure).to.be.instanceOf(Error)
    await settle()
    expect(second.isRunning()).to.equal(true)
    second.end()
    await next
    expect(lock.isClosed()).to.equal(false)
  })
})

const PAUSE_MS = 5000

type Outcome = 'refused' | 'sent' | 'timeout'

function bench() {
  const clock = fakeClock()
  const breaker = createCircuitBreaker<string>({ clock })
  let asked = 0
  return {
    clock,
    asked: () => asked,
    call(
      server: string,
      ask: () => Promise<Outcome>,
      signal: AbortSignal = never(),
    ): Promise<Answer<Outcome>> {
      const isSilence = (end: Outcome | Error): boolean => end === 'timeout'
      return breaker.call(server, signal, () => ((asked += 1), ask()), isSilence)
    },
  }
}

const answers = (outcome: Outcome) => async (): Promise<Outcome> => outcome

describe('a server that says nothing (notifications.md 12 rule 4)', () => {
  it('is left alone after two calls in a row without an answer, and no other server is', async () => {
    const { asked, call } = bench()
    for (let place = 0; place < 2; place += 1) {
      expect(await call('silent', answers('timeout'))).to.deep.equal({ result: 'timeout' })
    }
    expect(await call('silent', answers('sent'))).to.equal('not_answering')
    expect(asked()).to.equal(2)
    expect(await call('other', answers('sent'))).to.deep.equal({ result: 'sent' })
  })

  it('is asked on while answers come in between: one slow mail is no outage', async () => {
    const { call } = bench()
    for (const outcome of ['timeout', 'refused', 'timeout', 'sent', 'timeout'] as const) {
      expect(await call('slow', answers(outcome))).to.deep.equal({ result: outcome })
    }
  })

  it('is asked by exactly one of many after a pause, and by all once it answered', async () => {
    const { asked, call, clock } = bench()
    for (let place = 0; place < 2; place += 1) await call('silent', answers('timeout'))
    clock.advance(PAUSE_MS)
    const gate = createGate()
    const ask = async (): Promise<Outcome> => {
      await gate.pass()
      return 'refused'
    }
    const calls = Array.from({ length: 20 }, () => call('silent', ask))
    await gate.arrived(1)
    gate.open()
    const ends = await Promise.all(calls)
    expect(ends.filter((end) => end === 'not_answering')).to.have.length(19)
    expect(asked()).to.equal(3)
    // A refusal is an answer, too.
    expect(await call('silent', answers('sent'))).to.deep.equal({ result: 'sent' })
  })

  it('is left alone for another pause when it was asked in vain', async () => {
    const { call, clock } = bench()
    for (let place = 0; place < 2; place += 1) await call('silent', answers('timeout'))
    clock.advance(PAUSE_MS)
    expect(await call('silent', answers('timeout'))).to.deep.equal({ result: 'timeout' })
    expect(await call('silent', answers('sent'))).to.equal('not_answering')
    clock.advance(PAUSE_MS)
    expect(await call('silent', answers('sent'))).to.deep.equal({ result: 'sent' })
  })

  it('is judged by no call that was told to stop for another reason', async () => {
    const { call, clock } = bench()
    const stopped = AbortSignal.abort()
    for (let place = 0; place < 4; place += 1) await call('fine', answers('timeout'), stopped)
    expect(await call('fine', answers('sent'))).to.deep.equal({ result: 'sent' })
    for (let place = 0; place < 2; place += 1) await call('silent', answers('timeout'))
    clock.advance(PAUSE_MS)
    await call('silent', answers('timeout'), stopped)
    // The one that asked learned nothing: the next one may.
    expect(await call('silent', answers('sent'))).to.deep.equal({ result: 'sent' })
  })

  it('keeps nobody who does not look at the signal, and counts as silent when the call fails with it', async () => {
    const { call } = bench()
    for (let place = 0; place < 2; place += 1) {
      const deaf = call('deaf', () => new Promise<never>(() => undefined), AbortSignal.timeout(1))
      expect(await deaf).to.equal('timeout')
    }
    const failing = async (): Promise<Outcome> => {
      throw new Error('aborted')
    }
    expect(await call('deaf', answers('sent'))).to.equal('not_answering')
    const over = AbortSignal.abort(new DOMException('over', 'TimeoutError'))
    for (let place = 0; place < 2; place += 1) {
      const failure: unknown = await call('failing', failing, over).catch((error: unknown) => error)
      expect((failure as Error).message).to.equal('aborted')
    }
    expect(await call('failing', answers('sent'))).to.equal('not_answering')
  })
})
