import { request } from 'node:http'
import { expect } from 'chai'
import { startServer } from '../../src/http/http-server.ts'

const DRAIN_MS = 30
const ROUNDS = 5

describe('a listener that ends', () => {
  it('answers a connection that the system took in its very last moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer((_request, response) => response.end(), {
        port: 0,
        host: '127.0.0.1',
      })
      const answer = new Promise<unknown>((resolve) => {
        // Runs in the same turn as the timer of the drain, just before it.
        setTimeout(() => {
          const options = { host: '127.0.0.1', port: server.port, agent: false, method: 'POST' }
          const sent = request(options, (response) => {
            response.resume()
            resolve(response.statusCode)
          })
          sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
          sent.end('x')
        }, DRAIN_MS)
      })
      const stopped = server.stop({ drainMs: DRAIN_MS, cutMs: 5000 })
      expect(await answer, `round ${round}`).to.equal(200)
      await stopped
    }
  })
})
