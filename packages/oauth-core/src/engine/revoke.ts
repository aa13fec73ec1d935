import type { Instance, RouteContext } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import { identifierOf, type Resources } from '../resources/resources.ts'
import type { OAuthServices } from '../services.ts'
import { type TokenKind, verifyJwt } from '../tokens/jwt.ts'
import { authenticateClient, requireKeyOf } from './client-authentication.ts'
import type { Engine } from './engine.ts'
import {
  claimedGrant,
  findGrant,
  findRefreshGrant,
  type Grant,
  grantKey,
  type GrantRecord,
  revokeGrant,
} from './grant.ts'
import { judgeRefreshToken } from './rotation/rotation.ts'
import { isRotating } from './rotation/token-rotation.ts'
import { clientTarget } from '../clients/client.ts'

/** `POST /auth/revoke`: a client ends a grant by one of its tokens. @see RFC 7009; decision D9 */
export async function revokeToken(
  ctx: RouteContext,
  {
    engine,
    activity,
    clientAddress,
    resources,
  }: Pick<OAuthServices, 'activity' | 'clientAddress' | 'engine' | 'resources'>,
): Promise<void> {
  const { instance, form } = ctx.state
  const authenticated = await authenticateClient(ctx, engine)
  const { client } = authenticated
  const token = form.text('token')
  if (token === '') throw new OAuthError('invalid_request', { description: 'token is mandatory' })
  const grant = await grantOf(engine, instance, token, resources)
  requireKeyOf(grant, authenticated)
  if (grant?.clientId === client.id) {
    const target = clientTarget(client)
    const note = activity.pending(instance, {
      event: 'grant.ended',
      actor: target,
      origin: { ip: clientAddress(ctx) },
      target,
      reason: 'client',
    })
    await revokeGrant(engine, instance, grant.id, 'client', note)
  }
  // SPEC: clients.md 40 - an empty answer has no JSON type.
  ctx.status = 200
  ctx.body = ''
  ctx.remove('Content-Type')
}

/** The live grant of a refresh or access token; the hint is not needed to tell them apart. */
async function grantOf(
  engine: Engine,
  instance: Instance,
  token: string,
  resources: Resources,
): Promise<Grant | undefined> {
  if (!token.includes('.')) {
    return (
      (await findRefreshGrant(engine, instance, token)) ?? findRepeated(engine, instance, token)
    )
  }
  // Tokens of apps and connectors end with their session. They are answered like forged ones: a client that holds such a
  // token does not learn here whether it is genuine.
  const takes = (audience: string): TokenKind | undefined => {
    if (audience === 'access') return audience
    const isHere = resources.all.some((one) => identifierOf(one, instance) === audience)
    return isHere ? 'resource' : undefined
  }
  const { keyring, clock } = engine
  const checked = await verifyJwt(token, instance, keyring, clock.now(), takes)
  if (typeof checked === 'string') return undefined
  const { gid } = checked.claims
  return gid === undefined ? undefined : findGrant(engine, instance, gid)
}

/** The grant of a rotating token that has a successor, and would still be answered. */
async function findRepeated(
  engine: Engine,
  instance: Instance,
  token: string,
): Promise<Grant | undefined> {
  const id = claimedGrant(token)
  if (id === undefined) return undefined
  const record = await engine.store.get<GrantRecord>(grantKey(instance.id, id))
  if (record === undefined || !isRotating(record.value)) return undefined
  const { state } = await judgeRefreshToken(engine, instance, record.value, token)
  return state === 'repeated' ? findGrant(engine, instance, id) : undefined
}
