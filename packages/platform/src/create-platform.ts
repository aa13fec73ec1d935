import type { Clock, Store } from '@svc/store'
import type { Context } from 'koa'
import { createRevocations } from './events/revocations.ts'
import { createClientAddress } from './http/client-address.ts'
import type { HttpError } from './http/http-error.ts'
import { createPagePaths } from './http/page-paths.ts'
import { createHandler } from './http/handler.ts'
import { createRequests } from './http/requests.ts'
import { RouteTable } from './http/route-table.ts'
import { mountRoutes } from './http/router.ts'
import type { InstanceId, Subdomains } from './instances/instance.ts'
import { createInstances, type InstanceStore } from './instances/instance-store.ts'
import { createResolver } from './http/resolve-instance.ts'
import { createKeyring } from './keys/keyring-store.ts'
import { createSealer, type SealingKey } from './keys/sealer.ts'
import { checkSealingKeys } from './keys/sealing-keys.ts'
import { keepTickShape } from './load/tick-shape.ts'
import type { Logger } from './log/logger.ts'
import type { OwnPlatform } from './platform.ts'
import { NO_ACTIVITY } from './ports/activity-log.ts'
import { PLATFORM_RECORDS } from './records.ts'
import { RecordRegistry } from './records/record-registry.ts'
import { removeRecords } from './records/remove-records.ts'
import { versionedStore } from './records/versioned-store.ts'
import { holdStore } from './transfer/held-store.ts'
import { createTransfer } from './transfer/instance-transfer.ts'

/** Options of the ground floor; `createOAuth` checks them and fills in their defaults. */
export interface PlatformOptions {
  /** Where everything lives. The caller opens and closes it. */
  readonly store: Store
  /** The host's sealing keys (D52): 32 random bytes each. The first seals. */
  readonly keys: readonly SealingKey[]
  /** Prefix of doctypes (D20). */
  readonly namespace: string
  /** How app hosts are named. */
  readonly subdomains: Subdomains
  /** Whether an instance is reached by https (D53). */
  readonly isHttps: (domain: string) => boolean
  /** Trusted proxies in front, 0 to 10. */
  readonly trustProxy: number
  /** Instance records kept in process memory. */
  readonly instanceCacheSize: number
  /** How old a key that signs access tokens may become, milliseconds; 0: never replaced by itself. */
  readonly signingKeyMs?: number
  readonly clock: Clock
  readonly log: Logger
}

/** What the removal of an instance itself removes at the end. */
const LAST_KINDS: ReadonlySet<string> = new Set(['instance', 'keys'])

/**
 * Assembles the ground floor. Nothing is read or written before the first request, or `start`.
 * @example
 * const platform = createPlatform({
 *   store,
 *   keys,
 *   clock,
 *   log,
 *   namespace: 'io.svc',
 *   subdomains: 'nested',
 *   isHttps: () => true,
 *   trustProxy: 0,
 *   instanceCacheSize: 1000,
 * })
 */
export function createPlatform(options: PlatformOptions): OwnPlatform {
  keepTickShape()
  const { clock, log, namespace, subdomains, isHttps, trustProxy } = options
  const whole = versionedStore(options.store, PLATFORM_RECORDS, log)
  let errorPage: ((ctx: Context, error: HttpError) => Promise<void>) | undefined

  const records = new RecordRegistry()
  records.declare(PLATFORM_RECORDS)
  let isLow = (): boolean => false
  let activity = NO_ACTIVITY

  // Everybody but the instances' own records goes through the holds of instances that are exported or imported.
  const held = holdStore({ store: whole, clock, find: (id) => instances.byId(id) })
  const { store } = held
  const sealer = createSealer(options.keys)
  const revocations = createRevocations({ bus: store.bus, log })
  const onChanged = (id: InstanceId): void => {
    revocations.tell({ instanceId: id, kind: 'instance', id })
  }
  const keyring = createKeyring({
    store,
    sealer,
    clock,
    log,
    ...(options.signingKeyMs !== undefined && { signingKeyMs: options.signingKeyMs }),
    onReplaced: onChanged,
  })
  const addressing = { subdomains, isHttps }
  const instances: InstanceStore = createInstances({
    ...addressing,
    store: whole,
    removeRest: (id) => removeRecords(records, whole, id, (kind) => LAST_KINDS.has(kind)),
    keyring,
    clock,
    log,
    onChanged,
    cacheSize: options.instanceCacheSize,
  })
  const table = new RouteTable()
  const paths = createPagePaths(table)
  const resolver = createResolver({
    ...addressing,
    instances,
    log,
    clock,
    trustProxy,
    page: () => errorPage,
    paths,
  })
  const clientAddress = createClientAddress(trustProxy)
  const requests = createRequests({ resolver, clientAddress })

  return {
    resolveInstance: () => resolver.middleware,
    handler: (given) => createHandler(given, { log, table, resolver, requests }),
    requests,
    requestOf: requests.of,
    view: requests.view,
    hasHost: requests.hasHost,
    mount: (rows, environment = {}) =>
      mountRoutes(rows, { log, isSpaceLow: () => isLow(), ...environment }, table),
    isMounted: paths.isDeclared,
    activity: {
      pending: (instance, event) => activity.pending(instance, event),
      refused: (instance, event) => activity.refused(instance, event),
      used: (instance, use) => activity.used(instance, use),
    },
    useActivity(given) {
      activity = given
    },
    useSpace(given) {
      isLow = given
    },
    onRevoked: revocations.listen,
    async revoked({ id: instanceId }, kind, ids) {
      await Promise.all(ids.map((id) => revocations.publish({ instanceId, kind, id })))
    },
    revocations,
    useErrorPage(page) {
      errorPage = page
    },
    instances,
    keyring,
    sealer,
    store,
    records,
    clock,
    log,
    namespace,
    transfer: createTransfer({
      store: whole,
      clock,
      records,
      sealer,
      keyring,
      namespace,
      instances,
      directory: instances.directory,
      forget: instances.forget,
      forgetFrozen: instances.forgetFrozen,
      normalize: instances.normalize,
      queues: held.queues,
    }),
    clientAddress,
    async start() {
      await checkSealingKeys({ store, clock, keys: options.keys })
      await instances.start()
    },
    async close() {
      await instances.close()
      await revocations.close()
      await keyring.close()
    },
  }
}
