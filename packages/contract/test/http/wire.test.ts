import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { afterTest } from '../../../testkit/src/after-test.ts'
import { listen } from '../../../testkit/src/listen.ts'
import { Budget, UNLIMITED } from '../../src/net/budget.ts'
import { Wire } from '../../src/net/wire.ts'

describe('the connections of a run', () => {
  let wire: Wire
  let url: string
  const connections: Socket[] = []

  beforeEach(async () => {
    // It never ends one by itself.
    const { close, origin, server } = await listen((_request, response) => response.end('answered'))
    server.on('connection', (socket) => connections.push(socket))
    url = origin
    wire = new Wire({ budget: new Budget(UNLIMITED), concurrency: 1 })
    afterTest(() => {
      wire.close()
      connections.length = 0
      return close()
    })
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
