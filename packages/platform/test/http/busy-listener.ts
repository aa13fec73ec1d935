import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Longer than the pause before the next address, shorter than the kernel's second try to connect. */
const BUSY_MS = 800

/** A server that accepts nobody for a while once it was told to, as one under load. */
const server = http.createServer((_request, response) => void response.end('late'))
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 })
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
process.on('message', () => {
  process.send?.('busy', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
  })
})
