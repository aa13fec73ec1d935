import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What stands between a browser and the host: it loses cookies, as a browser that blocks them does, and its address
 * stays the same when the host is started again on another port.
 */
export interface Front {
  readonly port: number
  leadTo(port: number): void
  /** Cookies of these hosts get lost on their way, both ways. @param isBlocked - takes a name without port */
  blockCookies(isBlocked: (host: string) => boolean): void
  /** How many requests with this method and path came through, whatever their query. */
  count(method: string, path: string): number
  close(): Promise<void>
}

/** Listens on a port that the system chooses, on loopback. */
export async function openFront(port: number): Promise<Front> {
  let upstream = port
  let isBlocked: (host: string) => boolean = () => false
  const seen: string[] = []
  const server = createServer((request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    const losesCookies = isBlocked((headers.host ?? '').replace(/:\d+$/, ''))
    const kept = (all: IncomingHttpHeaders, lost: string): IncomingHttpHeaders =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !(losesCookies && name === lost)))
    seen.push(`${method} ${path.split('?', 1)[0]}`)
    const onward = send(
      { host: '127.0.0.1', port: upstream, method, path, headers: kept(headers, 'cookie') },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, kept(answer.headers, 'set-cookie'))
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port, // listens on a port
    leadTo(next) {
      upstream = next
    },
    blockCookies(of) {
      isBlocked = of
    },
    count: (method, path) => seen.filter((each) => each === `${method} ${path}`).length,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
