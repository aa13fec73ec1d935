import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { needsLoopbackAddresses, until } from '@svc/testkit'
import { expect } from 'chai'
import { CONNECTION_BOUNDS, limitConnections } from '../../src/index.ts'
import { type LimitedServer, startLimited } from '../support/limited-server.ts'
import { get, openClient, type RawClient } from '../support/raw-client.ts'

function openMany(port: number, count: number): Promise<readonly RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => openClient(port)))
}

describe('connections of one address', () => {
  let limited: LimitedServer

  async function start(bounds = {}): Promise<void> {
    limited = await startLimited((_request, response) => void response.end('x'), bounds)
  }

  it('are half of all at most, so that others are served', async function () {
    needsLoopbackAddresses(this)
    await start({ connections: 50 })
    await openMany(limited.port, 200)
    await until(() => limited.limits.figures().refused.address === 175)
    expect(limited.sockets.size).to.equal(25)
    for (const from of ['127.0.0.2', '127.0.0.3']) {
      const other = await limited.join({ from })
      other.send(get())
      await until(() => other.statuses()[0] === 200)
    }
  })

  it('are counted again when one has gone', async () => {
    await start({ connections: 4 })
    const [first, second] = await openMany(limited.port, 2)
    await until(() => limited.sockets.size === 2)
    first?.socket.destroy()
    await until(() => limited.sockets.size === 1)
    const third = await limited.join({ from: '127.0.0.1' })
    third.send(get())
    await until(() => third.statuses()[0] === 200)
    expect(second?.socket.closed).to.equal(false)
    expect(limited.limits.figures().refused.address).to.equal(0)
  })

  it('may be any number behind a proxy, where all of them are of one address', async () => {
    await start({ connections: 50, connectionsPerAddress: 0 })
    await openMany(limited.port, 44)
    await until(() => limited.sockets.size === 44)
    expect(limited.limits.figures().refused.address).to.equal(0)
  })

  it('are not counted over a socket of the file system, where a proxy has them all', async () => {
    await start({ connections: 4 })
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-platform-'))
    const file = path.join(folder, 'socket')
    const server = http.createServer((_request, response) => void response.end('x'))
    const limits = limitConnections(server, { connections: 4 })
    server.listen(file)
    await once(server, 'listening')
    const clients = [connect(file), connect(file), connect(file)]
    for (const client of clients) client.write(get())
    await Promise.all(clients.map((client) => once(client, 'data')))
    expect(limits.figures().refused.address).to.equal(0)
    for (const client of clients) client.destroy()
    server.close()
    await once(server, 'close')
    await rm(folder, { recursive: true })
  })

  it('are told of in the log once a minute, with a count', async () => {
    await start({ connections: 2 })
    await openMany(limited.port, 20)
    await until(() => limited.limits.figures().refused.address === 19)
    expect(limited.log).to.deep.equal([
      { event: 'connection.refused', reason: 'address', count: 1 },
    ])
    await limited.close()
    const more = { event: 'connection.refused', reason: 'address', count: 18 }
    expect(limited.log[1]).to.deep.equal(more)
  })
})

describe('connections in all', () => {
  let limited: LimitedServer

  it('are bounded, by the limit of open files too', async function () {
    needsLoopbackAddresses(this)
    limited = await startLimited(() => {}, { connections: 4 })
    await Promise.all(
      [1, 1, 2, 2, 3, 4].map((host) => openClient(limited.port, { from: `127.0.0.${host}` })),
    )
    await until(() => limited.limits.figures().refused.total === 2)
    expect(limited.sockets.size).to.equal(4)
    await limited.close()
    limited = await startLimited(() => {}, { connections: 2_000_000_000 })
    expect(limited.server.maxConnections).to.be.lessThan(2_000_000_000)
    expect(CONNECTION_BOUNDS.connections).to.equal(10_000)
  })

  it('end when nobody uses them and most are taken', async () => {
    limited = await startLimited((_request, response) => void response.end('x'), {
      connections: 10,
      connectionsPerAddress: 0,
    })
    const used = await openMany(limited.port, 8)
    for (const client of used) client.send(get())
    await until(() => used.every((client) => client.statuses().length === 1))
    const late = await limited.join()
    await until(() => used.every((client) => client.socket.readableEnded))
    await until(() => limited.sockets.size === 1)
    // The pressure is over: connections last again.
    late.send(get())
    await until(() => late.said().includes('Connection: keep-alive'))
    expect(limited.server.headersTimeout).to.equal(CONNECTION_BOUNDS.headersMs)
  })

  it('carry one answer each while most are taken, and have less time for headers', async () => {
    limited = await startLimited((_request, response) => void response.end('x'), {
      connections: 10,
      connectionsPerAddress: 0,
      pressedHeadersMs: 200,
    })
    const clients = await openMany(limited.port, 10)
    await until(() => limited.sockets.size === 10)
    clients[0]?.send(get())
    await until(() => clients[0]?.said().includes('Connection: close') === true)
    await until(() => limited.sockets.size === 0)
    expect(limited.limits.figures().refused.slow_headers).to.equal(9)
  })
})
