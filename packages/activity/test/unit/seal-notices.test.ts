import { DAY_MS } from '@svc/platform'
import { eachStore, type FakeClock, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import type { ActivitySeal } from '../../src/index.ts'
import { type ActivityServer, serversOn } from '../support/activity-server.ts'
import { entriesOf } from '../support/chain.ts'

eachStore((open, name) => {
  describe('the monthly notice of the end of a chain', () => {
    let clock: FakeClock
    let told: ActivitySeal[]

    beforeEach(() => {
      clock = fakeClock()
      clock.set(Date.UTC(2026, 10, 20))
      told = []
    })
    const startOne = serversOn(open, name, () => clock)

    async function start(sameAs?: ActivityServer, fault?: () => void): Promise<ActivityServer> {
      const server = await startOne({
        tellSeal: async (seal) => {
          fault?.()
          told.push(seal)
        },
        ...(sameAs && { sameAs }),
      })
      await server.activity.start()
      return server
    }

    it('names where it ended, once a month, however much happened', async () => {
      const server = await start()
      const { activity, alice, store } = server
      for (let count = 0; count < 5; count += 1) {
        await server.act()
        await activity.chain(alice)
      }
      clock.advance(9 * DAY_MS)
      await server.act()
      await activity.chain(alice)
      expect(told).to.deep.equal([])
      clock.advance(3 * DAY_MS)
      await until(() => told.length > 0)
      const last = (await entriesOf(store, alice.id)).at(-1)
      const [seal] = told
      expect(seal?.instance.domain).to.equal(alice.domain)
      expect({ seq: seal?.seq, hash: seal?.hash }).to.deep.equal({
        seq: last?.seq,
        hash: last?.['hash'],
      })
      // Nothing happened meanwhile, so there is no other end to name.
      clock.advance(31 * DAY_MS)
      await server.act()
      await activity.chain(alice)
      clock.advance(31 * DAY_MS)
      await until(() => told.length > 1)
      expect(told.map(({ seq }) => seq)).to.deep.equal([last?.seq, (last?.seq ?? 0) + 1])
    })

    it('comes from another process when the one that wrote died, and again when it failed', async () => {
      const first = await start()
      await first.act()
      await first.activity.chain(first.alice)
      await first.activity.close()
      let faults = 0
      await start(first, () => {
        faults += 1
        if (faults === 1) throw new Error('the inbox is away')
      })
      clock.advance(12 * DAY_MS)
      await until(() => faults > 0)
      clock.advance(DAY_MS)
      await until(() => told.length > 0)
      expect(told).to.have.lengthOf(1)
    })
  })
})
