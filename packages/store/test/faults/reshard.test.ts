import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { scaledLimit } from '../../../testkit/src/time-budget.ts'
import { indexKey, recordKey, type Store } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  hasRedisServer,
  type RedisCluster,
  type RedisServer,
  sendToRedis,
  startRedisCluster,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'

const INSTANCE = 'moved'
const RECORDS = 60
const WORKERS = 4
const ROUNDS = 3
const index = indexKey(INSTANCE, 'things')

describe('redisStore on a Cluster that is resharded', function () {
  this.timeout(60_000)
  let cluster: RedisCluster | undefined
  let store: Store | undefined
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    cluster = await startRedisCluster(2)
  })
  after(async () => {
    await store?.close()
    await cluster?.stop()
  })

  it('loses nothing and fails no call while the slot of an instance moves', async () => {
    const [one, other] = cluster?.servers ?? []
    if (one === undefined || other === undefined) throw new Error('there are two nodes')
    const open = redisStore({ url: cluster?.urls ?? [], commandTimeoutMs: scaledLimit(6000) })
    store = open
    for (let n = 0; n < RECORDS; n += 1) await put(open, `kept-${n}`)
    const acknowledged = new Map<string, number>()
    const failures: string[] = []
    let isOver = false
    let calls = 0
    async function work(worker: number): Promise<void> {
      for (let n = 0; !isOver; n += 1) {
        calls += 1
        const id = `new-${worker}-${n % 10}`
        try {
          await put(open, id, n)
          acknowledged.set(id, n)
          expect((await open.get(recordKey(INSTANCE, 'thing', id)))?.value).to.equal(n)
          expect((await open.list(index)).records.length).to.be.at.least(RECORDS)
          await open.hit(recordKey(INSTANCE, 'rate', 'all'), 60_000)
          await put(open, `taken-${worker}-${n}`)
          expect(await open.take(recordKey(INSTANCE, 'thing', `taken-${worker}-${n}`))).to.be.an(
            'object',
          )
        } catch (error) {
          failures.push(String(error))
        }
      }
    }
    const working = Array.from({ length: WORKERS }, (_, worker) => work(worker))
    const slot = Number((await ask(one, `CLUSTER KEYSLOT {${INSTANCE}}`)).slice(1))
    const isFirst = (await ask(one, `CLUSTER COUNTKEYSINSLOT ${slot}`)) !== ':0'
    let [from, to] = isFirst ? [one, other] : [other, one]
    for (let round = 0; round < ROUNDS; round += 1) {
      await moveSlot(slot, from, to)
      ;[from, to] = [to, from]
      const seen = calls
      while (calls < seen + 3 * WORKERS && failures.length === 0) await open.health()
    }
    isOver = true
    await Promise.all(working)
    expect(failures).to.deep.equal([])
    for (const [id, value] of acknowledged) {
      expect((await open.get(recordKey(INSTANCE, 'thing', id)))?.value, id).to.equal(value)
    }
    expect((await open.list(index)).records).to.have.length(RECORDS + acknowledged.size)
    // It is where it was moved to last.
    expect(await ask(from, `CLUSTER COUNTKEYSINSLOT ${slot}`)).not.to.equal(':0')
    expect(await ask(to, `CLUSTER COUNTKEYSINSLOT ${slot}`)).to.equal(':0')
  })
})

async function put(store: Store, id: string, value = 0): Promise<void> {
  const key = recordKey(INSTANCE, 'thing', id)
  const indexes = [{ index, sort: id }]
  const options = { id: randomBytes(16).toString('base64url') }
  const { written } = await store.write([{ op: 'put', key, value, indexes }], options)
  expect(written).to.equal(true)
}

/** As `redis-cli --cluster reshard` does. */
async function moveSlot(slot: number, from: RedisServer, to: RedisServer): Promise<void> {
  const idOf = async (server: RedisServer): Promise<string> =>
    (await ask(server, 'CLUSTER MYID')).split('\r\n')[1] ?? ''
  const [fromId, toId] = [await idOf(from), await idOf(to)]
  await expectOk(to, `CLUSTER SETSLOT ${slot} IMPORTING ${fromId}`)
  await expectOk(from, `CLUSTER SETSLOT ${slot} MIGRATING ${toId}`)
  for (;;) {
    const answer = await ask(from, `CLUSTER GETKEYSINSLOT ${slot} 10`)
    const keys = answer.split('\r\n').filter((line) => line.startsWith('{'))
    if (keys.length === 0) break
    await ask(from, `MIGRATE 127.0.0.1 ${to.port} "" 0 5000 KEYS ${keys.join(' ')}`)
  }
  await expectOk(to, `CLUSTER SETSLOT ${slot} NODE ${toId}`)
  await expectOk(from, `CLUSTER SETSLOT ${slot} NODE ${toId}`)
}

async function expectOk(server: RedisServer, command: string): Promise<void> {
  expect(await ask(server, command), command).to.equal('+OK')
}

async function ask(server: RedisServer, command: string): Promise<string> {
  return (await sendToRedis(server.port, command)).trim()
}
