import type { Parameters } from '@svc/platform'
import { kindGroupOf } from '../scopes/kind-group.ts'
import type { Permission } from '../scopes/permission.ts'
import { type Right, withRights } from '../scopes/rights.ts'
import { serializeScope } from '../scopes/scope.ts'
import type { AuthorizeRequest } from './authorize-request.ts'

/** What of a request stays, and what was taken out of it. */
export interface Ticked {
  readonly request: AuthorizeRequest
  readonly left: readonly Permission[]
}

interface TickOptions {
  readonly namespace: string
  /** Rules the client has already stand outside the groups: their own ticks decide. */
  readonly isAllowed: (rule: Permission) => boolean
}

/** SPEC: D42 - `choice=1`: exactly the rules that were ticked, as they were asked for and in their order. */
export function keepTickedRules(form: Parameters, request: AuthorizeRequest): Ticked {
  return keep(request, (rule, place) => (form.has(`permission-${place}`) ? rule : undefined))
}

/**
 * `choice=2`: a right stays when its own tick and that of its group are there, and a rule without
 * any right goes. Nothing but the form decides, so that it works without script. Of a resource, whose rules have one
 * verb each, the ticks of a kind of data stand at the place of its first rule (docs/decisions/0535).
 */
export function keepTickedRights(
  form: Parameters,
  request: AuthorizeRequest,
  { namespace, isAllowed }: TickOptions,
): Ticked {
  const isOfResource = request.resource !== undefined
  const kinds = request.permissions.map(kindOf)
  return keep(request, (rule, place) => {
    const group = kindGroupOf(rule.type, namespace)
    const isKnown = !isOfResource && isAllowed(rule)
    const first = isOfResource ? kinds.indexOf(kindOf(rule)) : place
    const keeps = (right: Right): boolean =>
      form.has(`permission-${first}-${right}`) && (isKnown || form.has(`group-${group}-${right}`))
    return withRights(rule, keeps)
  })
}

/** What data a rule is about, whatever may be done to it. */
function kindOf(rule: Permission): string {
  return serializeScope([{ ...rule, verbs: ['GET'] }])
}

/** SPEC: assistants.md 5.4 - an answer without any choice allows what only reads. */
export function keepReading(request: AuthorizeRequest): Ticked {
  return keep(request, (rule) => (rule.verbs.every((verb) => verb === 'GET') ? rule : undefined))
}

function keep(
  request: AuthorizeRequest,
  choose: (rule: Permission, place: number) => Permission | undefined,
): Ticked {
  const written = request.scope.split(' ')
  const scope: string[] = []
  const permissions: Permission[] = []
  const left: Permission[] = []
  for (const [place, rule] of request.permissions.entries()) {
    const kept = choose(rule, place)
    if (kept !== undefined) {
      scope.push(kept === rule ? (written[place] ?? '') : serializeScope([kept]))
      permissions.push(kept)
    }
    if (kept !== rule) {
      const verbs = rule.verbs.filter((verb) => kept?.verbs.includes(verb) !== true)
      left.push({ ...rule, verbs })
    }
  }
  return { request: { ...request, scope: scope.join(' '), permissions }, left }
}
