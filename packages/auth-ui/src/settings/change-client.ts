import { type AccessChangeOutcome, CONSENT_DURATIONS, type ConsentDuration } from '@svc/oauth-core'
import {
  bodySchema,
  type BodySchema,
  defineRoute,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { originOf } from '../web/activity.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { clientResource } from './clients.ts'
import { answerResources } from './json-api.ts'
import { idOf } from './settings-owner.ts'

/** `PATCH /settings/clients/:id`; at least one of them. */
interface AccessBody {
  readonly duration?: ConsentDuration
  readonly scope?: string
}

/** A scope is at most what one request may ask for. */
const MAX_SCOPE = 32_768

const ACCESS_SCHEMA: BodySchema<AccessBody> = bodySchema({
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    duration: {
      type: 'string',
      enum: [...CONSENT_DURATIONS],
      description:
        'from now on; what the client was allowed for longer stays so; not of an assistant, which has to ask again',
    },
    scope: {
      type: 'string',
      maxLength: MAX_SCOPE,
      description: 'what the client keeps, in the grammar of scopes: never more than it has',
    },
  },
})

/** What an owner changes of an access without the client. @see owner.md 3.4 */
export const changeClientRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PATCH',
    path: '/settings/clients/:id',
    handler: patchClient,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: ACCESS_SCHEMA, refuse: refuseBody },
    statuses: [200, 400, 401, 403, 404, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: ['access.extended', 'rights.reduced'],
    summary: 'Lets the access of a client last longer, or takes a part of it away.',
    source: 'owner.md 3.4',
  }),
]

async function patchClient(ctx: RouteContext<AccessBody>, services: AuthUiServices): Promise<void> {
  const { instance, body } = ctx.state
  const { clients } = services.oauth
  const origin = originOf(services.oauth.clientAddress(ctx), ctx.get('User-Agent'))
  const by = { actor: { kind: 'owner' as const }, origin }
  refuseOutcome(await clients.changeAccess(instance, idOf(ctx), body ?? {}, by))
  const client = await clients.get(instance, idOf(ctx))
  if (client === undefined) throw new AuthUiError('not_found')
  answerResources(ctx, await clientResource(services, instance, client))
}

function refuseOutcome(outcome: AccessChangeOutcome): void {
  if (outcome === 'gone') throw new AuthUiError('not_found')
  if (outcome === 'assistant') throw new AuthUiError('assistant')
  if (outcome === 'ended') throw new AuthUiError('ended')
  if (outcome === 'not_less') {
    const description = 'scope must be a part of what the client has'
    throw new AuthUiError('invalid_parameter', { description })
  }
}
