import type { Instance, RouteContext, RouteRow } from '@svc/platform'
import { ASSERTION_ALGORITHMS } from '../clients/client-document.ts'
import { identifierOf, type Resources } from '../resources/resources.ts'

/** Endpoint members of the document and the routes that stand for them. */
const ENDPOINTS = {
  authorization_endpoint: { method: 'GET', path: '/auth/authorize' },
  token_endpoint: { method: 'POST', path: '/auth/access_token' },
  registration_endpoint: { method: 'POST', path: '/auth/register' },
  revocation_endpoint: { method: 'POST', path: '/auth/revoke' },
} as const

const CLIENT_AUTHENTICATION = ['client_secret_post', 'client_secret_basic']

/**
 * `GET /.well-known/oauth-authorization-server`: names what is mounted, under the instance's configured base.
 * @see RFC 8414; decision D9
 */
export function sendServerMetadata(
  ctx: RouteContext,
  { rows, resources }: { readonly rows: readonly RouteRow[]; readonly resources: Resources },
): void {
  const { instance } = ctx.state
  const { origin } = instance
  const isOpen = resources.open !== undefined
  // SPEC: D90 - published kits take the first that they know, and ask for it when they register.
  const methods = isOpen
    ? ['none', ...CLIENT_AUTHENTICATION, 'private_key_jwt']
    : CLIENT_AUTHENTICATION
  const endpoints = Object.entries(ENDPOINTS)
    .filter(([, { method, path }]) =>
      rows.some((row) => row.method === method && row.path === path),
    )
    .map(([member, { path }]) => [member, `${origin}${path}`])
  ctx.body = {
    issuer: origin,
    ...Object.fromEntries(endpoints),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    ...(isOpen && {
      token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      client_id_metadata_document_supported: true,
    }),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...resourceMembers(resources, instance),
  }
}

/** SPEC: assistants.md 1.3 - only while some resource is registered. */
function resourceMembers(resources: Resources, instance: Instance): object {
  if (resources.isEmpty) return {}
  return {
    scopes_supported: [...new Set(resources.all.flatMap(({ scopes }) => scopes))],
    protected_resources: resources.all.map((resource) => identifierOf(resource, instance)),
  }
}
