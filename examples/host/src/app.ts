import { randomBytes } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import Koa from 'koa'

/** Answers what Koa must not see: a request target that is no path (security.md 0: Koa's `ctx.path` throws on some). */
export function toListener(app: Koa): RequestListener {
  const handle = app.callback()
  return function listener(request, response) {
    if (request.url?.startsWith('/') !== true) {
      refuseTarget(response)
      return
    }
    void handle(request, response)
  }
}

function refuseTarget(response: ServerResponse): void {
  response.writeHead(400, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  })
  response.end('Bad Request')
}

/** Short random id of a request, for the log and for unexpected errors. */
export function requestId(): string {
  return randomBytes(9).toString('base64url')
}
