import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where the owner's browser comes back to: a page on this computer, as RFC 8252 advises native apps. */
export interface Callback {
  readonly redirectUri: string
  /** The address the browser came back with. */
  readonly visit: Promise<URL>
  close(): void
}

/** Waits for the owner on a free port of loopback. */
export async function openCallback(): Promise<Callback> {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server's address is an object.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const visit = new Promise<URL>((resolve) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', origin)
      const isCallback = url.pathname === '/callback'
      response.writeHead(isCallback ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      response.end('<!doctype html><title>Example client</title><p>Go back to the terminal.</p>')
      if (isCallback) resolve(url)
    })
  })
  return {
    redirectUri: `${origin}/callback`,
    visit,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
