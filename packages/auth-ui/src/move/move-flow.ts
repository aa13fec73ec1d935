import type { MoveRequest, Moves } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { ChallengeRequest } from '../factors/challenge.ts'
import type { Owner } from '../owner/owner.ts'

/** How much an owner keeps, for the server that it moves to. Bytes. */
export interface DiskUsage {
  readonly used: number
  /** Absent: no end. */
  readonly quota?: number
}

/** What is the same whether a move has a second step or not. @see oauth.md 5.10 */
export interface MoveFlow {
  /** Checks what is asked for. @throws OAuthError 400; AuthUiError `invalid_parameter` */
  check(ctx: RouteContext, asked: AskedMove): Promise<MoveRequest>
  /** The move that a second step is for, checked again: client and address may be gone since. */
  recall(ctx: RouteContext, challenge: ChallengeRequest): Promise<MoveRequest>
  /** Makes the code. @returns where the browser brings it */
  finish(ctx: RouteContext, owner: Owner, request: MoveRequest): Promise<string>
}

/** Parameters of a move, from a query or a form. */
export interface AskedMove {
  get(name: string): string | undefined
}

/** What {@link createMoveFlow} needs. */
export interface MoveFlowOptions {
  readonly moves: Moves
  readonly diskUsage: ((instance: Instance) => Promise<DiskUsage>) | undefined
}

/** OPEN(0118): the rows stand here, since they ask for the passphrase; what is granted is made by `oauth.moves`. */
export function createMoveFlow({ moves, diskUsage }: MoveFlowOptions): MoveFlow {
  return {
    async check(ctx, asked) {
      const values = readParameters(asked)
      return moves.check(ctx, { text: (name) => values.get(name) ?? '' })
    },

    async recall(ctx, { state, clientId, redirect }) {
      const values = new Map([
        ['state', state],
        ['client_id', clientId],
        ['redirect_uri', redirect],
      ])
      return moves.check(ctx, { text: (name) => values.get(name) ?? '' })
    },

    async finish(ctx, owner, request) {
      const { used, quota } = (await diskUsage?.(ctx.state.instance)) ?? { used: 0 }
      return moves.grant(ctx, request, {
        used: wholeBytes(used),
        ...(quota === undefined ? {} : { quota: wholeBytes(quota) }),
        vault: owner.keys !== undefined,
      })
    },
  }
}

/** SPEC: oauth.md 5.10 - deployed forms call the address `redirect`. */
function readParameters(asked: AskedMove): ReadonlyMap<string, string> {
  const alias = asked.get('redirect')
  const uri = asked.get('redirect_uri')
  if (alias !== undefined && uri !== undefined && alias !== uri) {
    const description = 'redirect and redirect_uri differ'
    throw new AuthUiError('invalid_parameter', { description })
  }
  return new Map([
    ['state', asked.get('state') ?? ''],
    ['client_id', asked.get('client_id') ?? ''],
    ['redirect_uri', uri ?? alias ?? ''],
  ])
}

function wholeBytes(bytes: number): number {
  return Math.max(0, Math.round(bytes))
}
