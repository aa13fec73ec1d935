import {
  equalSecrets,
  type HttpError,
  requirement,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import { type Client, isPublic, isUnnamed } from '../clients/client.ts'
import { claimName, releaseName } from '../clients/client-names.ts'
import { toWire } from '../clients/client-record.ts'
import type { OpenClient } from '../clients/client-store.ts'
import { checkLinkedApp } from '../clients/linked-apps.ts'
import { isRegistrationToken } from '../engine/grant.ts'
import { manageNatively } from '../engine/native-registration.ts'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { invalidToken, readBearer } from '../tokens/bearer.ts'
import { objectBody, pickMembers, readMetadataUpdate } from './client-metadata.ts'
import { admitKind } from './client-limit.ts'
import { byClient } from './activity-source.ts'
import { noteChange } from './change-client.ts'
import { endClient, noteRemoval } from './end-client.ts'
import { engineError, requireJson } from './register.ts'

/** What {@link requireRegisteredClient} found; the handlers of the same request go on from it. */
const found = new WeakMap<RouteContext, OpenClient>()

/**
 * The client of the path, by its own registration token; before the body is read: whose the request is comes before
 * what it carries. Deleting is idempotent (oauth.md 3.8): of an unknown client it passes.
 */
export const requireRegisteredClient: RouteAuth<OAuthServices> = requirement(
  ['registration access token'],
  async function requireRegisteredClient(ctx, { clients, engine, limits }) {
    const { instance } = ctx.state
    const isUpdate = ctx.method === 'PUT'
    if (isUpdate) await limits.hit(instance, 'oauth-client')
    const client = await clients.open(instance, String(ctx['params']?.clientId))
    if (client === undefined) {
      if (ctx.method === 'DELETE') return
      throw clientNotFound()
    }
    await checkRegistrationToken(ctx, client.client, engine)
    found.set(ctx, client)
    if (isUpdate) requireJson(ctx)
  },
)

/** @throws OAuthError 401 `invalid_token` unless the request carries the client's own registration token */
export async function checkRegistrationToken(
  ctx: RouteContext,
  { id }: Client,
  engine: OAuthServices['engine'],
): Promise<void> {
  const bearer = readBearer(ctx.req)
  if (typeof bearer === 'string') throw invalidToken(`${bearer} registration token`)
  if (!(await isRegistrationToken(engine, ctx.state.instance, id, bearer.token))) {
    throw invalidToken('not the registration token of this client')
  }
}

/** SPEC: clients.md 18 - exactly this text as `error`, and never a challenge. */
export function clientNotFound(): HttpError {
  return bareError(404, 'Client not found')
}

/** An error whose answer holds the reason as `error` and nothing else (oauth.md 4). */
export function bareError(status: 400 | 404, reason: string): HttpError {
  return Object.assign(new Error(reason), { code: reason, status, expose: true })
}

/** `GET /auth/register/:clientId`. @see oauth.md 3.6; RFC 7592 */
export async function readClient(ctx: RouteContext, { engine }: OAuthServices): Promise<void> {
  const { client, secret } = foundClient(ctx)
  const answer = await manageNatively(ctx, engine, { method: 'GET', clientId: client.id })
  if (answer.status !== 200) throw engineError(answer)
  // SPEC: seed - the status shown for this answer is 201.
  ctx.status = 201
  ctx.body = toWire(ctx.state.instance, client, secret)
}

/** `PUT /auth/register/:clientId`. @see oauth.md 3.7; RFC 7592; decision D21 */
export async function updateClient(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { engine, clients, apps, revocations, emitter, log } = services
  const { client, revision, secret } = foundClient(ctx)
  const { instance } = ctx.state
  const body = objectBody(ctx.state.body)
  if (body['client_id'] !== client.id) {
    throw new OAuthError('invalid_client_id', { description: 'client_id is mandatory' })
  }
  const members = pickMembers(body)
  const asked = readMetadataUpdate(members, client.metadata, instance)
  if (members.has('software_id') && !isPublic(client))
    await checkLinkedApp(asked.software_id, instance, apps)
  const renewSecret = isRenewal(body['client_secret'], secret)
  const admitted = await admitKind(services, instance, client, asked.client_kind)
  const { client_name: ownName } = client.metadata
  const name = isUnnamed(asked)
    ? undefined
    : await claimName(services, instance.id, asked.client_name, ownName)
  const metadata = { ...asked, client_name: name?.name ?? ownName }
  const by = byClient(client, ctx, services)
  const also = [...admitted, ...noteChange(services, instance, client, metadata.client_name, by)]
  const write = {
    metadata,
    revision,
    also,
    isDeviceTokenGiven: members.has('notification_device_token'),
    ...(name === undefined ? {} : { name }),
  }
  const answer = await clients.storing(write, () =>
    manageNatively(ctx, engine, {
      method: 'PUT',
      clientId: client.id,
      body: { ...metadata, client_id: client.id },
      renewSecret,
    }),
  )
  if (answer.status !== 200) {
    if (name !== undefined) await releaseName(services, instance.id, name)
    throw engineError(answer)
  }
  const newSecret = answer.body?.['client_secret']
  const stored = await clients.find(instance, client.id)
  // Deleted in this very moment: to the caller that is the state of before.
  if (stored === undefined) throw clientNotFound()
  // Other processes may remember what the client was allowed as it was before.
  await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
  emitter.emit('client.updated', { instance, client: stored })
  log.info('client.updated', { domain: instance.domain, clientId: client.id, renewSecret })
  ctx.status = 200
  const current = typeof newSecret === 'string' ? newSecret : secret
  ctx.body = toWire(instance, { ...stored, metadata }, current)
}

/** `DELETE /auth/register/:clientId`. @see oauth.md 3.8, 11.1; RFC 7592 */
export async function deleteClient(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance } = ctx.state
  const open = found.get(ctx)
  ctx.status = 204
  if (open === undefined) return
  await endClient(services, instance, open.client, 'client', async () => {
    const request = { method: 'DELETE', clientId: open.client.id } as const
    const { client } = open
    const by = byClient(client, ctx, services)
    const also = noteRemoval(services, instance, client, 'client', by)
    const answer = await services.clients.storing({ metadata: client.metadata, also }, () =>
      manageNatively(ctx, services.engine, request),
    )
    // 401: somebody else deleted the client and its token meanwhile.
    if (answer.status !== 204 && answer.status !== 401) throw engineError(answer)
    return answer.status === 204
  })
}

function foundClient(ctx: RouteContext): OpenClient {
  const client = found.get(ctx)
  if (client === undefined) throw new TypeError('requireRegisteredClient comes first')
  return client
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
