import { inspect } from 'node:util'
import { expect } from 'chai'
import { eventually } from '../../src/contract/suite.ts'
import { recordKey, type Store, type StoreLog } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import {
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startRedisServer,
} from '../../src/testing/index.ts'
import { skipUnless } from '../skip-unless.ts'

/** Content that no line of a log may hold. */
const SECRET = 'hunter2'

describe('the log of a store on Redis', () => {
  let server: RedisServer
  let store: Store
  let lines: Readonly<Record<string, unknown>>[]
  const note = (fields: Readonly<Record<string, unknown>>): void => void lines.push(fields)
  const log: StoreLog = { warn: note, error: note }
  const events = (): unknown[] => lines.map(({ event }) => event)
  /** All that a logger could print, members of errors and their causes included. */
  const printed = (): string => inspect(lines, { depth: 20, showHidden: true })

  /** Redis reads quoted words as JavaScript writes them. */
  const send = (...words: readonly string[]): Promise<string> =>
    sendToRedis(server.port, words.map((word) => JSON.stringify(word)).join(' '))

  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer()
  })
  after(() => server?.stop())
  beforeEach(() => {
    lines = []
  })
  afterEach(() => store.close())

  it('says of a message that is no JSON only its channel and its size', async () => {
    store = redisStore({ url: server.url, log })
    const heard: unknown[] = []
    await store.bus.subscribe('rt:i', (message) => heard.push(message))
    await send('PUBLISH', 'svc:bus:rt:i', `other {"a":${SECRET}}`)
    await send('PUBLISH', 'svc:bus:rt:i', 'other 1')
    await eventually(() => heard.length > 0)
    expect(heard).to.deep.equal([1])
    expect(lines).to.deep.include({
      event: 'store.bus_message_malformed',
      channel: 'rt:i',
      size: 13,
    })
    expect(printed()).to.not.include(SECRET)
  })

  it('gets no record that cannot be read', async () => {
    store = redisStore({ url: server.url, log })
    const key = recordKey('i', 'thing', 'a')
    await store.write([{ op: 'put', key, value: 1 }])
    await send('SET', key, `1\n\n\n{"a":${SECRET}}`)
    const error: unknown = await store.get(key).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Error)
    expect(inspect(error, { depth: 20, showHidden: true })).to.not.include(SECRET)
  })

  it('says nothing of the password that Redis refuses', async () => {
    await send('CONFIG', 'SET', 'requirepass', 'another')
    store = redisStore({ url: `redis://:${SECRET}@127.0.0.1:${server.port}`, log })
    await eventually(() => events().includes('store.redis_down'))
    expect(printed()).to.include('WRONGPASS').and.not.include(SECRET)
  })
})
