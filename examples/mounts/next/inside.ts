// The second way, for what has to come after Next: the handler answers in the route that gets what no other route has.
// Websockets do not go through toFetch: they stay with the server.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { toFetch } from '@svc/oauth-core/fetch'
import next from 'next'
import { oauth, routes, serve } from './assembly.ts'
import { NOTHING, share } from './shared.ts'

/**
 * Who is connected, as the socket says. Limits hang on it, so it never comes from what a route can read: its headers,
 * X-Forwarded-For included, are the client's own words. Behind a proxy of yours, which adds to that header, the socket's is
 * the proxy's, and `trustProxy: 1` of createOAuth lets the handler read what the proxy added, and no more.
 */
const client = new AsyncLocalStorage<string>()
const answer = toFetch(oauth.handler({ routes, next: nothing }))
// Without an address it throws, and the answer is 500.
share({ oauth, answer: (request) => answer(request, { address: client.getStore() ?? '' }) })

// As in server.ts: upgrades come to Next by its handler alone.
const app = next({ dir: import.meta.dirname, httpServer: createServer() })
await app.prepare()
const handle = app.getRequestHandler()
const upgrade = app.getUpgradeHandler()

const server = createServer((...both) => {
  client.run(both[0].socket.remoteAddress ?? '', () => void handle(...both))
})
await serve(server, { next: (...all) => void upgrade(...all), stop: () => app.close() })

function nothing(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(NOTHING))
}
