import type { AdapterFactory, ClientMetadata, Configuration, JWK } from 'oidc-provider'
import { randomHex, randomId } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'
import { currentUnit } from './unit-of-work.ts'

/** Paths of the routes that run natively. */
export const NATIVE_PATHS = {
  registration: '/auth/register',
  token: '/auth/access_token',
} as const

/** The one account of an instance: its owner. Never visible outside. */
export const OWNER = 'owner'

/** The resource that every scope is about. Never visible outside: tokens carry the audience `access`. */
export const RESOURCE = 'urn:svc:instance'

/** Members of a client that the engine keeps without knowing them. */
const EXTRA_MEMBERS = [
  'client_kind',
  'notification_device_token',
  'notification_platform',
  'notifications',
  'software_id',
  'software_version',
]

const CLIENT_ID_BYTES = 16
const CLIENT_SECRET_BYTES = 24

export interface ConfigurationOptions {
  readonly adapter: AdapterFactory
  readonly lifetimes: Lifetimes
  /** A key for identity tokens, which are never made: without one the engine takes its development keys. */
  readonly unusedKey: JWK
}

/** The engine's configuration, the same for every instance. @see oauth.md 13.1 */
export function buildConfiguration(options: ConfigurationOptions): Configuration {
  const { adapter, lifetimes, unusedKey } = options
  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000))
  const account = { accountId: OWNER, claims: () => ({ sub: OWNER }) }

  return {
    adapter,
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    // Never used: no cookie is set on a route that runs. Without a value the engine warns.
    cookies: { keys: [randomId()] },
    // The engine's own compare of loopback ports is for its authorization endpoint, which does not run (D41).
    allowOmittingSingleRegisteredRedirectUri: false,
    expiresWithSession: () => false,
    extraClientMetadata: {
      properties: EXTRA_MEMBERS,
      // Runs before the record is checked: where a wanted new secret takes the old one's place (oauth.md 13.2 R15).
      validator: (ctx, _name, _value, metadata: ClientMetadata) => {
        if (ctx?.oidc?.route !== 'client_update') return
        const { newSecret } = currentUnit()
        if (newSecret !== undefined) metadata.client_secret = newSecret
      },
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: {
        enabled: true,
        idFactory: () => randomHex(CLIENT_ID_BYTES),
        secretFactory: () => randomId(CLIENT_SECRET_BYTES),
      },
      registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: (ctx) => ({
          // Opaque: costs nothing. The bridge puts our own JWT in its place (D69).
          accessTokenFormat: 'opaque',
          accessTokenTTL: seconds(lifetimes.accessTokenMs),
          audience: 'access',
          // Scopes are free text: what was granted is what there is. The request's own is empty at an exchange.
          scope:
            ctx.oidc.entities.AuthorizationCode?.scope ??
            ctx.oidc.entities.RefreshToken?.scope ??
            '',
        }),
        useGrantedResource: () => true,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    findAccount: () => account,
    // Without this the refresh_token grant does not exist.
    issueRefreshToken: () => true,
    jwks: { keys: [unusedKey] },
    pkce: { required: () => false },
    responseTypes: ['code'],
    rotateRefreshToken: false,
    routes: NATIVE_PATHS,
    scopes: [],
    ttl: {
      AccessToken: seconds(lifetimes.accessTokenMs),
      AuthorizationCode: seconds(lifetimes.authorizationCodeMs),
      Grant: seconds(lifetimes.refreshTokenMs),
      RefreshToken: seconds(lifetimes.refreshTokenMs),
    },
  }
}
