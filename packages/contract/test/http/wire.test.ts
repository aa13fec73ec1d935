import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { Budget, UNLIMITED } from '../../src/net/budget.ts'
import { Wire } from '../../src/net/wire.ts'

describe('the connections of a run', () => {
  let server: Server
  let wire: Wire
  let url: string
  const connections: Socket[] = []

  beforeEach(async () => {
    server = createServer((_request, response) => response.end('answered'))
    // It never ends one by itself.
    server.keepAliveTimeout = 0
    server.on('connection', (socket) => connections.push(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/` // A TCP server's address is an object.
    wire = new Wire({ budget: new Budget(UNLIMITED), concurrency: 1 })
  })
  afterEach(async () => {
    wire.close()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    connections.length = 0
  })

  it('are used again at once, and not after servers may have ended them', async () => {
    const ask = () => wire.send('asked', { method: 'GET', url, headers: [] })
    expect((await ask()).answer?.body).to.equal('answered')
    expect((await ask()).answer?.body).to.equal('answered')
    expect(connections).to.have.length(1)
    const [first] = connections
    if (first === undefined) throw new Error('there was a connection')
    // The server waits for ever: this is the wire's own doing.
    if (!first.destroyed) await once(first, 'close')
    expect((await ask()).answer?.body).to.equal('answered')
    expect(connections).to.have.length(2)
  })
})
