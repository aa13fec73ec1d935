import type { Instance, RouteContext } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { verifyJwt } from '../tokens/jwt.ts'
import { authenticateClient } from './client-authentication.ts'
import type { Engine } from './engine.ts'
import { findGrant, findRefreshGrant, type Grant, revokeGrant } from './grant.ts'

/** `POST /auth/revoke`: a client ends a grant by one of its tokens. @see RFC 7009; decision D9 */
export async function revokeToken(
  ctx: RouteContext,
  { engine, activity, clientAddress }: Pick<OAuthServices, 'activity' | 'clientAddress' | 'engine'>,
): Promise<void> {
  const { instance, form } = ctx.state
  const { client } = await authenticateClient(ctx, engine)
  const token = form.text('token')
  if (token === '') throw new OAuthError('invalid_request', { description: 'token is mandatory' })
  const grant = await grantOf(engine, instance, token)
  if (grant?.clientId === client.id) {
    const name = client.metadata.client_name
    const note = activity.pending(instance, {
      event: 'grant.ended',
      actor: { kind: 'client', id: client.id, name },
      origin: { ip: clientAddress(ctx) },
      target: { kind: 'client', id: client.id, name },
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
): Promise<Grant | undefined> {
  if (!token.includes('.')) return findRefreshGrant(engine, instance, token)
  const checked = await verifyJwt(token, instance, engine.keyring, engine.clock.now())
  if (typeof checked === 'string') return undefined
  const { aud, gid } = checked.claims
  if (aud !== 'access') {
    throw new OAuthError('unsupported_token_type', {
      description: 'app and konnector tokens end with their session',
    })
  }
  return gid === undefined ? undefined : findGrant(engine, instance, gid)
}
