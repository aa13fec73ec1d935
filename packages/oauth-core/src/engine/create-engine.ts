import { generateKeyPairSync } from 'node:crypto'
import {
  HOUR_MS,
  type Instance,
  type Keyring,
  type Logger,
  type Parameters,
  type RateLimit,
  type RequestState,
  type Revocations,
} from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import type { Configuration, JWK } from 'oidc-provider'
import type { Client } from '../clients/client.ts'
import type { OAuthEvents } from '../ports.ts'
import { createAdapter } from './adapter.ts'
import { createTokenBridge } from './bridge.ts'
import { createClientAuthentication } from './client-authentication.ts'
import { createClientCache } from './client-cache.ts'
import type { ClientRecords } from './client-records.ts'
import { buildConfiguration } from './configuration.ts'
import type { Engine } from './engine.ts'
import { createGatheredReads } from './batched-reads.ts'
import { createGrants, toGrant } from './grants.ts'
import { createAnswerTokens, createIssueTokens } from './issue-tokens.ts'
import { createLastUse } from './last-use.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../lifetimes.ts'
import { createMint } from './mint.ts'
import { createProviderCache } from './provider-pool.ts'
import {
  claimedGrant,
  grantKey,
  type GrantRecord,
  isDigestOf,
  registrationTokenKey,
  type RegistrationTokenRecord,
} from './records.ts'
import { createRegistration } from './registration.ts'
import { createSecretThrottle } from './secret-throttle.ts'
import { createUnits } from './unit-of-work.ts'

export interface EngineDependencies {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: Logger
  readonly keyring: Keyring
  readonly clients: ClientRecords
  /** Tells guards everywhere that a grant ended. */
  readonly revocations: Pick<Revocations, 'publish'>
  /** Prefix of doctypes, such as `io.svc` (D20). */
  readonly namespace: string
  /** Client address of a request, for the limit on wrong secrets. */
  readonly clientAddress: (ctx: Context) => string
  /** Whether a client may have scope `*`. @defaultValue its own flag */
  readonly isCertified?: (client: Client) => boolean
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
  readonly lifetimes?: Partial<Lifetimes>
  /** Wrong secrets per client and address. @defaultValue 300 an hour */
  readonly wrongSecrets?: RateLimit
  /** Waits until a client has the app it is linked to; refuses what is asked otherwise. @defaultValue has it */
  readonly demandApp?: (instance: Instance, client: Client) => Promise<void>
  /** Instances whose engine is kept. @defaultValue `256` */
  readonly instanceCacheSize?: number
  /** Clients whose parsed form is kept. @defaultValue `2000` */
  readonly clientCacheSize?: number
}

/** The door to oidc-provider. */
export function createEngine(dependencies: EngineDependencies): Engine {
  const { store, clock, log, keyring, clients, emit } = dependencies
  const lifetimes = { ...DEFAULT_LIFETIMES, ...dependencies.lifetimes }
  const units = createUnits()
  const read = createGatheredReads(store)
  const grants = createGrants({ store, revocations: dependencies.revocations, emit })
  const clientCache = createClientCache(clients, dependencies.clientCacheSize ?? 2000)
  const stamps = { store, clock, clients, log }
  const lastUse = createLastUse({ ...stamps, kind: 'client-use' })
  const lastSeen = createLastUse({ ...stamps, kind: 'client-seen' })
  const limit = dependencies.wrongSecrets ?? { limit: 300, windowMs: HOUR_MS }
  const throttle = createSecretThrottle({ store, clock, log, limit })
  const adapter = createAdapter({ store, clock, units, clients, clientCache, grants, lifetimes })

  let configuration: Configuration | undefined
  const providerOf = createProviderCache({
    configuration: () => {
      configuration ??= buildConfiguration({ adapter, units, lifetimes, unusedKey: unusedKey() })
      return configuration
    },
    units,
    size: dependencies.instanceCacheSize ?? 256,
  })

  async function forget(instance: Instance, clientId: string, reason: string): Promise<void> {
    await grants.forget(instance, clientId, reason)
    await lastUse.forget(instance, clientId)
    await lastSeen.forget(instance, clientId)
  }

  const authentication = createClientAuthentication({
    read,
    clients,
    clientCache,
    throttle,
    clientAddress: dependencies.clientAddress,
  })
  const answerTokens = createAnswerTokens({ keyring, clock, lifetimes })
  const token = createTokenBridge({
    store,
    read,
    clock,
    answerTokens,
    isCertified: dependencies.isCertified ?? (({ flagship }) => flagship),
    demandApp: dependencies.demandApp ?? (async () => {}),
    authentication,
    units,
    grants,
    lastUse,
    lastSeen,
    clientAddress: dependencies.clientAddress,
    lifetimes,
    namespace: dependencies.namespace,
    providerOf,
    emit,
  })

  return {
    ...createRegistration({ store, read, clients, units, providerOf, forget }),
    token: (ctx, instance) => token(ctx, instance, formOf(ctx)),
    async authenticateClient(ctx, instance) {
      const { client } = await authentication.authenticate(ctx, instance, formOf(ctx))
      return client
    },
    mintCode: createMint({ store, clients, units, grants, providerOf }),
    issueTokens: createIssueTokens({
      ...{ store, clock, clients, grants, lastUse, lifetimes, answerTokens, emit },
    }),
    findGrant: grants.find,
    listGrants: grants.list,
    revokeGrant: grants.revoke,
    revokeGrants: grants.revokeAll,
    forgetClient: forget,
    noteUse: lastSeen.note,
    lastUsed: lastSeen.read,

    async lastRefreshed(instance, clientIds) {
      const known = await lastUse.read(instance, clientIds)
      return new Map([...known].map(([id, { at }]) => [id, at]))
    },

    async findRefreshGrant(instance, refreshToken) {
      const grantId = claimedGrant(refreshToken)
      if (grantId === undefined) return undefined
      const record = await store.get<GrantRecord>(grantKey(instance.id, grantId))
      return record !== undefined && isDigestOf(record.value.refreshToken, refreshToken)
        ? toGrant(record.value)
        : undefined
    },

    async isRegistrationToken(instance, clientId, value) {
      const key = registrationTokenKey(instance.id, value)
      const record = await store.get<RegistrationTokenRecord>(key)
      return record?.value.clientId === clientId
    },

    async close() {
      await lastUse.close()
      await lastSeen.close()
      await throttle.close()
    },
  }
}

function formOf(ctx: Context): Parameters {
  return (ctx.state as RequestState).form // Set by the router before a handler runs.
}

function unusedKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // The members of an EC key, which this is.
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' } as JWK
}
