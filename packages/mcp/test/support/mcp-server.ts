import { createHash } from 'node:crypto'
import http from 'node:http'
import { type AuthorizePages, createOAuth, type RecordedCall } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import {
  afterTest,
  type FakeClock,
  fakeClock,
  listen,
  type RawRequest,
  recordStatuses,
  requestLoopback,
  type RouteStatuses,
} from '@svc/testkit'
import { expect } from 'chai'
import Koa from 'koa'
import { createMcp, type Mcp, type McpOptions } from '../../src/index.ts'
import { storedDocuments } from './stored-documents.ts'

export const HOST = 'alice.example.com'
const REDIRECT_URI = 'http://127.0.0.1:7777/callback'
const VERIFIER = 'v'.repeat(43)
const OWNER = { cookie: 'session=owner' }
const AGENT = new http.Agent()

type Send = Partial<Pick<RawRequest, 'headers' | 'body'>>

export type Answer = Awaited<ReturnType<typeof exchange>>
export type McpServer = Awaited<ReturnType<typeof mcpServer>>

interface ServerOptions {
  readonly mcp?: Partial<McpOptions>
  readonly store?: Store
  readonly clock?: FakeClock
  /** Errors in the log are part of the test. */
  readonly mayCrash?: boolean
  /** Instead of the tools for documents. */
  readonly withoutData?: boolean
}

/** The package on a real server, real but for its pages, sessions and apps; closed after the test. */
export async function mcpServer(options: ServerOptions = {}) {
  const clock = options.clock ?? fakeClock()
  const store = options.store ?? sqliteStore({ file: ':memory:', clock })
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const oauth = createOAuth({
    store,
    clock,
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async () => undefined,
      listInstalled: async () => [],
      available: async () => undefined,
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
  })
  oauth.useSessions({
    current: async ({ headers }) =>
      headers.cookie === OWNER.cookie ? { id: 'owner', kind: 'normal', createdAt: 0 } : undefined,
  })
  const documents = storedDocuments(store)
  const mcp = createMcp({
    oauth,
    ...(options.withoutData !== true && { data: documents.port }),
    ...options.mcp,
  })
  const statuses: RouteStatuses = recordStatuses()
  const app = new Koa()
  app.silent = true
  // Koa's middleware of the testkit, which knows no Koa.
  app.use(statuses.middleware as Koa.Middleware)
  app.use(oauth.resolveInstance())
  app.use(oauth.routes({ pages: plainPages }))
  app.use(mcp.routes())
  const listening = await listen(app)
  const instance =
    (await oauth.instances.byHost(HOST)) ??
    (await oauth.instances.create({ domain: HOST, publicName: 'Alice' }))
  afterTest(async () => {
    await listening.close()
    await oauth.close()
    if (options.store === undefined) await store.close()
    expect(statuses.undeclared()).to.deep.equal([])
    const errors = logged.filter((line) => line.startsWith('error'))
    if (options.mayCrash !== true) expect(errors).to.deep.equal([])
  })

  const clients: string[] = []
  const send = (method: string, path: string, request: Send = {}) =>
    exchange(listening.port, method, path, request)
  /** One message of the protocol, of the newer era unless it says otherwise. */
  function message(
    token: string,
    content: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return send('POST', mcp.resource.path, {
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof content === 'string' ? content : JSON.stringify(content),
    })
  }
  return {
    oauth,
    mcp,
    store,
    clock,
    instance,
    documents,
    port: listening.port,
    send,
    message,
    logged: logged as readonly string[],
    /** Entries of calls, by client, oldest first. */
    async entries(): Promise<readonly RecordedCall[]> {
      const all = await Promise.all(
        clients.map((client) => oauth.assistants.listCalls(instance, client)),
      )
      return all.flatMap(({ calls }) => calls.toReversed())
    },
    /** A client without a secret, and the token that the owner gave it. */
    async connect(
      scope = 'io.svc.notes:GET io.svc.contacts:GET',
      path = mcp.resource.path,
    ): Promise<string> {
      const client = await registerClient(send)
      clients.push(client)
      return allow(send, client, scope, `${instance.origin}${path}`)
    },
    /** `tools/call`. */
    call: (token: string, name: string, given: object = {}) =>
      message(token, modern('tools/call', { name, arguments: given }), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      }),
  }
}

/** A server with the token of a client that may read, unless its scope is said. */
export async function connected(options: ServerOptions = {}, scope?: string) {
  const server = await mcpServer(options)
  return { server, token: await server.connect(scope) }
}

/** A tool of an embedder, of which a test says what it is about. */
export function ownTool(more: object): Parameters<Mcp['tool']>[0] {
  const input = { type: 'object', properties: {}, additionalProperties: false }
  // A program without types may leave anything out.
  return { name: 'own', title: 'Own', readOnly: true, input, needs: () => [], ...more } as never
}

/** A request that names its revision itself. */
export function modern(method: string, params: object = {}): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

/** A request of a revision that begins with `initialize`. */
export function legacy(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}

/** What a tool answered. */
export function resultOf({ status, text, body }: Answer): {
  readonly structuredContent: Record<string, unknown>
  readonly isError: boolean
  /** The error of a result. */
  readonly error: { readonly code?: string; readonly message?: string; retryAfterSeconds?: number }
} {
  expect(status, text).to.equal(200)
  const result = body['result'] as {
    readonly content: readonly { readonly text: string }[]
    readonly structuredContent?: Record<string, unknown>
    readonly isError?: boolean
  }
  expect(result, text).to.be.an('object')
  const isError = result.isError === true
  return {
    structuredContent: result.structuredContent ?? {},
    isError,
    error: isError ? (JSON.parse(result.content[0]?.text ?? '{}') as { code: string }) : {},
  }
}

async function registerClient(send: McpServer['send']): Promise<string> {
  const registered = await send('POST', '/auth/register', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Assistant',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
    }),
  })
  expect(registered.status, registered.text).to.equal(201)
  return String(registered.body['client_id'])
}

/** The owner's yes. @returns an access token */
async function allow(
  send: McpServer['send'],
  client: string,
  scope: string,
  resource: string,
): Promise<string> {
  const allowed = await send('POST', '/auth/authorize', {
    headers: { ...OWNER, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      client_id: client,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      state: 's',
      scope,
      resource,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      choice: '1',
      ...Object.fromEntries(scope.split(' ').map((_, place) => [`permission-${place}`, '1'])),
    }).toString(),
  })
  const { location } = allowed.headers
  if (location === undefined) throw new Error(`${allowed.status} ${allowed.text}`)
  const { searchParams } = new URL(location)
  if (searchParams.has('error')) throw new Error(`refused: ${searchParams.get('error')}`)
  const exchanged = await send('POST', '/auth/access_token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      client_id: client,
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      code_verifier: VERIFIER,
    }).toString(),
  })
  expect(exchanged.status, exchanged.text).to.equal(200)
  return String(exchanged.body['access_token'])
}

const notAsked = (): Promise<never> => Promise.reject(new Error('not asked for'))

const plainPages: AuthorizePages = {
  assistant: notAsked,
  consent: notAsked,
  login: notAsked,
  outOfBand: notAsked,
  sharing: notAsked,
  certify: notAsked,
  limit: notAsked,
  deprecated: notAsked,
  async error(ctx, error) {
    ctx.body = error.code
  },
  checkCsrf() {},
}

async function exchange(port: number, method: string, target: string, request: Send) {
  const url = new URL(`http://${HOST}`)
  const raw = await requestLoopback({ port }, AGENT, { method, url, target, ...request })
  const text = raw.body.toString()
  /** The JSON body; `{}` when there is none. */
  const body = parsed(text)
  return { status: raw.status, headers: raw.headers, text, body }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
