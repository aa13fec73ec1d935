import { createFreshCache, type Instance, type Keyring, type Revocations } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import type { CertificationRule, Client } from '../clients/client.ts'
import { documentClientId, isUrlClientId } from '../clients/client-document.ts'
import type { ClientStore } from '../clients/client-store.ts'
import { findGrant, type Grant } from '../engine/grant.ts'
import type { LastUse } from '../engine/last-use.ts'
import type { OAuthLog } from '../log/log-events.ts'
import type { AppRegistry, KonnectorRegistry, ManifestPermission, OwnerSessions } from '../ports.ts'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import type { Permission } from '../scopes/permission.ts'
import { invalidToken } from '../tokens/bearer.ts'
import { TokenCache, type VerifiedToken } from '../tokens/token-cache.ts'
import type { AccessContext } from './access-context.ts'

// What stands behind a token, for the interface and for resources alike.

/** What it takes to find out who calls. */
export interface AccessServices {
  readonly store: Pick<Store, 'get'>
  readonly clock: { now(): number }
  readonly log: OAuthLog
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  readonly keyring: Keyring
  readonly apps: Pick<AppRegistry, 'installed'>
  /** Undefined: there are none. */
  readonly konnectors: KonnectorRegistry | undefined
  readonly flagship: CertificationRule
  readonly clients: Pick<ClientStore, 'find'>
  readonly engine: { readonly lastUsed: Pick<LastUse, 'note'> }
  readonly forbidden: ForbiddenScopes
  readonly clientAddress: (ctx: Context) => string
  /** Sessions are absent until `useSessions` (D49). */
  readonly given: { readonly sessions?: OwnerSessions | undefined }
  readonly accessCaches: AccessCaches
}

type FreshCache<Value> = ReturnType<typeof createFreshCache<Value>>

/** SPEC: security.md 78 - refused everywhere within a second; the rest of it is for the answer to come back. */
const TRUST_MS = 900

/** What the guard remembers between requests. */
export class AccessCaches {
  readonly tokens: TokenCache
  readonly clients: FreshCache<Client | undefined>
  readonly grants: FreshCache<Grant | undefined>
  readonly permissionsOfApps: WeakMap<Manifest, readonly Permission[]> = new WeakMap()
  /** By scope, for as long as the client's record is in use. */
  readonly contexts: WeakMap<Client, Map<string, AccessContext>> = new WeakMap()

  /** @param options.max - verified tokens kept in memory, and clients and grants of the last seconds */
  constructor(options: {
    readonly clock: { now(): number }
    readonly keyring: Keyring
    readonly revocations: Pick<Revocations, 'listen'>
    readonly max: number
  }) {
    const { clock, keyring, revocations, max } = options
    this.tokens = new TokenCache({ clock, keyring, max })
    this.clients = createFreshCache({ clock, maxAgeMs: TRUST_MS, max })
    this.grants = createFreshCache({ clock, maxAgeMs: TRUST_MS, max })
    revocations.listen({
      onRevoked: ({ instanceId, kind, id }) => {
        if (kind === 'client') this.clients.drop(`${instanceId}:${id}`)
        if (kind === 'grant') this.grants.drop(`${instanceId}:${id}`)
      },
      onGap: () => {
        this.clients.clear()
        this.grants.clear()
      },
    })
  }
}

/** What an app or konnector says of its permissions. */
export interface Manifest {
  readonly slug: string
  readonly permissions: Readonly<Record<string, ManifestPermission>>
}

/** @param resource - the address whose tokens are taken; absent: the interface itself */
export async function verify(
  { accessCaches, keyring }: Pick<AccessServices, 'accessCaches' | 'keyring'>,
  instance: Instance,
  text: string,
  resource?: string,
): Promise<VerifiedToken> {
  const verifying = accessCaches.tokens.verify(instance, text, resource)
  const token = verifying instanceof Promise ? await verifying : verifying
  const key = await keyring.find(instance, token.kind, token.kid)
  if (key === undefined) throw invalidToken('its key was replaced')
  return token
}

/** What the token of a client stands for. @throws OAuthError `invalid_token` when something of it ended */
export async function findGranted(
  ctx: Context,
  services: Pick<AccessServices, 'accessCaches' | 'clientAddress' | 'clients' | 'engine' | 'store'>,
  token: VerifiedToken,
): Promise<{ readonly client: Client; readonly grant: Grant; readonly scope: string }> {
  const { accessCaches, clients } = services
  const instance = instanceOf(ctx)
  const { sub, gid, scope } = token.claims
  if (gid === undefined || scope === undefined) throw invalidToken('claims are missing')
  const findingGrant = accessCaches.grants.get(`${instance.id}:${gid}`, () =>
    findGrant(services, instance, gid),
  )
  const id = isUrlClientId(sub) ? documentClientId(sub) : sub
  const findingClient = accessCaches.clients.get(`${instance.id}:${id}`, () =>
    clients.find(instance, id),
  )
  const grant = findingGrant instanceof Promise ? await findingGrant : findingGrant
  const client = findingClient instanceof Promise ? await findingClient : findingClient
  if (client === undefined) throw invalidToken('its client is gone')
  if (grant === undefined || grant.clientId !== client.id) throw invalidToken('its grant is gone')
  // Once in a while is enough for a stamp, and costs the requests in between nothing.
  if (findingClient instanceof Promise) {
    services.engine.lastUsed.note(instance, client.id, services.clientAddress(ctx))
  }
  return { client, grant, scope }
}

export function instanceOf(ctx: Context): Instance {
  // `resolveInstance` puts it there; without it the server is put together wrongly.
  const instance = ctx.state['instance'] as Instance | undefined
  if (instance === undefined) throw new TypeError('the guard runs behind resolveInstance()')
  return instance
}
