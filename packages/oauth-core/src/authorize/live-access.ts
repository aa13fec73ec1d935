import type { Engine, Grant } from '../engine/engine.ts'
import { isSubset } from '../scopes/evaluate.ts'
import type { Permission } from '../scopes/permission.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import type { ConsentAnswer } from './consent-choice.ts'

/** What a client holds while its owner decides about more. */
export interface LiveAccess {
  readonly grants: readonly Grant[]
  /** Whether the rule is allowed already, whole. */
  isAllowed(rule: Permission): boolean
}

export async function readLiveAccess(
  engine: Pick<Engine, 'listGrants'>,
  { instance, client }: AuthorizeRequest,
): Promise<LiveAccess> {
  const grants = await engine.listGrants(instance, client.id)
  const permissions = grants.flatMap(({ scope }) => {
    // The tokens of one that lost its mark are refused.
    if (scope === '*' && !client.flagship) return []
    return parseScope(scope) ?? []
  })
  return { grants, isAllowed: (rule) => isSubset([rule], permissions) }
}

/**
 * The grants that would give the client more, or for longer, than the owner chose now: without their end the choice
 * would be an empty word (docs/decisions/0121).
 * @param asked the request as it was shown
 * @param endsAt milliseconds since the epoch
 */
export function outgrown(
  asked: AuthorizeRequest,
  { request }: ConsentAnswer,
  { grants, isAllowed }: LiveAccess,
  endsAt: number | undefined,
): readonly Grant[] {
  const kept = new Set(request.permissions)
  const left = asked.permissions.filter((rule) => !kept.has(rule))
  if (left.some(isAllowed)) return grants
  if (endsAt === undefined) return []
  return grants.filter((grant) => grant.endsAt === undefined || grant.endsAt > endsAt)
}
