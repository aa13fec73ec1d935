import http from 'node:http'
import { afterTest, listen, type RawRequest, requestLoopback } from '@svc/testkit'
import Koa from 'koa'
import type { RouteRow } from '../../../src/http/route.ts'
import { mountRoutes, type RouterEnvironment } from '../../../src/http/router.ts'
import type { Instance } from '../../../src/instances/instance.ts'
import { testInstance } from '../../support/test-instance.ts'

/** A row that answers 200 and `done` to everybody. */
export function testRow(fields: Partial<RouteRow> = {}): RouteRow {
  return {
    method: 'GET',
    path: '/auth/thing',
    handler: (ctx) => {
      ctx.body = 'done'
    },
    auth: ['none'],
    statuses: [200],
    family: 'json',
    summary: '',
    source: '',
    ...fields,
  }
}

export type Answer = Awaited<ReturnType<typeof exchange>>
export type Send = Partial<Pick<RawRequest, 'method' | 'headers' | 'body'>>

/** Serves rows as a package would, behind an instance. */
export async function serveRows(
  rows: readonly RouteRow[],
  options: {
    readonly instance?: Instance
    readonly appSlug?: string
    readonly environment?: Partial<RouterEnvironment>
  } = {},
) {
  type Fields = Readonly<Record<string, unknown>>
  const lines: { level: string; event: string; fields: Fields | undefined }[] = []
  const write = (level: string) => (event: string, fields?: Fields) => {
    lines.push({ level, event, fields })
  }
  const instance = options.instance ?? testInstance()
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.state['instance'] = instance
    ctx.state['appSlug'] = options.appSlug
    await next()
  })
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  app.use(mountRoutes(rows, { log, ...options.environment }))
  const server = await listen(app)
  afterTest(server.close)
  return {
    log: lines,
    /** One request, its target byte for byte. */
    send: (target: string, request: Send = {}) => exchange(server.port, target, request),
  }
}

/** One request to rows that are served for it alone. */
export async function ask(
  rows: readonly RouteRow[],
  target: string,
  request: Send = {},
  options: Parameters<typeof serveRows>[1] = {},
): Promise<Answer> {
  const { send } = await serveRows(rows, options)
  return send(target, request)
}

async function exchange(port: number, target: string, { method = 'GET', ...request }: Send) {
  const agent = new http.Agent()
  const url = new URL('http://alice.example.com')
  const answer = await requestLoopback({ port }, agent, { method, url, target, ...request })
  return { status: answer.status, headers: answer.headers, body: answer.body.toString() }
}
