import http from 'node:http'
import { afterTest, listen } from '@svc/testkit'
import Koa from 'koa'
import type { RouteRow } from '../../../src/http/route.ts'
import { mountRoutes, type RouterEnvironment } from '../../../src/http/router.ts'
import type { Instance } from '../../../src/instances/instance.ts'

/** An instance as `resolveInstance` would find it. */
export function testInstance(fields: Partial<Instance> = {}): Instance {
  const instance = {
    id: 'instance',
    domain: 'alice.example.com',
    aliases: [],
    locale: 'en',
    status: 'active',
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    revision: 'r',
    origin: 'https://alice.example.com',
    isHttps: true,
    subdomains: 'nested',
    ...fields,
  }
  // Branded ids and revisions are texts.
  return instance as Instance
}

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

/** One line of the log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>> | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface Send {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Buffer
}

export interface ServedRows {
  readonly log: readonly LogLine[]
  /** One request, its target byte for byte. */
  send(target: string, request?: Send): Promise<Answer>
}

/** Serves rows as a package would, behind an instance. */
export async function serveRows(
  rows: readonly RouteRow[],
  options: {
    readonly instance?: Instance
    readonly appSlug?: string
    readonly environment?: Partial<RouterEnvironment>
  } = {},
): Promise<ServedRows> {
  const lines: LogLine[] = []
  const write =
    (level: LogLine['level']) => (event: string, fields?: Readonly<Record<string, unknown>>) => {
      lines.push({ level, event, fields })
    }
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.state['instance'] = options.instance ?? testInstance()
    ctx.state['appSlug'] = options.appSlug
    await next()
  })
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  app.use(mountRoutes(rows, { log, ...options.environment }))
  const server = await listen(app)
  afterTest(server.close)
  return { log: lines, send: (target, request = {}) => exchange(server.port, target, request) }
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

function exchange(port: number, target: string, { method, headers, body }: Send): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        path: target,
        agent: false,
        ...(method === undefined ? {} : { method }),
        ...(headers === undefined ? {} : { headers }),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () => {
          resolve({
            // Always there on a response.
            status: response.statusCode as number,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          })
        })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}
