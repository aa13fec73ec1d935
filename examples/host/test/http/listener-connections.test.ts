import { once } from 'node:events'
import { needsLoopbackAddresses } from '@svc/testkit'
import { expect } from 'chai'
import { testHost } from '../support/for-test.ts'
import { destroyed, openHostile, openSockets } from '../support/hostile-client.ts'

const HOST = 'Host: alice.example.com\r\n'

describe('connections of the public listener', () => {
  it('are destroyed within 5 s of their end, however long their client stays', async () => {
    const host = await testHost()
    const { port } = host.host
    const ended = [
      'hello\r\n\r\n',
      `GET /auth/login HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
      `POST /auth/login HTTP/1.1\r\n${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
      `POST /auth/login HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\nx`,
    ]
    const before = openSockets()
    const clients = await Promise.all(ended.map((text) => openHostile(port, text)))
    while (clients.some((client) => client.said() === '')) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await destroyed(clients, before, 5000)
    for (const { socket } of clients) socket.destroy()
  })

  it('handle one request at a time, and none of a flood that is sent ahead', async () => {
    const host = await testHost({ SVC_LIMITS_REQUESTS_PER_MINUTE: '0' })
    const one = `GET /auth/login HTTP/1.1\r\n${HOST}\r\n`
    const before = openSockets()
    const floods = await Promise.all(
      Array.from({ length: 20 }, () => openHostile(host.host.port, one.repeat(200))),
    )
    await destroyed(floods, before, 5000)
    for (const { socket } of floods) socket.destroy()
    const handled = host.log.filter(([event]) => event === 'http.request')
    expect(handled).to.deep.equal([])
    expect(floods.map((flood) => flood.said())).to.deep.equal(floods.map(() => ''))
    const refused = host.log.filter(([event]) => event === 'connection.refused')
    expect(refused).to.deep.equal([['connection.refused', { reason: 'pipeline', count: 1 }]])
  })

  it('answer requests that are sent ahead in their order', async () => {
    const host = await testHost()
    const paths = ['/auth/login', '/public/prelogin', '/nothing', '/health/live']
    const client = await openHostile(
      host.host.port,
      paths.map((path) => `GET ${path} HTTP/1.1\r\n${HOST}Accept: text/html\r\n\r\n`).join(''),
    )
    while (!client.said().includes('{"status":"up"}')) await once(client.socket, 'data')
    const statuses = [...client.said().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code)
    expect(statuses).to.deep.equal(['200', '200', '404', '200'])
    client.socket.destroy()
  })

  it('are half of all for one address, so that 200 silent ones keep nobody out', async function () {
    needsLoopbackAddresses(this)
    const host = await testHost({ SVC_LIMITS_CONNECTIONS: '50' })
    const { port } = host.host
    const silent = await Promise.all(Array.from({ length: 200 }, () => openHostile(port)))
    try {
      for (let at = 2; at < 12; at += 1) {
        const text = `GET /auth/login HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
        const other = await openHostile(port, text, `127.0.0.${at}`)
        await once(other.socket, 'end')
        expect(other.said()).to.match(/^HTTP\/1\.1 200 /)
      }
      const metrics = await (await host.admin('GET', '/metrics')).text()
      expect(metrics).to.match(/^svc_connections\{state="idle"\} 2[5-9]$/m)
      expect(metrics).to.match(/^svc_connections_refused_total\{reason="address"\} 175$/m)
      expect(metrics).to.match(/^svc_connections_refused_total\{reason="malformed"\} 0$/m)
    } finally {
      for (const { socket } of silent) socket.destroy()
    }
  })

  it('may all be of one address where that is a proxy', async () => {
    const host = await testHost({ SVC_LIMITS_CONNECTIONS: '50', SVC_TRUST_PROXY: '1' })
    const { port } = host.host
    const kept = await Promise.all(Array.from({ length: 40 }, () => openHostile(port)))
    const text = `GET /health/live HTTP/1.1\r\n${HOST}\r\n`
    for (const { socket } of kept) socket.write(text)
    await Promise.all(kept.map(({ socket }) => once(socket, 'data')))
    expect(kept.every(({ said }) => said().startsWith('HTTP/1.1 200 '))).to.equal(true)
    for (const { socket } of kept) socket.destroy()
  })

  it('let a client that is refused in the middle of its body read why', async () => {
    const host = await testHost()
    const type = 'Content-Type: application/x-www-form-urlencoded\r\n'
    const head = `POST /auth/login HTTP/1.1\r\n${HOST}${type}Content-Length: 130000\r\n\r\n`
    for (let count = 0; count < 100; count += 1) {
      const client = await openHostile(host.host.port, `${head}${'x'.repeat(65_000)}`)
      await once(client.socket, 'data')
      client.socket.write('x'.repeat(65_000))
      await once(client.socket, 'end')
      expect(client.said()).to.match(/^HTTP\/1\.1 413 [^]*payload/i)
      client.socket.end()
    }
  })
})

describe('connections of the admin listener', () => {
  it('have the same bounds, and there are fewer of them', async function () {
    needsLoopbackAddresses(this)
    const host = await testHost()
    const { adminPort } = host.host
    const before = openSockets()
    const refused = await openHostile(adminPort, 'hello\r\n\r\n')
    await once(refused.socket, 'end')
    const one = `GET /instances HTTP/1.1\r\n${HOST}\r\n`
    const flood = await openHostile(adminPort, one.repeat(200))
    await destroyed([refused, flood], before, 5000)
    refused.socket.destroy()
    expect(flood.said()).to.equal('')
    const many = await Promise.all(
      Array.from({ length: 80 }, (_, at) => openHostile(adminPort, '', `127.0.0.${(at % 4) + 1}`)),
    )
    const closed = (): number => many.filter(({ socket }) => socket.readableEnded).length
    while (closed() < 16) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const { socket } of many) socket.destroy()
  })
})
