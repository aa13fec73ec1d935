import http from 'node:http'
import { listen, recordStatuses, requestLoopback } from '@svc/testkit'
import Koa from 'koa'

export interface Asking {
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  /** Instead of a body. */
  readonly json?: unknown
}

/** Middleware on a real server, whose answers are recorded by route. */
export async function serveKoa(...middleware: readonly Koa.Middleware[]) {
  const statuses = recordStatuses()
  const koa = new Koa()
  koa.silent = true
  // The testkit knows no Koa.
  koa.use(statuses.middleware as Koa.Middleware)
  for (const each of middleware) koa.use(each)
  const { port, close } = await listen(koa)
  const agent = new http.Agent()
  return {
    statuses,
    async send(method: string, url: URL, { headers: given = {}, json, body }: Asking = {}) {
      const sent = json === undefined ? body : JSON.stringify(json)
      const type = json === undefined ? {} : { 'content-type': 'application/vnd.api+json' }
      const answer = await requestLoopback({ port }, agent, {
        method,
        url,
        headers: { ...type, ...given },
        ...(sent !== undefined && { body: sent }),
      })
      const text = answer.body.toString()
      const isJson = text !== '' && String(answer.headers['content-type']).includes('json')
      // `{}` of what is no JSON.
      const parsed: unknown = isJson ? JSON.parse(text) : {}
      return { status: answer.status, headers: answer.headers, text, json: parsed }
    },
    async close() {
      agent.destroy()
      await close()
    },
  }
}
