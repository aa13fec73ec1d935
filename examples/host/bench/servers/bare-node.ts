import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ROUTE_BODY, ROUTE_PATH } from './bare-koa.ts'
import { type BenchServer, notServed, toMessage } from './bench-server.ts'

const TEXT = JSON.stringify(ROUTE_BODY)

/** A route of somebody else: a listener of Node, whoever asks. */
export function answerRoute(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(TEXT),
  })
  response.end(TEXT)
}

/** Requests of that route. */
export function routeMessages(host: string, count: number): readonly string[] {
  const message = toMessage({ method: 'GET', path: ROUTE_PATH, host })
  return Array.from({ length: count }, () => message)
}

/** That listener by itself. */
export async function startBareNode(): Promise<BenchServer> {
  const server = http.createServer(answerRoute)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.
  return {
    port,
    async prepare(job, count) {
      if (job !== 'route') throw notServed(job)
      return routeMessages('alice.example.com', count)
    },
  }
}
