import type { RouteContext } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import { identifierOf, type Resource, type Resources } from './resources.ts'

/** Where the metadata of the resources stands; the path of a resource follows. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/** Where a client finds out who gives tokens for a resource. */
export function resourceMetadataUrl(resource: Resource, origin: string): string {
  return `${origin}${RESOURCE_METADATA}${resource.path}`
}

/**
 * `GET /.well-known/oauth-protected-resource…`: who gives tokens for a resource; without a path for the one that is
 * meant when a client names none. It depends on nothing but the instance's configured base and name.
 * @see RFC 9728; assistants.md 1.2, 1.4
 */
export function sendResourceMetadata(
  ctx: RouteContext,
  { resources }: { readonly resources: Resources },
): void {
  const { instance } = ctx.state
  const { origin, domain, publicName = domain } = instance
  // SPEC: assistants.md 1.2 - for those who write the address of the resource with a slash behind it.
  const path = ctx.path.slice(RESOURCE_METADATA.length).replace(/\/$/, '')
  const resource = path === '' ? resources.open : resources.at(path)
  if (resource === undefined) throw new OAuthError('not_found')
  const { scopes, documentation } = resource
  ctx.set('Cache-Control', 'public, max-age=300')
  ctx.remove('Vary')
  ctx.body = {
    resource: path === '' ? origin : identifierOf(resource, instance),
    authorization_servers: [origin],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: publicName,
    ...(documentation === undefined ? {} : { resource_documentation: documentation }),
  }
}
