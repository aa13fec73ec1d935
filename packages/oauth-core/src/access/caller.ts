import {
  createFreshCache,
  type Instance,
  type InstanceId,
  type Keyring,
  type Revocations,
  type SigningKey,
} from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import type { CertificationRule, Client } from '../clients/client.ts'
import { documentClientId, isUrlClientId } from '../clients/client-document.ts'
import { clientKey, isClientId } from '../clients/client-record.ts'
import type { ClientStore } from '../clients/client-store.ts'
import { findGrant, type Grant, grantKey } from '../engine/grant.ts'
import type { LastUse } from '../engine/last-use.ts'
import type { OAuthLog } from '../log/log-events.ts'
import type { AppRegistry, KonnectorRegistry, ManifestPermission, OwnerSessions } from '../ports.ts'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import type { Permission } from '../scopes/permission.ts'
import { invalidToken } from '../tokens/bearer.ts'
import { type GrantedKeys, TokenCache, type VerifiedToken } from '../tokens/token-cache.ts'
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
/** The same where every change is heard, since nobody else writes the store. @see docs/decisions/0700 */
const SOLE_TRUST_MS = 10_000

/** What the guard remembers between requests. */
export class AccessCaches {
  readonly tokens: TokenCache
  clients: FreshCache<Client | undefined>
  grants: FreshCache<Grant | undefined>
  readonly permissionsOfApps: WeakMap<Manifest, readonly Permission[]> = new WeakMap()
  /** By scope, for as long as the client's record is in use. */
  readonly contexts: WeakMap<Client, Map<string, AccessContext>> = new WeakMap()
  readonly #options: { readonly clock: { now(): number }; readonly max: number }
  readonly #stopHearing: (() => void) | undefined

  /** @param options.max - verified tokens kept in memory, and clients and grants of the last seconds */
  constructor(options: {
    readonly clock: { now(): number }
    readonly keyring: Keyring
    readonly revocations: Pick<Revocations, 'listen'>
    readonly store: Pick<Store, 'onWritten'>
    readonly max: number
  }) {
    const { clock, keyring, revocations, store, max } = options
    this.tokens = new TokenCache({ clock, keyring, keysOf, max })
    this.#options = { clock, max }
    const maxAgeMs = store.onWritten === undefined ? TRUST_MS : SOLE_TRUST_MS
    this.clients = createFreshCache({ clock, maxAgeMs, max })
    this.grants = createFreshCache({ clock, maxAgeMs, max })
    this.#stopHearing = store.onWritten?.((key) => {
      this.clients.drop(key)
      this.grants.drop(key)
    })
    revocations.listen({
      onRevoked: ({ instanceId, kind, id }) => {
        if (kind === 'client' && isClientId(id)) this.clients.drop(clientKey(instanceId, id))
        if (kind === 'grant') this.grants.drop(grantKey(instanceId, id))
      },
      onGap: () => {
        this.clients.clear()
        this.grants.clear()
      },
    })
  }

  /** The store may live on without it. A request that is still under way trusts what may be written unheard for 0.9 s. */
  close(): void {
    this.#stopHearing?.()
    this.clients = createFreshCache({ ...this.#options, maxAgeMs: TRUST_MS })
    this.grants = createFreshCache({ ...this.#options, maxAgeMs: TRUST_MS })
  }
}

/** What an app or konnector says of its permissions. */
export interface Manifest {
  readonly slug: string
  readonly permissions: Readonly<Record<string, ManifestPermission>>
}

/** @param resource - the address whose tokens are taken; absent: the interface itself */
export function verify(
  { accessCaches, keyring }: Pick<AccessServices, 'accessCaches' | 'keyring'>,
  instance: Instance,
  text: string,
  resource?: string,
): VerifiedToken | Promise<VerifiedToken> {
  const check = (token: VerifiedToken): VerifiedToken | Promise<VerifiedToken> => {
    const finding = keyring.find(instance, token.kind, token.kid)
    return finding instanceof Promise
      ? finding.then((key) => signedBy(token, key))
      : signedBy(token, finding)
  }
  const verifying = accessCaches.tokens.verify(instance, text, resource)
  return verifying instanceof Promise ? verifying.then(check) : check(verifying)
}

function signedBy(token: VerifiedToken, key: SigningKey | undefined): VerifiedToken {
  if (key === undefined) throw invalidToken('its key was replaced')
  return token
}

/** What the token of a client stands for. */
export interface Granted {
  readonly client: Client
  readonly grant: Grant
  readonly scope: string
}

/** Answers at once what is known. @throws OAuthError `invalid_token` when something of it ended */
export function findGranted(
  ctx: Context,
  services: Pick<
    AccessServices,
    'accessCaches' | 'clientAddress' | 'clients' | 'clock' | 'engine' | 'store'
  >,
  token: VerifiedToken,
): Granted | Promise<Granted> {
  const { accessCaches, clients } = services
  const instance = instanceOf(ctx)
  const { claims, granted: keys } = token
  const { gid, scope } = claims
  if (gid === undefined || scope === undefined || keys === undefined) {
    throw invalidToken('claims are missing')
  }
  const grant = accessCaches.grants.get(keys.grant, () => findGrant(services, instance, gid))
  const client = accessCaches.clients.get(keys.client, () => clients.find(instance, keys.clientId))
  if (!(grant instanceof Promise || client instanceof Promise)) {
    return checkGranted(client, grant, scope, services.clock)
  }
  return Promise.all([client, grant]).then(([foundClient, foundGrant]) => {
    const granted = checkGranted(foundClient, foundGrant, scope, services.clock)
    // Once in a while is enough for a stamp, and costs the requests in between nothing.
    if (client instanceof Promise) {
      services.engine.lastUsed.note(instance, granted.client.id, services.clientAddress(ctx))
    }
    return granted
  })
}

function checkGranted(
  client: Client | undefined,
  grant: Grant | undefined,
  scope: string,
  clock: { now(): number },
): Granted {
  if (client === undefined) throw invalidToken('its client is gone')
  if (grant === undefined || grant.clientId !== client.id) throw invalidToken('its grant is gone')
  // It may have been found while it was still good.
  if (grant.endsAt !== undefined && grant.endsAt <= clock.now())
    throw invalidToken('its grant ended')
  return { client, grant, scope }
}

function keysOf(instanceId: InstanceId, subject: string, grantId: string): GrantedKeys | undefined {
  const clientId = isUrlClientId(subject) ? documentClientId(subject) : subject
  if (!isClientId(clientId)) return undefined
  return {
    clientId,
    client: clientKey(instanceId, clientId),
    grant: grantKey(instanceId, grantId),
  }
}

export function instanceOf(ctx: Context): Instance {
  // `resolveInstance` puts it there; without it the server is put together wrongly.
  const instance = ctx.state['instance'] as Instance | undefined
  if (instance === undefined) throw new TypeError('the guard runs behind resolveInstance()')
  return instance
}
