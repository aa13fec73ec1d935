import { expect } from 'chai'
import { systemClock } from '@svc/store'
import { eachStore, type OpenStore, until } from '@svc/testkit'
import { holdWakeUps } from '../../src/storage/held-wake-ups.ts'

eachStore((open: OpenStore, name) => {
  describe(`wake-ups of a server that starts, on ${name}`, () => {
    it('wait for it, and come then', async () => {
      const store = await open()
      const woken: string[] = []
      const { scheduler, release } = holdWakeUps(store.scheduler)
      await scheduler.at('held', 'due', systemClock.now() - 1000)
      const stop = await scheduler.process('held', async ({ id }) => void woken.push(id))
      // A queue that is not held shows that due ones were looked at.
      const others: string[] = []
      const stopOther = await store.scheduler.process('free', async ({ id }) => {
        others.push(id)
      })
      await store.scheduler.at('free', 'other', systemClock.now() - 1000)
      await until(() => others.length > 0)
      expect(woken).to.deep.equal([])

      await release()
      await until(() => woken.length > 0)
      expect(woken).to.deep.equal(['due'])
      await stop()
      await stopOther()
    })

    it("are nobody's once they were stopped while it took them over", async () => {
      const store = await open()
      const { scheduler, release } = holdWakeUps(store.scheduler)
      const woken: string[] = []
      const stop = await scheduler.process('late', async ({ id }) => void woken.push(id))
      const releasing = release()
      await stop()
      await releasing
      // The queue is free: a store handles each with one handler.
      const stopOther = await store.scheduler.process('late', async ({ id }) => {
        woken.push(`other ${id}`)
      })
      await scheduler.at('late', 'one', systemClock.now() - 1000)
      await until(() => woken.length > 0)
      expect(woken).to.deep.equal(['other one'])
      await stopOther()
    })

    it('fail the start when a queue cannot be taken over', async () => {
      const store = await open()
      const { scheduler, release } = holdWakeUps(store.scheduler)
      const stop = await scheduler.process('twice', async () => {})
      await scheduler.process('twice', async () => {})
      const told = await Promise.allSettled([release(), release()])
      expect(told.map((each) => each.status)).to.deep.equal(['rejected', 'rejected'])
      // The first one has it, and is ended as a start that failed ends what it began.
      await stop()
      const stopOther = await store.scheduler.process('twice', async () => {})
      await stopOther()
    })

    it('are handled at once by who asks later, and go elsewhere after a stop', async () => {
      const store = await open()
      const { scheduler, release } = holdWakeUps(store.scheduler)
      const early: string[] = []
      const stopEarly = await scheduler.process('early', async ({ id }) => void early.push(id))
      await stopEarly()
      await release()
      await release()
      // Nobody has the queue, so that another handler may.
      const later: string[] = []
      const stopLater = await scheduler.process('early', async ({ id }) => void later.push(id))
      await scheduler.at('early', 'one', systemClock.now() - 1000)
      await until(() => later.length > 0)
      expect({ early, later }).to.deep.equal({ early: [], later: ['one'] })
      await stopLater()
    })
  })
})
