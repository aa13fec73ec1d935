import { eachStore, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import { type ActivityServer, serversOn } from '../support/activity-server.ts'
import { entriesOf } from '../support/chain.ts'

const HOUR = 3_600_000

eachStore((open, name) => {
  describe('refusals of strangers', () => {
    const clock = fakeClock()
    let server: ActivityServer

    beforeEach(async () => {
      clock.set(Date.UTC(2026, 0, 10, 12))
      server = await start()
    })
    const start = serversOn(open, name, () => clock)

    const refuse = (ip: string): Promise<void> =>
      server.platform.activity.refused(server.alice, {
        event: 'login.failed',
        actor: { kind: 'unknown' },
        origin: { ip },
      })

    async function failures() {
      await server.activity.chain(server.alice)
      const entries = await entriesOf(server.store, server.alice.id)
      return entries.filter(({ event }) => event === 'login.failed')
    }

    it('have an entry each address and hour', async () => {
      await Promise.all(Array.from({ length: 30 }, () => refuse('192.0.2.1')))
      await refuse('192.0.2.2')
      expect((await failures()).map((entry) => entry['ip'])).to.have.members([
        '192.0.2.1',
        '192.0.2.2',
      ])
      clock.advance(HOUR + 1)
      await refuse('192.0.2.1')
      const [first, , last] = await failures()
      expect(first).to.include({ outcome: 'refused', group: 'login' })
      expect(last?.['ip']).to.equal('192.0.2.1')
    })

    it('have at most sixty a day, and one with the count of the others', async function () {
      this.timeout(20_000)
      await server.activity.start()
      for (let at = 0; at < 75; at += 1) await refuse(`192.0.2.${at}`)
      expect((await failures()).length).to.equal(60)
      clock.advance(13 * HOUR)
      await until(async () => (await failures()).length === 61)
      expect((await failures()).at(-1)).to.include({ count: 15, outcome: 'refused' })
    })
  })
})
