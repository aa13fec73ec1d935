import type { ResourceAccess } from '@svc/oauth-core'
import { RequestError, type RouteContext, type RouteMiddleware, type RouteRow } from '@svc/platform'
import { Admission } from './calls/admission.ts'
import { McpError } from './errors.ts'
import { MAX_BODY_BYTES } from './limits.ts'
import { answerMessage, answerOf, type ProtocolAnswer, toRequest } from './protocol/answer.ts'
import { errorMessage, NOT_A_REQUEST, NOT_JSON } from './protocol/messages.ts'
import { isOriginFit } from './protocol/origin.ts'
import type { McpServices } from './services.ts'

/**
 * The endpoint of the package. The guard stands in front of the handler, since it answers refusals by itself.
 * @see assistants.md 6.2
 */
export function mcpRoutes(path: string, services: McpServices): readonly RouteRow[] {
  const requireToken: RouteMiddleware = (ctx, next) => requireGoodToken(ctx, next, services)
  return [
    {
      method: 'POST',
      path,
      otherMethods: (ctx, next) => refuseMethod(ctx, next, requireToken),
      handler: (ctx) => answer(ctx, services),
      auth: ['access token'],
      use: [
        (ctx, next) => requireFitOrigin(ctx, next, services),
        requireToken,
        requireJson,
        answerMalformed,
      ],
      body: { types: ['json'], limitBytes: MAX_BODY_BYTES, keepsDigits: true, schema: MESSAGE },
      limit: [
        { bucket: 'address', inRule: 'every request of an address that has a token' },
        {
          bucket: 'minute',
          inRule: 'calls of tools, by grant: a result says so, 429 ten times over',
        },
        { bucket: 'hour', inRule: 'calls of tools, by grant: as above' },
        { bucket: 'writes', inRule: 'calls of tools that write, by grant: as above' },
        { bucket: 'documents', inRule: 'documents that are read, by grant: a result says so' },
      ],
      statuses: [200, 202, 400, 401, 403, 404, 413, 415, 429],
      family: 'json',
      cors: 'resource',
      activity: { none: 'Each call has an entry of its own, which the owner reads by assistant.' },
      summary: 'One message of the Model Context Protocol.',
      source: 'assistants.md 6.2',
    },
  ]
}

/** What the protocol library holds bodies against, for the reference. */
const MESSAGE = {
  type: 'object',
  description: 'a JSON-RPC request or notification of the Model Context Protocol',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
  required: ['jsonrpc', 'method'],
} as const

async function requireFitOrigin(
  ctx: RouteContext,
  next: () => Promise<void>,
  { origins }: McpServices,
): Promise<void> {
  if (!isOriginFit(ctx.get('Origin'), origins)) throw new McpError('mcp_origin')
  await next()
}

/** The guard answers a caller without a good token by itself; its body is thrown away and its connection closed. */
async function requireGoodToken(
  ctx: RouteContext,
  next: () => Promise<void>,
  { guard }: McpServices,
): Promise<void> {
  let isGood = false
  await guard(ctx, async () => {
    isGood = true
    await next()
  })
  if (isGood) return
  ctx.set('Connection', 'close')
  await discardBody(ctx)
}

/** So that a client that sends before it reads gets its answer; a longer body is left unread. */
async function discardBody({ req }: RouteContext): Promise<void> {
  let left = MAX_BODY_BYTES
  try {
    // Destroyed, the request would take its connection with it, and the answer.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      left -= (chunk as Buffer).length
      if (left <= 0) return
    }
  } catch {
    // The client is gone.
  }
}

/**
 * SPEC: assistants.md 6.2 - clients look for the challenge with any method. The status of HEAD is that of the POST it
 * stands for.
 */
async function refuseMethod(
  ctx: RouteContext,
  refuse: () => Promise<void>,
  requireToken: RouteMiddleware,
): Promise<void> {
  let isGood = false
  await requireToken(ctx, async () => {
    isGood = true
  })
  if (isGood || ctx.method !== 'HEAD') await refuse()
}

/** More narrow than the router: JSON of other media types is no message. */
async function requireJson(ctx: RouteContext, next: () => Promise<void>): Promise<void> {
  const type = (ctx.get('Content-Type').split(';', 1)[0] ?? '').trim().toLowerCase()
  if (type !== 'application/json') throw new RequestError('unsupported_media_type')
  await next()
}

/** A body that cannot be read is answered in the words of the protocol. */
async function answerMalformed(ctx: RouteContext, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (!RequestError.is(error, 'invalid_request')) throw error
    const code = ctx.state.json === undefined ? NOT_JSON : NOT_A_REQUEST
    send(ctx, answerOf(error.status, errorMessage(null, code)))
  }
}

async function answer(ctx: RouteContext, services: McpServices): Promise<void> {
  const { instance, json } = ctx.state
  const ended = new AbortController()
  const end = (): void => ended.abort()
  ctx.res.once('close', end)
  try {
    // Set by the guard.
    const access = ctx.state['access'] as ResourceAccess
    const subjects = { address: services.clientAddress(ctx), grantId: access.grantId }
    const admission = new Admission(services.counters, instance, subjects)
    const exchange = { instance, access, signal: ended.signal, admission }
    const request = toRequest(ctx, ended.signal)
    const found = await answerMessage(await services.protocol(), request, json, exchange)
    await admission.request()
    if (found === undefined) return
    // Whoever was cut off meanwhile gets nothing more: the guard answers instead.
    await services.guard(ctx, async () => send(ctx, found))
  } finally {
    ctx.res.off('close', end)
  }
}

function send(ctx: RouteContext, { status, headers, body }: ProtocolAnswer): void {
  ctx.set(headers)
  ctx.status = status
  if (body === '') {
    ctx.body = null
    ctx.status = status
    return
  }
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = body
}
