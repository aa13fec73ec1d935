import type { Client } from '../clients/client.ts'
import type { Engine } from '../engine/engine.ts'
import type { Instance, Logger, Parameters, RouteContext } from '@svc/platform'
import type { OAuthEvents } from '../ports.ts'
import type { AuthorizeDraft } from './authorize-request.ts'
import { type CheckDependencies, checkMove } from './checks.ts'
import { osOfUserAgent } from './client-os.ts'
import { authorizeError } from './page-texts.ts'
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

export interface MovesDependencies extends CheckDependencies {
  readonly engine: Pick<Engine, 'mintCode'>
  readonly markAllowed: (
    instance: Instance,
    clientId: Client['id'],
    seen: { readonly os?: string },
  ) => Promise<Client | undefined>
  readonly clientAddress: (ctx: RouteContext) => string
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
  readonly log: Logger
}

export function createMoves(dependencies: MovesDependencies): Moves {
  const { engine, namespace, log } = dependencies
  const scope = `${namespace}.exports.requests ${namespace}.imports`

  return {
    async check(ctx, parameters) {
      const { instance } = ctx.state
      const draft: AuthorizeDraft = { ctx, instance, parameters }
      const client = await checkMove(draft, dependencies)
      const redirectUri = parameters.text('redirect_uri')
      return { client, redirectUri, state: parameters.text('state') }
    },

    async grant(ctx, { client: { id }, redirectUri, state }, { used, quota, vault }) {
      const { instance } = ctx.state
      const os = osOfUserAgent(ctx.get('User-Agent'))
      // Before the code: from here on the clean-up of pending clients leaves this one alone.
      const client = await dependencies.markAllowed(instance, id, os ? { os } : {})
      if (client === undefined) throw authorizeError('clientUnknown')
      const code = await engine.mintCode(instance, { client, redirectUri, scope })
      const address = dependencies.clientAddress(ctx)
      dependencies.emit('code.created', { instance, client, scope, address })
      log.info('move.granted', { domain: instance.domain, clientId: id, address })
      return append(redirectUri, [
        ['code', code],
        ['state', state],
        ['used', String(used)],
        ...(quota === undefined ? [] : [['quota', String(quota)] as const]),
        ['vault', String(vault)],
        ['iss', instance.origin],
      ])
    },
  }
}
