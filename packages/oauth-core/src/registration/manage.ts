import {
  type Emitter,
  equalSecrets,
  type Logger,
  type RateLimits,
  type Revocations,
  type RouteContext,
  type RouteMiddleware,
  type RouteRow,
} from '@svc/platform'
import type { Engine } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import type { AppRegistry, OAuthEvents } from '../ports.ts'
import { readBearer } from '../tokens/bearer.ts'
import { invalidToken } from '../tokens/refusals.ts'
import { clientUpdateSchema } from './client.schema.ts'
import type { Client } from '../clients/client.ts'
import type { ClientLimit } from './client-limit.ts'
import type { ClientNames } from '../clients/client-names.ts'
import { toWire } from '../clients/client-record.ts'
import type { ClientStore, OpenClient } from '../clients/client-store.ts'
import { engineError } from './engine-error.ts'
import { checkLinkedApp } from '../clients/linked-app.ts'
import { objectBody, pickMembers, readMetadataUpdate } from './client-metadata.ts'
import { CLIENT_BODY, limitClientWrites, requireJson } from './register.ts'
import type { ClientRevoker } from './revoke-client.ts'

export interface ManageDependencies {
  readonly clientLimit: Pick<ClientLimit, 'admitKind'>
  readonly engine: Pick<Engine, 'isRegistrationToken' | 'manage'>
  readonly clients: ClientStore
  readonly names: ClientNames
  readonly apps: Pick<AppRegistry, 'available'>
  readonly limits: RateLimits<'oauth-client'>
  readonly revoker: ClientRevoker
  readonly revocations: Pick<Revocations, 'publish'>
  readonly emitter: Emitter<OAuthEvents>
  readonly log: Logger
}

const PATH = '/auth/register/:clientId'

/** Management of a client by itself. @see oauth.md 3.6 to 3.8; RFC 7592; decision D21 */
export function manageRows(dependencies: ManageDependencies): readonly RouteRow[] {
  const { clients, engine, limits } = dependencies
  // What the middleware found; the handlers of the same request go on from it.
  const found = new WeakMap<RouteContext, OpenClient>()

  const requireClient: RouteMiddleware = async function requireRegisteredClient(ctx, next) {
    const { instance } = ctx.state
    const client = await clients.open(instance, String(ctx['params']?.clientId))
    if (client === undefined) return answerUnknown(ctx)
    await checkRegistrationToken(ctx, client.client, engine)
    found.set(ctx, client)
    await next()
  }

  function handle(handler: (ctx: RouteContext, client: OpenClient) => Promise<void>) {
    return async function handleFound(ctx: RouteContext): Promise<void> {
      const client = found.get(ctx)
      if (client !== undefined) await handler(ctx, client)
    }
  }

  const row = {
    path: PATH,
    auth: ['registration access token'],
    family: 'oauth',
  } as const satisfies Partial<RouteRow>
  return [
    {
      ...row,
      method: 'GET',
      handler: handle((ctx, client) => readClient(ctx, client, dependencies)),
      statuses: [201, 400, 401, 404],
      use: [requireClient],
      summary: "Answers a client's own record.",
      source: 'oauth.md 3.6; RFC 7592',
    },
    {
      ...row,
      method: 'PUT',
      handler: handle((ctx, client) => updateClient(ctx, client, dependencies)),
      body: { ...CLIENT_BODY, schema: clientUpdateSchema },
      statuses: [200, 400, 401, 404, 409, 413, 415, 429],
      limit: 'oauth-client',
      // Whose the request is comes before what it carries.
      use: [limitClientWrites(limits), requireClient, requireJson],
      summary:
        "Sets fields of a client's own record; with the current secret also gives a new one.",
      source: 'oauth.md 3.7, D21; RFC 7592',
    },
    {
      ...row,
      method: 'DELETE',
      handler: handle((ctx, client) => deleteClient(ctx, client, dependencies)),
      statuses: [204, 400, 401],
      use: [requireClient],
      summary: 'Ends a client and everything it holds; answers 204 for an unknown one too.',
      source: 'oauth.md 3.8, 11.1; RFC 7592',
    },
  ]
}

/** @throws OAuthError 401 `invalid_token` unless the request carries the client's own registration token */
export async function checkRegistrationToken(
  ctx: RouteContext,
  { id }: Client,
  engine: Pick<Engine, 'isRegistrationToken'>,
): Promise<void> {
  const bearer = readBearer(ctx.req)
  if (typeof bearer === 'string') throw invalidToken(`${bearer} registration token`)
  if (!(await engine.isRegistrationToken(ctx.state.instance, id, bearer.token))) {
    throw invalidToken('not the registration token of this client')
  }
}

/** SPEC: clients.md 18 - exactly this text, and never a challenge; deleting is idempotent (oauth.md 3.8). */
function answerUnknown(ctx: RouteContext): void {
  if (ctx.method === 'DELETE') {
    ctx.status = 204
    return
  }
  ctx.status = 404
  ctx.body = { error: 'Client not found' }
}

async function readClient(
  ctx: RouteContext,
  { client, secret }: OpenClient,
  { engine }: ManageDependencies,
): Promise<void> {
  const { instance } = ctx.state
  const answer = await engine.manage(ctx, instance, { method: 'GET', clientId: client.id })
  if (answer.status !== 200) throw engineError(answer)
  // SPEC: seed - the status shown for this answer is 201.
  ctx.status = 201
  ctx.body = toWire(client, secret)
}

async function updateClient(
  ctx: RouteContext,
  { client, revision, secret }: OpenClient,
  dependencies: ManageDependencies,
): Promise<void> {
  const { engine, clients, names, emitter, log } = dependencies
  const { instance } = ctx.state
  const body = objectBody(ctx.state.json)
  if (body['client_id'] !== client.id) {
    throw new OAuthError('invalid_client_id', { description: 'client_id is mandatory' })
  }
  const members = pickMembers(body)
  const asked = readMetadataUpdate(members, client.metadata, instance)
  if (members.has('software_id')) {
    await checkLinkedApp(asked.software_id, instance, dependencies.apps)
  }
  const renewSecret = isRenewal(body['client_secret'], secret)
  const also = await dependencies.clientLimit.admitKind(instance, client, asked.client_kind)

  const name = await names.claim(instance.id, asked.client_name, client.metadata.client_name)
  const metadata = { ...asked, client_name: name?.name ?? client.metadata.client_name }
  const isDeviceTokenGiven = members.has('notification_device_token')
  const write = {
    ...{ metadata, revision, also, isDeviceTokenGiven },
    ...(name === undefined ? {} : { name }),
  }
  const answer = await clients.storing(write, () =>
    engine.manage(ctx, instance, {
      method: 'PUT',
      clientId: client.id,
      body: { ...metadata, client_id: client.id },
      renewSecret,
    }),
  )
  if (answer.status !== 200) {
    if (name !== undefined) await names.release(instance.id, name)
    throw engineError(answer)
  }
  const newSecret = answer.body?.['client_secret']
  const stored = await clients.find(instance, client.id)
  // Deleted in this very moment: to the caller that is the state of before.
  if (stored === undefined) return answerUnknown(ctx)
  // Other processes may remember what the client was allowed as it was before.
  const { publish } = dependencies.revocations
  await publish({ instanceId: instance.id, kind: 'client', id: client.id })
  emitter.emit('client.updated', { instance, client: stored })
  log.info('client.updated', { domain: instance.domain, clientId: client.id, renewSecret })
  ctx.status = 200
  ctx.body = toWire({ ...stored, metadata }, typeof newSecret === 'string' ? newSecret : secret)
}

/**
 * Whether a new secret is asked for: by showing the current one (oauth.md 3.7).
 * @throws OAuthError `invalid_client_secret` for any other
 */
function isRenewal(asked: unknown, current: string): boolean {
  if (asked === undefined || asked === null || asked === '') return false
  if (typeof asked === 'string' && asked.length <= 1024 && equalSecrets(asked, current)) return true
  throw new OAuthError('invalid_client_secret', { description: 'client_secret is invalid' })
}

async function deleteClient(
  ctx: RouteContext,
  { client }: OpenClient,
  { engine, revoker }: ManageDependencies,
): Promise<void> {
  const { instance } = ctx.state
  await revoker.ending(instance, client, 'client', async () => {
    const answer = await engine.manage(ctx, instance, { method: 'DELETE', clientId: client.id })
    // 401: somebody else deleted the client and its token meanwhile.
    if (answer.status !== 204 && answer.status !== 401) throw engineError(answer)
    return answer.status === 204
  })
  ctx.status = 204
}
