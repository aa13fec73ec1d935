import { request } from 'node:http'
import { expect } from 'chai'
import { startServer } from '../../src/http/http-server.ts'

const DRAIN_MS = 30
const ROUNDS = 5
const CLIENTS = 10
/** How long they send in the test of a busy listener, and how long each of their requests computes. */
const BUSY_MS = 1000
const COMPUTES_MS = 3

describe('a listener that ends', () => {
  it('answers a connection that the system took in its very last moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer((_request, response) => response.end(), {
        port: 0,
        host: '127.0.0.1',
      })
      const answer = new Promise<unknown>((resolve) => {
        // Runs in the same turn as the timer of the drain, just before it.
        setTimeout(() => resolve(post(server.port)), DRAIN_MS)
      })
      const stopped = server.stop({ drainMs: DRAIN_MS, cutMs: 5000 })
      expect(await answer, `round ${round}`).to.equal(200)
      await stopped
    }
  })

  it('waits for a quiet moment as long as connections keep coming', async () => {
    const server = await startServer(
      (_request, response) => {
        const startedAt = performance.now()
        while (performance.now() - startedAt < COMPUTES_MS);
        response.end()
      },
      { port: 0, host: '127.0.0.1' },
    )
    const startedAt = performance.now()
    const clients = Array.from({ length: CLIENTS }, async () => {
      const results: unknown[] = []
      while (performance.now() - startedAt < BUSY_MS) results.push(await post(server.port))
      return results
    })
    const stopped = server.stop({ drainMs: DRAIN_MS, cutMs: 10_000 })
    const results = (await Promise.all(clients)).flat()
    expect(new Set(results)).to.deep.equal(new Set([200]))
    await stopped
  })
})

/** On a connection of its own. The status, or the code of what went wrong. */
function post(port: number): Promise<unknown> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, agent: false, method: 'POST' }
    const sent = request(options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    sent.end('x')
  })
}
