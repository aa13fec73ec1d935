import type { Client } from '../clients/client.ts'
import type { Instance, Parameters, RouteContext } from '@svc/platform'
import type { AppManifest } from '../ports.ts'
import type { Resource } from '../resources/resources.ts'
import type { Permission } from '../scopes/permission.ts'

/** A request to the authorization endpoint that passed every check. */
export interface AuthorizeRequest {
  readonly instance: Instance
  readonly client: Client
  /** The app of a linked client. */
  readonly app?: AppManifest
  /** Byte for byte one of the client's. */
  readonly redirectUri: string
  /** `''`: a client without a secret sent none. */
  readonly state: string
  /** What the code and its tokens carry: as asked, or `@<namespace>.apps/<slug>` of a linked client. */
  readonly scope: string
  readonly permissions: readonly Permission[]
  /** What the tokens are for; absent: the interface itself. */
  readonly resource?: Resource
  /** S256 challenge. */
  readonly codeChallenge?: string
  /** Of a client whose document cannot be read now: when it was read last. Milliseconds since the epoch. */
  readonly checkedAt?: number
}

/** A request while it is being checked: later checks rely on what earlier ones filled in. */
export interface AuthorizeDraft {
  readonly ctx: RouteContext
  readonly instance: Instance
  /** The query of a GET, the form of a POST. */
  readonly parameters: Pick<Parameters, 'text'>
  client?: Client
  app?: AppManifest
  resource?: Resource
  scope?: string
  permissions?: readonly Permission[]
  checkedAt?: number
}

/**
 * The request a draft has become.
 * @throws TypeError when the checks that fill it in were not run
 */
export function toAuthorizeRequest(draft: AuthorizeDraft): AuthorizeRequest {
  const { instance, parameters, client, app, resource, scope, permissions, checkedAt } = draft
  if (client === undefined || scope === undefined || permissions === undefined)
    throw new TypeError('the checks of the authorization endpoint are incomplete')
  const codeChallenge = parameters.text('code_challenge')
  return {
    instance,
    client,
    redirectUri: parameters.text('redirect_uri'),
    state: parameters.text('state'),
    scope,
    permissions,
    ...(app === undefined ? {} : { app }),
    ...(resource === undefined ? {} : { resource }),
    ...(codeChallenge === '' ? {} : { codeChallenge }),
    ...(checkedAt === undefined ? {} : { checkedAt }),
  }
}
