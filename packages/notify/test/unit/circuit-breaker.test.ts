import { createGate, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { type Answer, createCircuitBreaker } from '../../src/circuit-breaker.ts'
import { never } from '../support/sample-push.ts'

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
