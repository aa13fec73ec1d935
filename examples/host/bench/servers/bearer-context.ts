import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Instance } from '@svc/platform'
import type Koa from 'koa'
import type { Context } from 'koa'

/** What the guard gets to see of a request with a bearer token, without a connection. */
export function bearerContext(koa: Koa, instance: Instance, token: string): Context {
  const request = new IncomingMessage(new Socket())
  request.headers = {
    host: instance.domain,
    accept: 'application/json',
    // One flat text, as the parser of a connection makes it: joined texts would be put together in the measured time.
    authorization: Buffer.from(`Bearer ${token}`).toString(),
  }
  request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [
    name,
    String(value),
  ])
  const ctx = koa.createContext(request, new ServerResponse(request))
  ctx.state['instance'] = instance
  return ctx
}
