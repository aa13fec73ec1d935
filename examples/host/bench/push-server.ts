import { readFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

// A push service of its own: it takes whatever it is sent.
const read = (file: string): string =>
  readFileSync(path.join(import.meta.dirname, '../test/support/tls', file), 'utf8')
const cert = read('test-only-cert.pem')
const server = https.createServer({ cert, key: read('test-only-key.pem') }, (request, response) => {
  request.resume()
  request.once('end', () => response.writeHead(201).end())
})
let connections = 0
server.on('secureConnection', () => {
  connections += 1
})
process.on('message', () => process.send?.(connections))
process.once('disconnect', () => process.exit())
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo // A TCP server's address is an object.
process.send?.({ port, ca: cert })
