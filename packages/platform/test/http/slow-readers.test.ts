import type { Socket } from 'node:net'
import { expect } from 'chai'
import { type LimitedServer, startLimited } from '../support/limited-server.ts'
import { get, until } from '../support/raw-client.ts'
import { readTestCertificate } from '../support/certificate.ts'

/** Much more than the system takes by itself. */
const ENDLESS = Buffer.alloc(60_000_000, 'x')
const LARGE = Buffer.alloc(12_000_000, 'x')

for (const isSecure of [false, true]) {
  describe(`an answer that is not taken at once, ${isSecure ? 'over TLS' : 'without TLS'}`, function () {
    this.timeout(20_000)
    let limited: LimitedServer
    afterEach(() => limited.close())

    async function start(answer: Buffer, bounds: object): Promise<void> {
      limited = await startLimited((_request, response) => void response.end(answer), {
        ...bounds,
        ...(isSecure && { tls: readTestCertificate() }),
      })
    }

    it('ends with its connection when nobody reads it', async () => {
      await start(ENDLESS, { silenceMs: 600, sweepMs: 100 })
      const client = await limited.join()
      client.stopReading()
      client.send(get())
      await until(() => limited.sockets.size === 0)
      expect(limited.limits.figures().refused.slow_reader).to.equal(1)
    })

    it('ends when it is read too slowly on average, however often', async () => {
      await start(ENDLESS, {
        answerGraceMs: 1000,
        answerBytesPerSecond: 1_000_000_000,
        sweepMs: 100,
      })
      const client = await limited.join()
      const reading = readSlowly(client.socket)
      client.send(get())
      await until(() => limited.sockets.size === 0)
      clearInterval(reading)
      expect(limited.limits.figures().refused.slow_reader).to.equal(1)
    })

    it('ends when it takes too long in all', async () => {
      await start(ENDLESS, { answerMs: 1000, sweepMs: 100 })
      const client = await limited.join()
      const reading = readSlowly(client.socket)
      client.send(get())
      await until(() => limited.sockets.size === 0)
      clearInterval(reading)
      expect(limited.limits.figures().refused.slow_reader).to.equal(1)
    })

    it('is sent to its end while it is read, though it is one piece', async () => {
      await start(LARGE, {
        silenceMs: 1500,
        answerGraceMs: 500,
        answerBytesPerSecond: 10_000,
        sweepMs: 100,
      })
      const client = await limited.join()
      const reading = readSlowly(client.socket)
      client.send(get())
      await until(() => client.said().length > LARGE.length, 15_000)
      clearInterval(reading)
      expect(limited.limits.figures().refused.slow_reader).to.equal(0)
    })
  })
}

/** Some 4 MB a second, in small pieces: far below what loopback carries. */
function readSlowly(socket: Socket): NodeJS.Timeout {
  let taken = 0
  socket.pause().on('data', (part: string) => {
    taken += part.length
    if (taken > 60_000) socket.pause()
  })
  return setInterval(() => {
    taken = 0
    socket.resume()
  }, 15)
}
