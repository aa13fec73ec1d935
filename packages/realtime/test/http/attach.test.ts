import http from 'node:http'
import type { Duplex } from 'node:stream'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { type RealtimeServer, startRealtime } from '../support/realtime-server.ts'

describe('upgrades beside other sockets of a server', () => {
  let bench: RealtimeServer
  let store: Store
  let server: http.Server
  let port: number
  let passed: string[]

  beforeEach(async () => {
    store = sqliteStore({ file: ':memory:' })
    bench = await startRealtime({ store })
    passed = []
    server = http.createServer()
    bench.realtime.attach(server, {
      next(request, socket: Duplex) {
        passed.push(`${request.headers.host} ${request.url}`)
        socket.end('HTTP/1.1 418 theirs\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as { port: number }).port
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await bench.close()
    await store.close()
  })

  const cases: readonly (readonly [host: string, path: string, status: number])[] = [
    ['alice.example.com', '/realtime/', 101],
    ['alice.example.com', '/hot-reload', 418],
    ['x.example', '/realtime/', 418],
    ['x.example', '/hot-reload', 418],
    ['drive.alice.example.com', '/realtime/', 404],
    ['a b', '/realtime/', 400],
  ]
  for (const [host, path, status] of cases) {
    it(`${host}${path} is ${status === 418 ? 'theirs' : 'ours'}`, async () => {
      expect(await upgrade(port, host, path)).to.equal(status)
      expect(passed).to.deep.equal(status === 418 ? [`${host} ${path}`] : [])
    })
  }
})

/** The status that an upgrade is answered with. */
function upgrade(port: number, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      host,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      'sec-websocket-version': '13',
      'sec-websocket-protocol': 'io.svc.websocket',
    }
    const request = http.request({ port, path, headers, agent: false })
    request.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.once('error', reject)
    request.end()
  })
}
