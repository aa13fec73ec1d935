import {
  type CertificationRule,
  type Client,
  isCertified,
  isPublic,
  linkedSlug,
} from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import { linkedScope, parseScope } from '../scopes/scope.ts'

/**
 * What a client can be given without its owner being asked: the same as with. A linked client gets what its app has,
 * whatever is asked for it.
 * @throws OAuthError `invalid_scope`
 * @see oauth.md 5.1 step 4, 5.5, 12.1
 */
export function grantableScope(
  {
    namespace,
    forbidden,
    flagship,
  }: {
    readonly namespace: string
    readonly forbidden: Pick<ForbiddenScopes, 'includes'>
    readonly flagship: CertificationRule
  },
  client: Client,
  asked: string,
): string {
  if (isPublic(client)) {
    throw new OAuthError('invalid_scope', { description: 'the client has no secret' })
  }
  const slug = linkedSlug(client.metadata.software_id)
  if (slug !== undefined) return linkedScope(namespace, slug)
  if (asked === '*') {
    if (isCertified(client, flagship)) return asked
    throw new OAuthError('invalid_scope', { description: 'the client is not certified' })
  }
  const permissions = parseScope(asked)
  if (permissions === undefined || permissions.some((rule) => forbidden.includes(rule))) {
    throw new OAuthError('invalid_scope', { description: 'Invalid scope' })
  }
  return asked
}
