import type { Context } from 'koa'
import type {
  BodyRule,
  Emitter,
  Logger,
  RateLimits,
  RouteContext,
  RouteMiddleware,
  RouteRow,
} from '@svc/platform'
import type { Engine } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import type { AppRegistry, OAuthEvents } from '../ports.ts'
import type { AccessContext } from '../access/access-context.ts'
import type { ClientCleanup } from './cleanup.ts'
import { clientSchema } from './client.schema.ts'
import type { ClientNames } from '../clients/client-names.ts'
import { toWire } from '../clients/client-record.ts'
import type { ClientStore } from '../clients/client-store.ts'
import { engineError } from './engine-error.ts'
import { checkLinkedApp } from '../clients/linked-app.ts'
import { pickMembers, readNewMetadata } from './client-metadata.ts'
import type { ClientRevoker } from './revoke-client.ts'

export interface RegisterDependencies {
  readonly engine: Pick<Engine, 'register'>
  readonly clients: ClientStore
  readonly names: ClientNames
  readonly apps: Pick<AppRegistry, 'available'>
  readonly limits: RateLimits<'oauth-client'>
  readonly cleanup: ClientCleanup
  readonly revoker: ClientRevoker
  readonly emitter: Emitter<OAuthEvents>
  readonly log: Logger
  readonly clientAddress: (ctx: Context) => string
  /** Sets `ctx.state.access`, or throws. */
  readonly authenticate: (ctx: Context) => Promise<void>
}

/** A JSON body as the registration endpoints take it. */
export const CLIENT_BODY: BodyRule = {
  types: ['json'],
  schema: clientSchema,
  wrongType: { status: 400, code: 'bad_content_type' },
}

/** Registration, for anybody and for the settings app. @see oauth.md 3.1, 3.3; RFC 7591 */
export function registerRows(dependencies: RegisterDependencies): readonly RouteRow[] {
  const limitClients = limitClientWrites(dependencies.limits)
  const row = {
    method: 'POST',
    handler: (ctx) => register(ctx, dependencies),
    body: CLIENT_BODY,
    family: 'oauth',
    limit: 'oauth-client',
  } as const satisfies Partial<RouteRow>
  return [
    {
      ...row,
      path: '/auth/register',
      auth: ['none'],
      statuses: [201, 400, 413, 415, 429],
      use: [limitClients, requireJson],
      summary: 'Registers a client.',
      source: 'oauth.md 3.1; RFC 7591',
    },
    {
      ...row,
      path: '/auth/registerFromWebApp',
      auth: ['settings app token'],
      statuses: [201, 400, 403, 413, 415, 429],
      cors: 'app-origins',
      use: [requireSettingsApp(dependencies), limitClients, requireJson],
      summary: 'Registers a client on behalf of the settings app.',
      source: 'oauth.md 3.3',
    },
  ]
}

async function register(ctx: RouteContext, dependencies: RegisterDependencies): Promise<void> {
  const { engine, clients, names, cleanup, emitter, log } = dependencies
  const { instance } = ctx.state
  const asked = readNewMetadata(pickMembers(ctx.state.json), instance)
  await checkLinkedApp(asked.software_id, instance, dependencies.apps)
  await cleanup.sweep(instance, dependencies.revoker)

  const name = await names.claim(instance.id, asked.client_name)
  if (name === undefined) throw new TypeError('a new client has no name of its own')
  const metadata = { ...asked, client_name: name.name }
  const write = { metadata, name }
  const answer = await clients.storing(write, () => engine.register(ctx, instance, { ...metadata }))
  const { client_id: id, registration_access_token: token } = answer.body ?? {}
  if (answer.status !== 201 || typeof id !== 'string' || typeof token !== 'string') {
    await names.release(instance.id, name)
    throw engineError(answer)
  }
  await cleanup.registered(instance, id)

  const stored = await clients.open(instance, id)
  if (stored === undefined) throw new OAuthError('internal_error', { detail: 'just registered' })
  emitter.emit('client.created', { instance, client: stored.client })
  log.info('client.registered', {
    domain: instance.domain,
    clientId: id,
    softwareId: metadata.software_id,
    address: dependencies.clientAddress(ctx),
  })
  ctx.status = 201
  ctx.body = toWire(stored.client, stored.secret, token)
}

/** Counts what writes clients; before anything is looked at (oauth.md 3.1). */
export function limitClientWrites(limits: RateLimits<'oauth-client'>): RouteMiddleware {
  return async function limitClients(ctx, next) {
    await limits.hit(ctx.state.instance, 'oauth-client')
    await next()
  }
}

/** SPEC: oauth.md 3.1 - the two header errors have codes of their own. */
export async function requireJson(ctx: RouteContext, next: () => Promise<void>): Promise<void> {
  const type = ctx.get('Content-Type').trim().toLowerCase()
  if (!type.startsWith('application/json')) throw new OAuthError('bad_content_type')
  if (ctx.accepts('application/json') === false) throw new OAuthError('bad_accept_header')
  await next()
}

/** SPEC: oauth.md 3.3 - whatever is not a live token of the settings app is the same 403. */
function requireSettingsApp({ authenticate }: RegisterDependencies): RouteMiddleware {
  return async function requireSettings(ctx, next) {
    let access: AccessContext | undefined
    try {
      await authenticate(ctx)
      access = ctx.state.access
    } catch (error) {
      if (!OAuthError.is(error) || error.status !== 401) throw error
    }
    if (access?.kind !== 'app' || access.app?.slug !== 'settings') throw new OAuthError('forbidden')
    await next()
  }
}
