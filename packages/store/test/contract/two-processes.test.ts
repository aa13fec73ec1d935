import { once } from 'node:events'
import { expect } from 'chai'
import { eventually } from '../../src/contract/suite.ts'
import { recordKey, type Store } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import { type Child, startChild } from '../child.ts'
import { redisForSuite } from '../redis-for-suite.ts'
import { contend, type Score } from './contend.ts'

const ROUNDS = 20

describe('two processes on one Redis', function () {
  this.timeout(30_000)
  const server = redisForSuite()
  let store: Store
  let other: Child

  before(async () => {
    store = redisStore({ url: server().url })
    other = startChild('contract/contender-process.ts', server().url)
    await other.line('ready')
  })
  after(async () => {
    other?.process.disconnect()
    await other?.end()
    await store?.close()
  })

  it('let exactly one of 100 callers win, 20 times', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = (id: string) => recordKey('i', 'thing', `${id}-${round}`)
      const code = key('code')
      const client = key('client')
      const put = await store.write([
        { op: 'put', key: code, value: 1 },
        { op: 'put', key: client, value: 0 },
      ])
      if (!put.written) throw new Error('not written')
      const { revision } = put
      const game = { code, client, revision, domain: key('domain'), counter: key('counter') }
      const theirs = once(other.process, 'message')
      other.process.send(game)
      const ours = await contend(store, game)
      const [their] = (await theirs) as [Score] // What the process sends.
      const scores = [ours, their]
      const sum = (name: 'taken' | 'replaced' | 'claimed') =>
        scores.reduce((total, score) => total + score[name], 0)
      expect([sum('taken'), sum('replaced'), sum('claimed')]).to.deep.equal([1, 1, 1])
      const counts = scores.flatMap((score) => score.counts).toSorted((a, b) => a - b)
      expect(counts).to.deep.equal(Array.from({ length: 100 }, (_, n) => n + 1))
    }
  })

  it('hear each other on the bus', async () => {
    const heard: unknown[] = []
    const end = await store.bus.subscribe('answer', (message) => heard.push(message))
    await store.bus.publish('ask', { ü: 'x' })
    await eventually(() => heard.length > 0)
    await end()
    expect(heard).to.deep.equal([{ ü: 'x' }])
  })
})
