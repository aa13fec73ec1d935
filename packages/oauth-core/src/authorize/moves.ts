import { byOwner } from '../registration/activity-source.ts'
import type { Parameters, RouteContext } from '@svc/platform'
import { type Client, clientTarget } from '../clients/client.ts'
import { mintCode } from '../engine/mint.ts'
import type { OAuthServices } from '../services.ts'
import { allowClient } from './allow-client.ts'
import { checkMove } from './checks.ts'
import { append } from './redirect.ts'

/** Names of what a move is asked with. */
export type MoveParameters = Pick<Parameters, 'text'>

/** A request to move that passed every check. */
export interface MoveRequest {
  readonly client: Client
  /** Byte for byte one of the client's. */
  readonly redirectUri: string
  readonly state: string
}

/** What the other server is told of the instance. */
export interface MoveSize {
  /** Bytes that the owner's data take. */
  readonly used: number
  /** Bytes that they may take; absent: any. */
  readonly quota?: number
  /** Whether there is a vault, sealed with a key that only the passphrase opens. */
  readonly vault: boolean
}

/**
 * Moving to another server, for the package that knows the owner's passphrase: it asks for it, whoever is logged in.
 * @see oauth.md 5.10
 */
export interface Moves {
  /**
   * Checks `state`, `client_id` and `redirect_uri` of a request.
   * @throws OAuthError 400 with the text of the first check that fails
   */
  check(ctx: RouteContext, parameters: MoveParameters): Promise<MoveRequest>
  /**
   * Gives the client a code for exports and imports. To be called once the owner is proven.
   * @returns where the owner's browser brings it
   * @throws OAuthError 400 when the client is gone
   */
  grant(ctx: RouteContext, request: MoveRequest, size: MoveSize): Promise<string>
}

/** {@link Moves.check} */
export async function checkMoveRequest(
  ctx: RouteContext,
  services: OAuthServices,
  parameters: MoveParameters,
): Promise<MoveRequest> {
  const { instance } = ctx.state
  const client = await checkMove({ ctx, instance, parameters }, services)
  const redirectUri = parameters.text('redirect_uri')
  return { client, redirectUri, state: parameters.text('state') }
}

/** {@link Moves.grant} */
export async function grantMove(
  ctx: RouteContext,
  services: OAuthServices,
  { client: { id }, redirectUri, state }: MoveRequest,
  { used, quota, vault }: MoveSize,
): Promise<string> {
  const { engine, emitter, log, namespace } = services
  const { instance } = ctx.state
  const scope = `${namespace}.exports.requests ${namespace}.imports`
  const seen = { userAgent: ctx.get('User-Agent'), withinLimit: false }
  const client = await allowClient(services, instance, id, seen)
  const also = services.activity.pending(instance, {
    ...byOwner(ctx, services),
    event: 'consent.given',
    target: clientTarget(client),
    detail: { scope },
  })
  const code = await mintCode(engine, instance, { client, redirectUri, scope, also })
  const address = services.clientAddress(ctx)
  emitter.emit('code.created', { instance, client, scope, address })
  log.info('move.granted', { domain: instance.domain, clientId: id, address })
  return append(redirectUri, [
    ['code', code],
    ['state', state],
    ['used', String(used)],
    ...(quota === undefined ? [] : [['quota', String(quota)] as const]),
    ['vault', String(vault)],
    ['iss', instance.origin],
  ])
}
