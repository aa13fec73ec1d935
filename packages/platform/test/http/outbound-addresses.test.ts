import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { needsLoopbackAddresses, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { createOutbound, type Outbound, type OutboundError } from '../../src/index.ts'
import { serveHttp, type TestServer } from './outbound-servers.ts'

const GET = { method: 'GET', isTrusted: true } as const

describe('a name with several addresses (D97)', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  function leadingTo(...addresses: readonly string[]): Outbound {
    return createOutbound({ trustedNetworks: ['127.0.0.0/8'], lookup: async () => addresses })
  }

  async function started(starting: Promise<TestServer>): Promise<TestServer> {
    const server = await starting
    closing.push(() => server.close())
    return server
  }

  async function closedPort(): Promise<number> {
    const server = await serveHttp(() => {})
    await server.close()
    return server.port
  }

  function failure(call: Promise<unknown>): Promise<OutboundError> {
    return call.then(
      () => expect.fail('the call was answered'),
      (error: OutboundError) => error,
    )
  }

  /** A port of 127.0.0.1 whose server leaves callers waiting for longer than the next address waits. */
  async function slowPort(): Promise<number> {
    const child: ChildProcess = fork(fileURLToPath(new URL('busy-listener.ts', import.meta.url)), {
      execArgv: ['--conditions=source'],
    })
    closing.push(() => {
      child.kill()
      return once(child, 'exit')
    })
    const [port] = (await once(child, 'message')) as [number] // As the child sends it.
    child.send('be busy')
    await once(child, 'message')
    // A backlog of one holds two connections; from then on the kernel drops whoever asks.
    for (let i = 0; i < 2; i += 1) {
      const socket = net.connect({ host: '127.0.0.1', port })
      socket.on('error', () => {})
      closing.push(() => socket.destroy())
      await once(socket, 'connect')
    }
    return port
  }

  for (const isRepeatable of [false, true]) {
    const kind = isRepeatable ? 'that may be repeated' : 'of its own'
    it(`is called at the slow one while the next is tried, by a call ${kind}`, async function () {
      needsLoopbackAddresses(this)
      const url = `http://several.example:${await slowPort()}/`
      const answer = await leadingTo('127.0.0.1', '127.0.0.2').request(url, {
        ...GET,
        isRepeatable,
      })
      expect(answer.body.toString()).to.equal('late')
    })
  }

  it('is called at the next one at once when the first is dead', async function () {
    needsLoopbackAddresses(this)
    const server = await started(serveHttp((_request, response) => response.end('well')))
    const startedAt = performance.now()
    const url = `http://several.example:${server.port}/`
    const answer = await leadingTo('127.0.0.2', '127.0.0.3', '127.0.0.1').request(url, GET)
    expect(answer.body.toString()).to.equal('well')
    expect(performance.now() - startedAt).to.be.lessThan(timeBudget(400))
    expect(server.connections()).to.equal(1)
  })

  it('is unreachable, with nothing sent, when all are dead', async function () {
    needsLoopbackAddresses(this)
    const url = `http://several.example:${await closedPort()}/`
    expect(await failure(leadingTo('127.0.0.1', '127.0.0.2').request(url, GET))).to.include({
      kind: 'unreachable',
      reason: 'ECONNREFUSED',
      isSent: false,
    })
  })

  it('keeps no attempt after the time for connecting', async function () {
    needsLoopbackAddresses(this)
    const url = `http://several.example:${await slowPort()}/`
    const call = leadingTo('127.0.0.1', '127.0.0.2').request(url, { ...GET, connectMs: 100 })
    expect(await failure(call)).to.include({ kind: 'timeout', reason: 'connect', isSent: false })
  })
})
