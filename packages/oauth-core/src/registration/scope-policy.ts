import type { Instance } from '@svc/platform'
import { type Client, linkedSlug } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import { narrowed } from '../scopes/narrow.ts'
import type { ScopeDecision, ScopeRequest } from '../consent-ports.ts'
import { isSubset } from '../scopes/evaluate.ts'
import type { Permission } from '../scopes/permission.ts'
import { manifestPermissions } from '../scopes/manifest.ts'
import { parseScope, serializeScope, slugOfScope } from '../scopes/scope.ts'
import type { OAuthServices } from '../services.ts'

/** What a policy left of a request. */
export interface ScopeLeft {
  readonly scope: string
  readonly permissions: readonly Permission[]
}

const ANSWER_MS = 50

type PolicyServices = Pick<OAuthServices, 'forbidden' | 'log' | 'options'>

/** What the policy leaves of a scope that the host itself gives a client. @throws OAuthError `invalid_scope` */
export async function permittedScope(
  services: PolicyServices & Pick<OAuthServices, 'apps' | 'namespace'>,
  instance: Instance,
  client: Client,
  scope: string,
): Promise<string> {
  const permissions = await permissionsOf(services, instance, scope)
  const left = await applyScopePolicy(services, { instance, client, permissions, scope })
  if (left === undefined) throw new OAuthError('invalid_scope', { description: 'Invalid scope' })
  return left.scope
}

async function permissionsOf(
  { apps, namespace }: Pick<OAuthServices, 'apps' | 'namespace'>,
  instance: Instance,
  scope: string,
): Promise<readonly Permission[]> {
  const slug = slugOfScope(namespace, scope)
  if (slug === undefined) return parseScope(scope) ?? []
  const app = (await apps.installed(instance, slug)) ?? (await apps.available(instance, slug))
  return app === undefined ? [] : manifestPermissions(app.permissions)
}

/**
 * Asks the host's policy, if there is one.
 * @returns undefined when nothing may be asked for
 * @throws Error when the policy gave no answer that counts
 */
export async function applyScopePolicy(
  services: PolicyServices,
  asked: ScopeRequest & { readonly scope: string },
): Promise<ScopeLeft | undefined> {
  const { scopePolicy } = services.options
  const { client, instance, permissions, scope } = asked
  if (scopePolicy === undefined) return { scope, permissions }
  const whole = { scope, permissions }
  try {
    // Its own copy: what it does to the rules changes no request.
    const request = { instance, client, permissions: structuredClone(permissions) }
    const decision = await withinTime(scopePolicy(request))
    if (decision === 'allow') return whole
    if (decision === 'refuse') return undefined
    const kept = readRules(decision)
    // `narrowed` says whether all of it stays; of everything that is never so, and it is asked for by its star.
    const left = narrowed(permissions, kept)
    const isWhole = left === permissions || serializeScope(left) === scope
    if (isWhole) return whole
    if (left.length === 0 || linkedSlug(client.metadata.software_id) !== undefined) return undefined
    const written = serializeScope(left)
    if (parseScope(written) === undefined || !isSubset(left, permissions)) return undefined
    // Of everything, more may be left than an ordinary client can be given.
    if (left.some((rule) => services.forbidden.includes(rule))) return undefined
    return { scope: written, permissions: left }
  } catch (cause) {
    services.log.error('scope_policy.failed', {
      domain: instance.domain,
      clientId: client.id,
      cause: String(cause),
    })
    throw new Error('the scope policy of the host failed', { cause })
  }
}

async function withinTime(answer: ScopeDecision | Promise<ScopeDecision>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Rules as the scope grammar has them. @throws TypeError */
function readRules(decision: unknown): readonly Permission[] {
  if (!Array.isArray(decision)) {
    throw new TypeError('it answered neither "allow", "refuse" nor a list of permissions')
  }
  // What is no permission is found by writing it and reading it back.
  const given = (decision as readonly Permission[]).filter(({ verbs }) => verbs.length > 0)
  if (given.length === 0) return []
  const rules = parseScope(serializeScope(given))
  if (rules === undefined) throw new TypeError('it answered permissions that no scope can hold')
  return rules
}
