import { HOUR_MS } from '@svc/platform'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { NotificationRecord } from '../../src/outbox/notification.ts'
import { type IntakeServer, startIntake } from '../support/intake-server.ts'

eachStore((open, name) => {
  const start = (sameAs?: IntakeServer) =>
    startIntake({
      store: (clock) => open({ clock, ...(sameAs && { sameAs: sameAs.store }) }),
      ...(sameAs && { sameAs }),
    })

  const posting = async (server: IntakeServer, fields: Readonly<Record<string, unknown>>) =>
    server.post(await server.app(), { category: 'balance', title: 't', ...fields })

  describe('a stateful category (notifications.md 7, D36)', () => {
    it('answers 201 with the last one when the state is the same, and makes nothing new', async () => {
      const server = await start()
      const first = await posting(server, { state: 'a' })
      const again = await posting(server, { state: 'a', title: 'other', content: 'x' })
      expect(again.status).to.equal(201)
      expect(again.data.meta).to.deep.equal({ ...first.data.meta, skipped: 'same_state' })
      expect({ ...again.data, meta: 0 }).to.deep.equal({ ...first.data, meta: 0 })
      expect(again.headers['location']).to.equal(`/notifications/${first.data.id}`)
      expect(await server.records()).to.have.length(1)
    })

    it('sends another state, and the first one again after it', async () => {
      const server = await start()
      const ids = []
      for (const state of ['a', 'b', 'a', '', 'a']) {
        const { data } = await posting(server, { state })
        expect(data.meta).not.to.have.property('skipped')
        ids.push(data.id)
      }
      expect(new Set(ids).size).to.equal(5)
    })

    it('keeps the states of sub-categories apart (5)', async () => {
      const server = await start()
      for (const category_id of ['one', 'two', 'one/', undefined]) {
        const { data } = await posting(server, { state: 'a', category_id })
        expect(data.meta, category_id).not.to.have.property('skipped')
      }
      const empty = await posting(server, { state: 'a', category_id: '' })
      expect(empty.data.meta.skipped, 'an empty one is none').to.equal('same_state')
    })

    it('keeps app and linked client apart (6)', async () => {
      const server = await start()
      await posting(server, { state: 'a' })
      const { headers } = await server.client('@io.svc.apps/bank', {
        software_id: 'registry://bank',
      })
      const answer = await server.post(headers, { category: 'balance', title: 't', state: 'a' })
      expect(answer.data.meta).not.to.have.property('skipped')
    })

    it('compares with what was sent or still will be, not with what never came', async () => {
      const server = await start()
      for (const status of ['failed', 'cancelled', 'expired', 'collapsed'] as const) {
        const { data } = await posting(server, { state: status })
        await server.change(data.id, { status, finishedAt: server.clock.now() })
        const again = await posting(server, { state: status })
        expect(again.data.meta, status).not.to.have.property('skipped')
      }
      const first = await posting(server, { state: 'a' })
      await server.change(first.data.id, { status: 'sent', finishedAt: server.clock.now() })
      const failed = await posting(server, { state: 'b' })
      await server.change(failed.data.id, { status: 'failed', finishedAt: server.clock.now() })
      const again = await posting(server, { state: 'a' })
      expect(again.data.id).to.equal(first.data.id)
      expect(again.data.meta.skipped).to.equal('same_state')
    })

    it('looks behind up to 100 that never came (0162)', async () => {
      const wide = { limit: 1000, windowMs: HOUR_MS }
      const server = await startIntake({
        store: (clock) => open({ clock }),
        limits: { 'notify-post': wide, 'notify-post-instance': wide },
      })
      const first = await posting(server, { state: 'a' })
      for (const count of [99, 1]) {
        for (let n = 0; n < count; n += 1) {
          const { data } = await posting(server, { state: `${n}` })
          await server.change(data.id, { status: 'failed', finishedAt: server.clock.now() })
        }
        if (count === 99)
          expect((await posting(server, { state: 'a' })).data.id).to.equal(first.data.id)
      }
      const again = await posting(server, { state: 'a' })
      expect(again.data.id).not.to.equal(first.data.id)
    })

    it('checks scheduled ones when they are posted (7.4)', async () => {
      const server = await start()
      const at = new Date(server.clock.now() + HOUR_MS).toISOString()
      const first = await posting(server, { state: 'a', at })
      expect(first.data.attributes['status']).to.equal('scheduled')
      expect((await posting(server, { state: 'a' })).data.meta.skipped).to.equal('same_state')
    })

    it('records without sending what comes within its interval', async () => {
      const server = await start()
      const slow = (state: string) => posting(server, { category: 'slow', state })
      const first = await slow('a')
      const skipped = await slow('b')
      expect(skipped.status).to.equal(201)
      expect(skipped.data.attributes).to.include({ status: 'skipped', reason: 'min_interval' })
      expect(skipped.data.attributes['last_sent']).to.equal(first.data.attributes['last_sent'])
      expect((await slow('a')).data.meta.skipped, 'as the owner knows it').to.equal('same_state')
      server.clock.advance(HOUR_MS - 60_000)
      expect((await slow('b')).data.attributes['status']).to.equal('skipped')
      server.clock.advance(60_000)
      const sent = await slow('b')
      expect(sent.data.attributes['status']).to.equal('queued')
      const [record] = (await server.records()).filter(({ id }) => id === sent.data.id)
      expect(record?.reason).to.equal(undefined)
    })

    it('makes one notification of 20 parallel posts of a state', async () => {
      const server = await start()
      const app = await server.app()
      const states = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'a' : 'b'))
      const answers = await Promise.all(
        states.map((state) => server.post(app, { category: 'balance', title: 't', state })),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(201))
      expectAlternating(await server.records())
    })

    it('gives every notification of a source a time of its own', async () => {
      const server = await start()
      const app = await server.app()
      await Promise.all(
        Array.from({ length: 20 }, () => server.post(app, { category: 'plain', title: 't' })),
      )
      const times = (await server.records()).map(({ createdAt }) => createdAt)
      expect(new Set(times).size).to.equal(20)
    })

    if (name === 'Redis') {
      it('makes one notification of parallel posts of a state to several processes', async () => {
        const server = await start()
        const others = [await start(server), await start(server)]
        const app = await server.app()
        const answers = await Promise.all(
          Array.from({ length: 21 }, (_, n) => [server, ...others][n % 3] ?? server).map((each) =>
            each.post(app, { category: 'balance', title: 't', state: 'same' }),
          ),
        )
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(21).fill(201))
        expect(await server.records()).to.have.length(1)
        expect(new Set(answers.map(({ data }) => data.id)).size).to.equal(1)
      })
    }
  })
})

/** No two neighbours of the same state: each was compared with the one before it. */
function expectAlternating(records: readonly NotificationRecord[]): void {
  const states = records.toSorted((a, b) => a.createdAt - b.createdAt).map(({ state }) => state)
  expect(states.length).to.be.greaterThan(1)
  for (const [n, state] of states.entries()) {
    if (n > 0) expect(state).not.to.equal(states[n - 1])
  }
}
