import type { Socket } from 'node:net'
import { afterTest, until } from '@svc/testkit'
import { expect } from 'chai'
import type { LimitConnectionsOptions } from '../../src/index.ts'
import { type LimitedServer, startLimited } from '../support/limited-server.ts'
import { get, type RawClient } from '../support/raw-client.ts'
import { readTestCertificate } from '../support/certificate.ts'

/** Much more than the system takes by itself. */
const ENDLESS = Buffer.alloc(60_000_000, 'x')
const LARGE = Buffer.alloc(12_000_000, 'x')

for (const isSecure of [false, true]) {
  describe(`an answer that is not taken at once, ${isSecure ? 'over TLS' : 'without TLS'}`, function () {
    this.timeout(20_000)
    let limited: LimitedServer

    async function start(answer: Buffer, bounds: object): Promise<RawClient> {
      limited = await startLimited((_request, response) => void response.end(answer), {
        ...bounds,
        ...(isSecure && { tls: readTestCertificate() }),
      })
      return limited.join()
    }

    const SLOW = { answerGraceMs: 1000, answerBytesPerSecond: 1_000_000_000 }
    const cases: [string, LimitConnectionsOptions, (socket: Socket) => unknown][] = [
      ['nobody reads it', { silenceMs: 600 }, (socket) => socket.pause()],
      ['it is read too slowly on average, however often', SLOW, readSlowly],
      ['it takes too long in all', { answerMs: 1000 }, readSlowly],
    ]
    for (const [what, bounds, read] of cases) {
      it(`ends with its connection when ${what}`, async () => {
        const client = await start(ENDLESS, { ...bounds, sweepMs: 100 })
        read(client.socket)
        client.send(get())
        await until(() => limited.sockets.size === 0)
        expect(limited.limits.figures().refused.slow_reader).to.equal(1)
      })
    }

    it('is sent to its end while it is read, though it is one piece', async () => {
      const bounds = { silenceMs: 1500, answerGraceMs: 500, answerBytesPerSecond: 10_000 }
      const client = await start(LARGE, { ...bounds, sweepMs: 100 })
      readSlowly(client.socket)
      client.send(get())
      await until(() => client.said().length > LARGE.length, { limitMs: 15_000 })
      expect(limited.limits.figures().refused.slow_reader).to.equal(0)
    })
  })
}

/** Some 4 MB a second, in small pieces: far below what loopback carries. */
function readSlowly(socket: Socket): void {
  let taken = 0
  socket.pause().on('data', (part: string) => {
    taken += part.length
    if (taken > 60_000) socket.pause()
  })
  const reading = setInterval(() => {
    taken = 0
    socket.resume()
  }, 15)
  afterTest(() => clearInterval(reading))
}
