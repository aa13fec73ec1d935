import { MINUTE_MS } from '@svc/platform'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { startIntake } from '../support/intake-server.ts'

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
