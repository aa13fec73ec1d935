import type { Store } from '@svc/store'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { FINAL_STATUSES } from '../../src/outbox/notification.ts'
import { type EngineBench, startEngine } from '../support/engine-bench.ts'
import { startIntake } from '../support/intake-server.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

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
