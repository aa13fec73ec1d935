import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterTest, needsLoopbackAddresses, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import type { Outbound, OutboundError } from '../../src/index.ts'
import { faultOf } from '../support/fault-of.ts'
import { GET, NOBODY, serveHttp, trusting } from './outbound-servers.ts'

describe('a name with several addresses (D97)', () => {
  function leadingTo(...addresses: readonly string[]): Outbound {
    return trusting({ lookup: async () => addresses })
  }

  async function closedPort(): Promise<number> {
    const server = await serveHttp(() => {})
    await server.close()
    return server.port
  }

  const failure = faultOf<OutboundError>

  /** A port of 127.0.0.1 whose server leaves callers waiting for longer than the next address waits. */
  async function slowPort(): Promise<number> {
    const child: ChildProcess = fork(fileURLToPath(new URL('busy-listener.ts', import.meta.url)), {
      execArgv: ['--conditions=source'],
    })
    afterTest(() => {
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
      afterTest(() => socket.destroy())
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
    const server = await serveHttp((_request, response) => response.end('well'))
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
    expect(await failure(leadingTo('127.0.0.1', '127.0.0.2').request(url, GET))).to.include(NOBODY)
  })

  it('keeps no attempt after the time for connecting', async function () {
    needsLoopbackAddresses(this)
    const url = `http://several.example:${await slowPort()}/`
    const call = leadingTo('127.0.0.1', '127.0.0.2').request(url, { ...GET, connectMs: 100 })
    expect(await failure(call)).to.include({ kind: 'timeout', reason: 'connect', isSent: false })
  })
})
