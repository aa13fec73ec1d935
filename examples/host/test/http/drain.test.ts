import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { needsRedis, scaledLimit, until } from '@svc/testkit'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { listProcesses } from '../../src/processes/process-record.ts'
import { closeAfterTest } from '../support/for-test.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const KEY = `a:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 5 + 3)).toString('base64')}`
const DRAIN_MS = 1500
const SOCKETS = 12

describe('a process that is told to stop', function () {
  this.timeout(60_000)
  let redis: RedisServer
  let host: HostProcess
  const agents: Agent[] = []

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer()
  })
  beforeEach(async () => {
    host = await spawnHost({
      env: {
        SVC_STORE: redis.url,
        SVC_KEYS: KEY,
        SVC_DEMO_DOMAIN: 'alice.localhost',
        SVC_LIMITS_REALTIME_PENDING_CONNECTIONS: '100',
        SVC_DRAIN: `${DRAIN_MS}ms`,
      },
    })
  })
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.destroy()
    await host.stop('SIGKILL')
  })
  after(() => redis?.stop())

  interface Answer {
    readonly status: number | undefined
    readonly connection: string | undefined
  }

  /** @returns the answer, or the code of the error */
  function get(path: string, agent: Agent | false = false): Promise<Answer | string> {
    return new Promise((resolve) => {
      const headers = { host: 'alice.localhost' }
      const sent = request(
        { host: '127.0.0.1', port: host.port, path, agent, headers },
        (answer) => {
          answer.resume()
          answer.once('end', () => {
            resolve({ status: answer.statusCode, connection: answer.headers.connection })
          })
        },
      )
      sent.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
      sent.end()
    })
  }

  function keptConnection(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agents.push(agent)
    return agent
  }

  it('serves until the proxy has found out: no answer is lost, and the last one of a connection says so', async () => {
    const store = redisStore({ url: redis.url })
    closeAfterTest(() => store.close())
    const [kept, idle] = [keptConnection(), keptConnection()]
    for (const agent of [kept, idle]) {
      expect(await get('/health/ready', agent)).to.include({
        status: 200,
        connection: 'keep-alive',
      })
    }
    const startedAt = performance.now()
    const code = host.stop()
    await until(() => host.log.some(({ event }) => event === 'server.stopping'))
    expect(await get('/health/ready'), 'a new connection').to.deep.equal({
      status: 503,
      connection: 'close',
    })
    expect(await get('/auth/login', kept), 'a connection of before').to.deep.equal({
      status: 200,
      connection: 'close',
    })
    await until(async () => (await listProcesses(store))[0]?.state === 'draining')
    let served = 0
    for (;;) {
      const tookMs = performance.now() - startedAt
      const answer = await get('/auth/login')
      if (typeof answer === 'string') {
        // Whoever still comes then may meet the very moment of the end, which no proxy does: it has been told (0310).
        expect(answer).to.be.oneOf(['ECONNREFUSED', 'ECONNRESET'])
        expect(tookMs, 'milliseconds until nobody listens').to.be.greaterThan(DRAIN_MS - 200)
        expect(await get('/auth/login')).to.equal('ECONNREFUSED')
        break
      }
      expect(answer).to.deep.equal({ status: 200, connection: 'close' })
      served += 1
    }
    expect(served).to.be.greaterThan(10)
    expect(await code).to.equal(0)
    expect(performance.now() - startedAt).to.be.lessThan(scaledLimit(10_000))
    expect(await listProcesses(store)).to.deep.equal([])
  })

  it('leaves an idle connection open until it stops listening', async () => {
    const agent = keptConnection()
    await get('/health/live', agent)
    const [socket] = Object.values(agent.freeSockets).flat()
    const closed = once(socket ?? agent, 'close').then(() => performance.now())
    const startedAt = performance.now()
    const code = host.stop()
    expect((await closed) - startedAt).to.be.within(DRAIN_MS - 200, scaledLimit(DRAIN_MS + 1500))
    expect(await code).to.equal(0)
  })

  it('closes websockets with 1001 one after the other, and takes no new ones', async () => {
    const open = (): WebSocket =>
      new WebSocket(`ws://127.0.0.1:${host.port}/realtime/`, {
        headers: { host: 'alice.localhost' },
      })
    const sockets = Array.from({ length: SOCKETS }, open)
    await Promise.all(sockets.map((socket) => once(socket, 'open')))
    const startedAt = performance.now()
    const closed = sockets.map(async (socket) => {
      const [code] = (await once(socket, 'close')) as [number] // of a close event
      return { code, atMs: performance.now() - startedAt }
    })
    const code = host.stop()
    await until(() => host.log.some(({ event }) => event === 'server.stopping'))
    const late = open()
    const [error] = (await once(late, 'error')) as [Error] // of an error event
    expect(error.message).to.include('503')
    const ends = await Promise.all(closed)
    expect(new Set(ends.map((end) => end.code))).to.deep.equal(new Set([1001]))
    const times = ends.map(({ atMs }) => atMs).toSorted((a, b) => a - b)
    // That twelve moments at random lie within a fifth of the time has a chance of one in four millions.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).to.be.greaterThan(DRAIN_MS / 5)
    expect(times.at(-1)).to.be.lessThan(scaledLimit(DRAIN_MS + 1000))
    expect(await code).to.equal(0)
  })
})
