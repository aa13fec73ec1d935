import { insufficientScope, OAuthError } from '@svc/oauth-core'
import { type Instance, type RouteContext, type RouteRow } from '@svc/platform'
import { isDoctype, isReserved, type TypeRules } from './events/doctype.ts'
import { RealtimeError } from './errors.ts'
import { isJsonObject, type RealtimeEvent } from './events/event.ts'
import { MAX_ID_LENGTH } from './limits.ts'

export interface RowsOptions {
  readonly rules: TypeRules
  readonly authenticate: (ctx: RouteContext) => Promise<void>
  readonly notify: (instance: Instance, event: RealtimeEvent) => Promise<void>
  /** Of a body. */
  readonly documentBytes: number
}

/** What an answer without an upgrade tells the client to do. */
export const UPGRADE_HEADERS: Readonly<Record<string, string>> = {
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  Upgrade: 'websocket',
}

/** The package's endpoints; handshakes never get here. */
export function createRows(options: RowsOptions): readonly RouteRow[] {
  const { rules, authenticate } = options

  function demandUpgrade(): void {
    throw new RealtimeError('upgrade_required', { headers: UPGRADE_HEADERS })
  }

  /** Before the body is read: whoever may not send does not get to send. */
  async function requirePermission(ctx: RouteContext, next: () => Promise<void>): Promise<void> {
    await authenticate(ctx)
    const { type, id } = topicOf(ctx)
    if (rules.server.has(type)) {
      const what = isReserved(rules, type) ? 'unreadable' : 'unwritable'
      throw new OAuthError('forbidden', { description: `reserved doctype ${type} ${what}` })
    }
    const isAllowed = isDoctype(type) && ctx.state.access?.allows('POST', type, { id }) === true
    if (!isAllowed) throw insufficientScope()
    await next()
  }

  async function notify(ctx: RouteContext): Promise<void> {
    const { type, id } = topicOf(ctx)
    const body = ctx.state.json
    if (!isJsonObject(body)) throw malformed('the body is not a JSON object')
    if (id.length > MAX_ID_LENGTH) throw malformed('the id is too long')
    await options.notify(ctx.state.instance, { type, id, doc: { ...body, _id: id } })
    ctx.status = 204
  }

  const socket = {
    method: 'GET',
    handler: demandUpgrade,
    auth: ['none'],
    statuses: [426],
    family: 'json',
    summary: 'The websocket: 101 for a handshake, which is answered before any route.',
    source: 'realtime.md 1',
  } as const

  return [
    { ...socket, path: '/realtime/' },
    { ...socket, path: '/realtime' },
    {
      method: 'POST',
      path: '/realtime/:doctype/:id',
      handler: notify,
      auth: ['access token', 'app token'],
      body: { types: ['json'], limitBytes: options.documentBytes, schema: DOCUMENT_SCHEMA },
      statuses: [204, 400, 401, 403, 413, 415],
      family: 'json',
      cors: 'app-origins',
      use: [requirePermission],
      summary: 'Sends a document to those who listen to its type or id, without storing it.',
      source: 'realtime.md 8',
    },
  ]
}

/** Any members; `_id` is that of the path. */
const DOCUMENT_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  description: 'the document, as subscribers get it',
}

function topicOf(ctx: RouteContext): { readonly type: string; readonly id: string } {
  // Both are in the path of the row.
  const { doctype, id } = ctx['params'] as { doctype: string; id: string }
  return { type: doctype, id }
}

function malformed(description: string): OAuthError {
  return new OAuthError('invalid_request', { description })
}
