import { insufficientScope, OAuthError } from '@svc/oauth-core'
import {
  anybody,
  bodySchema,
  defineRoute,
  requirement,
  type Route,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import type { Json } from '@svc/store'
import { RealtimeError } from './errors.ts'
import { isDoctype, isReserved } from './events/doctype.ts'
import { MAX_ID_LENGTH } from './limits.ts'
import type { RealtimeServices } from './services.ts'

type Document = Readonly<Record<string, Json | undefined>>

/** What an answer without an upgrade tells the client to do. */
const UPGRADE_HEADERS: Readonly<Record<string, string>> = {
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  Upgrade: 'websocket',
}

/** Any members; `_id` is that of the path. */
const DOCUMENT = bodySchema<Document>({
  type: 'object',
  description: 'the document, as subscribers get it',
})

/** Asked before the body is read: whoever may not send does not get to send. */
const requirePermission: RouteAuth<RealtimeServices> = requirement(
  ['access token', 'app token'],
  async function requirePermission(ctx, { oauth, rules }: RealtimeServices) {
    await oauth.authenticate(ctx)
    const { type, id } = topicOf(ctx)
    if (rules.server.has(type)) {
      const what = isReserved(rules, type) ? 'unreadable' : 'unwritable'
      throw new OAuthError('forbidden', { description: `reserved doctype ${type} ${what}` })
    }
    const isAllowed = isDoctype(type) && ctx.state.access?.allows('POST', type, { id }) === true
    if (!isAllowed) throw insufficientScope()
  },
)

const SOCKET = {
  method: 'GET',
  handler: requireUpgrade,
  auth: anybody,
  statuses: [426],
  family: 'json',
  summary: 'The websocket: 101 for a handshake, which is answered before any route.',
  source: 'realtime.md 1',
} as const

/**
 * The package's endpoints, in the order of their paths; handshakes never get here.
 * @param documentBytes - of a body
 */
export function realtimeRoutes(documentBytes: number): readonly Route<RealtimeServices>[] {
  return [
    defineRoute({ ...SOCKET, path: '/realtime' }),
    defineRoute({ ...SOCKET, path: '/realtime/' }),
    defineRoute({
      method: 'POST',
      path: '/realtime/:doctype/:id',
      handler: sendDocument,
      auth: requirePermission,
      body: {
        types: ['json'],
        limitBytes: documentBytes,
        keepsDigits: true,
        schema: DOCUMENT,
        refuse: () => malformed('the body is not a JSON object'),
      },
      statuses: [204, 400, 401, 403, 413, 415],
      family: 'json',
      cors: 'app-origins',
      activity: { none: 'Nothing is stored.' },
      summary: 'Sends a document to those who listen to its type or id, without storing it.',
      source: 'realtime.md 8',
    }),
  ]
}

function requireUpgrade(): void {
  throw new RealtimeError('upgrade_required', { headers: UPGRADE_HEADERS })
}

async function sendDocument(
  ctx: RouteContext<Document>,
  { notify }: RealtimeServices,
): Promise<void> {
  const { type, id } = topicOf(ctx)
  if (id.length > MAX_ID_LENGTH) throw malformed('the id is too long')
  await notify(ctx.state.instance, { type, id, doc: { ...ctx.state.body, _id: id } })
  ctx.status = 204
}

function topicOf(ctx: RouteContext): { readonly type: string; readonly id: string } {
  // Both are in the path of the route.
  const { doctype, id } = ctx['params'] as { doctype: string; id: string }
  return { type: doctype, id }
}

function malformed(description: string): OAuthError {
  return new OAuthError('invalid_request', { description })
}
