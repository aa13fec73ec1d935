import type { Instance } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import { resourceMetadataUrl } from '../resources/resource-metadata.ts'
import type { Resource } from '../resources/resources.ts'
import { isSubset } from '../scopes/evaluate.ts'
import type { Permission } from '../scopes/permission.ts'
import { serializeScope } from '../scopes/scope.ts'
import type { OAuthServices } from '../services.ts'
import { EXPIRED } from '../tokens/bearer.ts'
import type { ResourceAccess } from './access-context.ts'

/**
 * A refusal of the guard, with the challenge of a resource: where its metadata stands, and what can be asked for.
 * @see RFC 9728 5.1; assistants.md 1.6
 */
export function challengeOf(error: OAuthError, resource: Resource, instance: Instance): OAuthError {
  const { code, detail } = error
  const members = [
    ...(code === 'missing_token' ? [] : [['error', code] as const]),
    ['resource_metadata', resourceMetadataUrl(resource, instance.origin)] as const,
    ['scope', resource.scopes.join(' ')] as const,
    ...(detail === EXPIRED ? [['error_description', 'The access token expired'] as const] : []),
  ]
  return new OAuthError(code, {
    headers: { 'WWW-Authenticate': headerOf(members) },
    ...(detail === undefined ? {} : { detail }),
  })
}

/**
 * What a caller is told that needs more than it has: the value of `WWW-Authenticate`, the same for the same call and
 * grant. Undefined once it was told five times within the hour, so that no owner is worn down.
 * @param needs - everything that the call needs, one verb each
 * @see assistants.md 1.7
 */
export async function stepUp(
  { limits, log }: Pick<OAuthServices, 'limits' | 'log'>,
  resource: Resource,
  instance: Instance,
  { client, grantId, granted }: Pick<ResourceAccess, 'client' | 'granted' | 'grantId'>,
  needs: readonly Permission[],
): Promise<string | undefined> {
  const missing = needs.filter((rule) => !isSubset([rule], granted))
  const rules = new Set([...granted, ...missing].map((rule) => serializeScope([rule])))
  try {
    await limits.hit(instance, 'step-up', grantId)
  } catch (error) {
    if (OAuthError.is(error) && error.code === 'too_many_requests') return undefined
    throw error
  }
  const needed = serializeScope(missing)
  log.info('assistant.step_up', {
    domain: instance.domain,
    clientId: client.id,
    resource: resource.path,
    needs: needed,
  })
  return headerOf([
    ['error', 'insufficient_scope'],
    ['scope', [...rules].join(' ')],
    ['resource_metadata', resourceMetadataUrl(resource, instance.origin)],
    ['error_description', `permission needed: ${needed}`],
  ])
}

/** Values are of our own making: none holds a quote. */
function headerOf(members: readonly (readonly [string, string])[]): string {
  return `Bearer ${members.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}
