import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Whatever can serve requests: a Koa application or a plain listener. */
export type Servable = http.RequestListener | { callback(): http.RequestListener }

/** A running test server. */
export interface Listening {
  readonly port: number
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string
  readonly server: http.Server
  /** Stops accepting, ends open connections, resolves when the port is free. */
  close(): Promise<void>
}

/** Serves on 127.0.0.1 and a port the system chooses. */
export async function listen(app: Servable): Promise<Listening> {
  const server = http.createServer('callback' in app ? app.callback() : app)
  // On a busy machine the end of an idle connection would meet the next request of the test: a reset.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    server,
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}
