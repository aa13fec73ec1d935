import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type DefinePart, subjectOf, testClock } from './suite.ts'

/** What was acknowledged is there for whoever opens the data next. The tests exist where data can be opened again. */
export const testDurability: DefinePart = (runner, _makeStore, options) => {
  const { openData } = options
  if (openData === undefined) return
  runner.describe('opened again', () => {
    runner.it('loses no write that it acknowledged before it was closed', async () => {
      const clock = testClock()
      const name = randomBytes(9).toString('hex')
      const first = await openData(clock, name)
      const { key, index, instance } = subjectOf(first, clock, options)
      const indexes = [{ index: index('all'), sort: '1' }]
      const dueAt = clock.now() + 3_600_000
      await first.write([{ op: 'put', key: key('a'), value: 1, indexes }])
      await first.write([{ op: 'put', key: key('b'), value: 2 }])
      await first.take(key('b'))
      await first.hit(key('c'), 60_000, 3)
      await first.scheduler.at('kept', instance, dueAt)
      await first.close()
      const second = await openData(clock, name)
      try {
        assert.equal((await second.get(key('a')))?.value, 1)
        assert.equal((await second.list(index('all'))).records.length, 1)
        assert.equal(await second.take(key('b')), undefined)
        assert.equal((await second.hit(key('c'), 60_000, 0)).count, 3)
        const wakeUps = []
        for await (const entry of second.dump({ instance, records: false, queues: ['kept'] })) {
          wakeUps.push(entry)
        }
        assert.deepEqual(wakeUps, [{ type: 'wake-up', queue: 'kept', id: instance, dueAt }])
      } finally {
        await second.close()
      }
    })
  })
}
