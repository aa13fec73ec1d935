import type { Duplex } from 'node:stream'
import { afterTest, listen } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { rawSocket, upgradeHeaders } from '../support/raw-socket.ts'
import { testRealtime } from '../support/realtime-server.ts'

describe('upgrades beside other sockets of a server', () => {
  let port: number
  let passed: string[]

  beforeEach(async () => {
    const bench = await testRealtime()
    passed = []
    const listening = await listen(() => {})
    afterTest(listening.close)
    port = listening.port
    bench.realtime.attach(listening.server, {
      next(request, socket: Duplex) {
        passed.push(`${request.headers.host} ${request.url}`)
        socket.end('HTTP/1.1 418 theirs\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      },
    })
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
      const raw = await rawSocket(port, { path, headers: upgradeHeaders(`Host: ${host}`) })
      raw.socket.destroy()
      expect(Number(raw.status.split(' ')[1])).to.equal(status)
      expect(passed).to.deep.equal(status === 418 ? [`${host} ${path}`] : [])
    })
  }
})
