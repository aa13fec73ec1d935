import { HOUR_MS, MINUTE_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import { anyStore, eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { FINAL_STATUSES, type NotificationRecord } from '../../src/outbox/notification.ts'
import { type EngineBench, startEngine } from '../support/engine-bench.ts'
import { type IntakeServer, startIntake } from '../support/intake-server.ts'
import { manageClient } from '../support/manage-client.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

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
      for (const status of ['failed', 'cancelled', 'expired', 'collapsed', 'skipped'] as const) {
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
      const states = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'a' : 'b'))
      const answers = await Promise.all(
        states.map((state) => server.post(server.bank, { category: 'balance', title: 't', state })),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(201))
      expectAlternating(await server.records())
    })

    it('gives every notification of a source a time of its own', async () => {
      const server = await start()
      await Promise.all(
        Array.from({ length: 20 }, () =>
          server.post(server.bank, { category: 'plain', title: 't' }),
        ),
      )
      const times = (await server.records()).map(({ createdAt }) => createdAt)
      expect(new Set(times).size).to.equal(20)
    })

    if (name === 'Redis') {
      it('makes one notification of parallel posts of a state to several processes', async () => {
        const server = await start()
        const others = [await start(server), await start(server)]
        const answers = await Promise.all(
          Array.from({ length: 21 }, (_, n) => [server, ...others][n % 3] ?? server).map((each) =>
            each.post(server.bank, { category: 'balance', title: 't', state: 'same' }),
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

anyStore((open) => {
  describe('clocks that jump (notifications.md 7, 11)', () => {
    for (const jump of [-10, 10]) {
      it(`by ${jump} minutes never make an old state the last one`, async () => {
        const server = await startIntake({ store: (clock) => open({ clock }) })
        const post = async (state: string) => {
          // A token from before is from the future when the clock went back.
          const answer = await server.post(await server.app(), {
            category: 'balance',
            title: 't',
            state,
          })
          expect(answer.status, answer.text).to.equal(201)
          return answer.data
        }
        await post('low')
        server.clock.advance(jump * MINUTE_MS)
        const high = await post('high')
        expect(high.meta.skipped).to.equal(undefined)
        expect((await post('high')).id, 'the same state').to.equal(high.id)
        const low = await post('low')
        expect(low.meta.skipped, 'another state than the last one').to.equal(undefined)
        server.clock.advance(-jump * MINUTE_MS)
        expect((await post('low')).id).to.equal(low.id)
        expect((await post('high')).meta.skipped).to.equal(undefined)
        expect((await post('low')).meta.skipped).to.equal(undefined)
      })
    }
  })
})

eachStore((open, storeName) => {
  describe('categories of an unlinked client (notifications.md 4.1, clients.md 33)', () => {
    const start = async (sameAs?: IntakeServer): Promise<IntakeServer> =>
      startIntake({
        store: (clock) => open({ clock, ...(sameAs && { sameAs: sameAs.store }) }),
        ...(sameAs && { sameAs }),
      })

    async function addOne(server: IntakeServer, posting: IntakeServer): Promise<void> {
      const { oauth, instance } = server
      const managed = await manageClient(oauth, instance, { notifications: { old: {} } })
      const tokens = await oauth.clients.issueTokens(instance, managed.id, 'io.svc.notifications')
      const headers = { authorization: `Bearer ${tokens?.access_token}` }
      const post = async (category: string) =>
        (await posting.post(headers, { category, title: 'x' })).status
      expect([await post('old'), await post('added')]).to.deep.equal([201, 403])
      await managed.put({ notifications: { added: {} } })
      // Another process hears of it by a message, which may arrive behind the answer.
      if (posting !== server) await until(async () => (await post('added')) === 201, 900)
      expect([await post('added'), await post('old')], 'at once').to.deep.equal([201, 403])
    }

    it('count as soon as the PUT that sets them is answered', async () => {
      const server = await start()
      await addOne(server, server)
    })

    if (storeName === 'Redis') {
      it('count in another process at once', async () => {
        const server = await start()
        await addOne(server, await start(server))
      })
    }
  })
})

const POSTS = 20

eachStore((open, storeName) => {
  if (storeName !== 'Redis') return
  // Inside: what a test started ends before its store does.
  describe('two processes that accept and deliver at once (notifications.md 7, 8, 12.3)', () => {
    const benches: EngineBench[] = []
    afterEach(async () => {
      for (const bench of benches.splice(0)) await bench.close()
    })

    it('make one notification of parallel requests with one idempotency key (3.4)', async () => {
      const store: Store = await open()
      const first = await startIntake({ store: async () => store })
      const other = await startIntake({
        store: () => open({ sameAs: store }),
        sameAs: first,
      })
      const headers = await first.app()
      const keyed = { 'idempotency-key': 'one' }
      const answers = await Promise.all(
        Array.from({ length: POSTS }, (_, turn) => {
          const process = turn % 2 === 0 ? first : other
          return process.post(headers, { category: 'plain', title: 'x' }, keyed)
        }),
      )
      const made = answers.filter(({ status }) => status === 201)
      expect(new Set(made.map(({ data }) => data.id)).size).to.equal(1)
      const refused = answers.filter(({ status }) => status !== 201)
      expect(new Set([409, ...refused.map(({ status }) => status)])).to.deep.equal(new Set([409]))
      expect(await first.records()).to.have.length(1)
      // Whoever asks again is told the same, wherever.
      const again = await other.post(headers, { category: 'plain', title: 'x' }, keyed)
      expect(again.headers['idempotency-replayed']).to.equal('true')
    })

    it('send the last state of a source, none twice, and lose nothing', async () => {
      const store: Store = await open()
      const first = await startIntake({ store: async () => store })
      const other = await startIntake({
        store: () => open({ sameAs: store }),
        sameAs: first,
      })
      const mail = scriptedChannel('mail')
      for (const same of [store, await open({ sameAs: store })]) {
        const sameAs = { installed: first.apps, alice: first.instance } as unknown as EngineBench // What of it is read.
        benches.push(await startEngine({ store: same, channels: [mail], sameAs }))
      }
      const headers = await first.app()
      const answers = await Promise.all(
        Array.from({ length: POSTS }, (_, turn) => {
          const state = turn % 4 < 2 ? 'low' : 'high'
          const process = turn % 2 === 0 ? first : other
          return process.post(headers, { category: 'balance', title: state, state })
        }),
      )
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]))
      await until(async () =>
        (await first.records()).every(({ status }) => FINAL_STATUSES.has(status)),
      )
      const records = (await first.records()).toSorted((a, b) => a.createdAt - b.createdAt)
      for (const [place, { state }] of records.entries()) {
        expect(state, 'no state twice in a row').to.not.equal(records[place - 1]?.state)
      }
      expect(records.at(-1)?.status, 'the last one').to.equal('sent')
      for (const { status } of records) expect(status).to.be.oneOf(['sent', 'collapsed'])
      const delivered = mail.deliveries.map(({ record }) => record.id)
      expect(new Set(delivered).size, 'none twice').to.equal(delivered.length)
      const sent = records.filter(({ status }) => status === 'sent').map(({ id }) => id)
      expect(delivered.toSorted()).to.deep.equal(sent.toSorted())
    }).timeout(30_000)
  })
})
