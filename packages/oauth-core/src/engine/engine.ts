import {
  type ActivityLog,
  type Emitter,
  HOUR_MS,
  type Instance,
  type Keyring,
  type RateLimit,
  type Revocations,
} from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import type { CertificationRule, ClientId } from '../clients/client.ts'
import type { ClientStore } from '../clients/client-store.ts'
import type { LinkedApps } from '../clients/linked-apps.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../lifetimes.ts'
import type { OAuthEvents } from '../ports.ts'
import { createAdapter } from './adapter.ts'
import { dropRegistrationTokens, revokeGrants } from './grant.ts'
import type { DescribedClients } from './described-clients.ts'
import { LastUse } from './last-use.ts'
import { ParsedClients } from './metadata.ts'
import { ProviderPool } from './provider-pool.ts'
import { SecretThrottle } from './secret-throttle.ts'
import { BatchedReads } from './unit-of-work.ts'
import type { OAuthLog } from '../log/log-events.ts'

/** What the engine is given by the package. */
interface EngineParts {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: OAuthLog
  readonly keyring: Keyring
  readonly clients: ClientStore
  /** Notifies guards everywhere that a grant ended. */
  readonly revocations: Pick<Revocations, 'publish'>
  readonly emitter: Pick<Emitter<OAuthEvents>, 'emit'>
  /** Prefix of doctypes, such as `io.svc` (D20). */
  readonly namespace: string
  /** Client address of a request, for the limit on wrong secrets. */
  readonly clientAddress: (ctx: Context) => string
  readonly flagship: CertificationRule
  readonly described: DescribedClients
  /** Installs what linked clients need before they get tokens. */
  readonly linkedApps: Pick<LinkedApps, 'require' | 'startInstall'>
  /** Counts refreshes. */
  readonly activity: Pick<ActivityLog, 'used'>
}

/**
 * What surrounds oidc-provider; only this folder knows that library. The functions beside it take it, or the part they
 * need.
 * @see oauth.md 13, decisions D7, D8, D69
 */
export interface Engine extends EngineParts {
  readonly lifetimes: Lifetimes
  readonly reads: BatchedReads
  /** @internal Its types are the library's, which embedders need not have. */
  readonly parsedClients: ParsedClients
  /** @internal As above. */
  readonly providers: ProviderPool
  readonly throttle: SecretThrottle
  /** When clients last got tokens. */
  readonly lastRefreshed: LastUse
  /** When clients last used or got a token, and from where. */
  readonly lastUsed: LastUse
}

export interface EngineOptions extends EngineParts {
  readonly lifetimes?: Partial<Lifetimes>
  /** Wrong secrets per client and address. @defaultValue 300 an hour */
  readonly wrongSecrets?: RateLimit
  /** Instances whose engine is kept. @defaultValue `256` */
  readonly instanceCacheSize?: number
}

/** Clients whose parsed form is kept. */
const PARSED_CLIENTS = 2000

/** Makes the engine; {@link closeEngine} ends it. */
export function createEngine(options: EngineOptions): Engine {
  const { wrongSecrets, instanceCacheSize, ...parts } = options
  const { store, clock, log } = parts
  const lifetimes = { ...DEFAULT_LIFETIMES, ...parts.lifetimes }
  const parsedClients = new ParsedClients(parts.clients, PARSED_CLIENTS)
  const limit = wrongSecrets ?? { limit: 300, windowMs: HOUR_MS }
  return {
    ...parts,
    lifetimes,
    reads: new BatchedReads(store),
    parsedClients,
    providers: new ProviderPool({
      adapter: createAdapter({ ...parts, lifetimes, parsedClients }),
      lifetimes,
      size: instanceCacheSize ?? 256,
    }),
    throttle: new SecretThrottle({ store, clock, log, limit }),
    lastRefreshed: new LastUse({ kind: 'client-use', store, clock, log }),
    lastUsed: new LastUse({ kind: 'client-seen', store, clock, log }),
  }
}

/**
 * Ends all that a client holds: grants, codes, refresh tokens, registration token. To be called after its record was
 * removed, before that is answered.
 */
export async function forgetClient(
  engine: Engine,
  instance: Instance,
  clientId: ClientId | string,
  reason: string,
): Promise<void> {
  await revokeGrants(engine, instance, clientId, reason)
  await dropRegistrationTokens(engine, instance, clientId)
  await engine.lastRefreshed.forget(instance, clientId)
  await engine.lastUsed.forget(instance, clientId)
}

/** Writes gathered stamps and stops timers. */
export async function closeEngine({ lastRefreshed, lastUsed, throttle }: Engine): Promise<void> {
  await lastRefreshed.close()
  await lastUsed.close()
  await throttle.close()
}
