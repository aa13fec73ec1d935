import { connect } from 'node:tls'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import { readTestCertificate } from '../support/certificate.ts'
import { type LimitedServer, startLimited } from '../support/limited-server.ts'
import { get, openClient, post } from '../support/raw-client.ts'

describe('a listener with TLS', () => {
  let limited: LimitedServer

  async function start(bounds = {}): Promise<void> {
    limited = await startLimited(
      (request, response) => {
        request.resume().on('end', () => response.end('x'))
      },
      { ...bounds, tls: readTestCertificate() },
    )
  }

  it('serves as one without', async () => {
    await start({ requestsPerConnection: 20 })
    const client = await limited.say(get().repeat(17))
    await until(() => client.statuses().length === 17)
    client.send(post('x'.repeat(100_000)))
    await until(() => client.statuses().length === 18)
    client.send(get().repeat(2))
    await until(() => client.socket.readableEnded)
    expect(client.statuses()).to.have.lengthOf(20)
    const flood = await limited.say(get().repeat(200))
    await until(() => limited.sockets.size === 0)
    expect(flood.said()).to.equal('')
    expect(limited.limits.figures().refused.pipeline).to.equal(1)
  })

  it('destroys who does not finish the handshake', async () => {
    await start({ handshakeMs: 300 })
    const silent = await openClient(limited.port)
    await until(() => limited.limits.figures().refused.slow_headers === 1)
    await until(() => silent.socket.closed || silent.socket.readableEnded)
    const served = await limited.say(get())
    await until(() => served.statuses().length === 1)
  })

  it('destroys who speaks something else', async () => {
    await start()
    const plain = await openClient(limited.port)
    plain.send(get())
    await until(() => plain.socket.closed || plain.socket.readableEnded)
    expect(limited.limits.figures().refused.malformed).to.equal(1)
  })

  it('counts connections before their handshake', async () => {
    await start({ connections: 4 })
    const silent = await openClient(limited.port)
    const other = await openClient(limited.port)
    await until(() => limited.sockets.size === 2)
    const third = connect({ port: limited.port, host: '127.0.0.1', rejectUnauthorized: false })
    third.on('error', () => {})
    await until(() => third.closed)
    expect(limited.limits.figures().refused.address).to.equal(1)
    expect([silent.socket.closed, other.socket.closed]).to.deep.equal([false, false])
  })
})
