import { once } from 'node:events'
import { needsLoopbackAddresses } from '@svc/testkit'
import { expect } from 'chai'
import { type HostileClient, openHostile } from '../support/hostile-client.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const HOST = 'Host: alice.localhost\r\n'

describe('clients that are up to no good', function () {
  this.timeout(180_000)
  let host: HostProcess | undefined
  const hostile: HostileClient[] = []

  before(function () {
    needsLoopbackAddresses(this)
  })
  afterEach(async () => {
    for (const { socket } of hostile.splice(0)) socket.destroy()
    await host?.stop('SIGKILL')
    host = undefined
  })

  async function start(env: Record<string, string> = {}): Promise<HostProcess> {
    host = await spawnHost({ env: { SVC_DEMO_DOMAIN: 'alice.localhost', ...env } })
    return host
  }

  async function attack(port: number, text: string, count: number, addresses: number) {
    const opened = Array.from({ length: count }, async (_, at) => {
      const client = await openHostile(port, text, `127.0.0.${(at % addresses) + 1}`)
      client.socket.pause()
      return client
    })
    hostile.push(...(await Promise.all(opened)))
  }

  /** @returns the status that somebody from elsewhere gets */
  async function visit(port: number, address: string): Promise<string> {
    const text = `GET /auth/login HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
    const visitor = await openHostile(port, text, address)
    if (!visitor.socket.readableEnded) await once(visitor.socket, 'end')
    visitor.socket.destroy()
    return visitor.said().slice(0, 12)
  }

  it('of one address leave room for others: 200 silent ones beside 50 connections', async () => {
    const { port } = await start({ SVC_LIMITS_CONNECTIONS: '50' })
    await attack(port, '', 200, 1)
    const answers: string[] = []
    for (let address = 2; address <= 30; address += 1) {
      answers.push(await visit(port, `127.0.0.${address}`))
    }
    expect(new Set(answers)).to.deep.equal(new Set(['HTTP/1.1 200']))
  })
})
