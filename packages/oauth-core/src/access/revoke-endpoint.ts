import { OAuthError } from '../errors.ts'
import type { Engine, Grant } from '../engine/engine.ts'
import type { Instance, Keyring, RouteContext, RouteRow } from '@svc/platform'
import { revokeSchema } from './token.schema.ts'
import { verifyJwt } from '../tokens/verify-jwt.ts'

export interface RevokeDependencies {
  readonly engine: Pick<
    Engine,
    'authenticateClient' | 'findGrant' | 'findRefreshGrant' | 'revokeGrant'
  >
  readonly keyring: Keyring
  readonly clock: { now(): number }
}

/** `POST /auth/revoke`: a client ends a grant by one of its tokens. @see RFC 7009; decision D9 */
export function revokeRow(dependencies: RevokeDependencies): RouteRow {
  return {
    method: 'POST',
    path: '/auth/revoke',
    handler: (ctx) => revoke(ctx, dependencies),
    auth: ['client secret'],
    body: {
      types: ['form'],
      wrongType: { status: 400, code: 'invalid_request' },
      schema: revokeSchema,
    },
    statuses: [200, 400, 401, 413, 415],
    family: 'oauth',
    limit: 'token',
    summary: 'Ends the grant that a refresh or access token belongs to.',
    source: 'RFC 7009',
  }
}

async function revoke(ctx: RouteContext, dependencies: RevokeDependencies): Promise<void> {
  const { engine } = dependencies
  const { instance, form } = ctx.state
  const client = await engine.authenticateClient(ctx, instance)
  const token = form.text('token')
  if (token === '') throw new OAuthError('invalid_request', { description: 'token is mandatory' })
  const grant = await grantOf(instance, token, dependencies)
  if (grant?.clientId === client.id) await engine.revokeGrant(instance, grant.id, 'client')
  // SPEC: clients.md 40 - an empty answer has no JSON type.
  ctx.status = 200
  ctx.body = ''
  ctx.remove('Content-Type')
}

/** The live grant of a refresh or access token; the hint is not needed to tell them apart. */
async function grantOf(
  instance: Instance,
  token: string,
  { engine, keyring, clock }: RevokeDependencies,
): Promise<Grant | undefined> {
  if (!token.includes('.')) return engine.findRefreshGrant(instance, token)
  const checked = await verifyJwt(token, instance, keyring, clock.now())
  if (typeof checked === 'string') return undefined
  const { aud, gid } = checked.claims
  if (aud !== 'access') {
    throw new OAuthError('unsupported_token_type', {
      description: 'app and konnector tokens end with their session',
    })
  }
  return gid === undefined ? undefined : engine.findGrant(instance, gid)
}
