import { type Clock, type Store, systemClock } from '@svc/store'
import { settleRestored } from './backups/after-restore.ts'
import { createAdminApp } from './admin/admin.ts'
import { AdminToken } from './admin/admin-token.ts'
import { hasTls, publicAddress } from './config/addressing.ts'
import { createHostApp } from './app.ts'
import { StartChecks } from './checks/start.ts'
import { type Config, ConfigError } from './config/config.ts'
import { type RunningServer, startServer, toListener } from './http/http-server.ts'
import { createStoreSpace } from './quota/store-space.ts'
import type { HostServices } from './services.ts'
import type { HostLog } from './log/log.ts'
import { createInternalApp } from './monitoring/internal-listener.ts'
import { startLines } from './checks/start-lines.ts'
import { openSealingKeys, readSealingKeys } from './storage/sealing-keys.ts'
import { holdWakeUps } from './storage/held-wake-ups.ts'
import { openStore } from './storage/open-store.ts'
import { ProcessHeartbeat } from './processes/process-heartbeat.ts'
import { becomeReady } from './monitoring/readiness.ts'
import { RestWatch } from './rest-watch.ts'

export interface StartOptions {
  readonly config: Config
  readonly log: HostLog
  /** Tells the operator something in a sentence. */
  readonly notice: (text: string) => void
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
  /** How long a Redis that is down is asked again, milliseconds. @defaultValue 30 s */
  readonly storeWaitMs?: number
  /** Ends the process after a failed sync of the store: nothing that follows can be trusted. */
  readonly endUntrusted?: () => void
}

/** A host that listens. */
export interface RunningHost {
  readonly app: HostServices
  readonly store: Store
  readonly port: number
  readonly adminPort: number
  /** Absent without an internal listener. */
  readonly internalPort?: number
  /** Reads files again that may have changed: the certificate, and those of account types. */
  reload(): Promise<void>
  /** Finishes requests and writes under way, then lets go of everything. Idempotent. @see security.md 118 */
  stop(): Promise<void>
}

/** Connections of the admin listener: commands, and a monitoring system. @see operation.md 1, rule 15 */
const ADMIN_CONNECTIONS = 64
/**
 * Requests that take longer at the end are cut, milliseconds since the stop began: the whole of it is done within 10 s.
 */
const CUT_MS = 7500
/** The admin listener ends with nobody to wait for. */
const AT_ONCE = { drainMs: 0, cutMs: 0 } as const

/**
 * Opens the store, assembles the server and starts both listeners.
 * @throws ConfigError, StartError, StoreUnavailableError, or the system's error when a port is taken
 */
export async function startHost(options: StartOptions): Promise<RunningHost> {
  const { config, log, notice, clock = systemClock } = options
  const checks = new StartChecks({ ...options, clock })
  await checks.files()
  const source = readSealingKeys(config)
  await checks.reachStore()
  const space =
    config.store === 'sqlite'
      ? createStoreSpace(config.dataDir, log, options.endUntrusted ?? (() => {}))
      : undefined
  const store = await openStore({ config, log, clock, ...(space !== undefined && { space }) })
  let heartbeat: ProcessHeartbeat | undefined
  const opened: (() => Promise<void>)[] = [
    () => store.close(),
    async () => space?.stop(),
    async () => heartbeat?.stop(),
  ]
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close()
  }
  try {
    await checks.clock(store)
    const keys = await openSealingKeys(source, { store, clock, notice })
    await checks.redis()
    const wakeUps = holdWakeUps(store.scheduler)
    const app = await createHostApp({
      config,
      store,
      wakeUps: wakeUps.scheduler,
      keys,
      log,
      clock,
      notice,
      isSpaceLow: () => space?.isLow() === true,
    })
    opened.push(() => app.close())
    await space?.start()
    const telling = await settleRestored({ app, store, log })
    opened.push(async () => telling?.stop())
    await app.start()
    const publicServer = await listenPublic(config, app, log)
    app.realtime.attach(publicServer.server)
    // Whoever looks after the server, and proxies that ask whether it is ready, are answered until the drain ends.
    const others: RunningServer[] = []
    opened.push(
      async () => {
        await Promise.all(others.map((server) => server.stop(AT_ONCE)))
      },
      // Together: requests in flight do not wait for websockets that say goodbye, and the other way round.
      async () => {
        const times = { drainMs: config.drain, cutMs: CUT_MS }
        await Promise.all([app.realtime.close(), publicServer.stop(times)])
      },
    )
    const admin = createAdminApp({ app, config, store, token: new AdminToken(config) })
    const adminServer = await startServer(toListener(admin), {
      port: config.adminPort,
      host: '127.0.0.1',
      connections: ADMIN_CONNECTIONS,
      log,
    })
    others.push(adminServer)
    const internal = await listenInternal(config, app, log)
    if (internal !== undefined) others.push(internal)
    app.metrics.watch(publicServer.limits)
    app.metrics.watch(adminServer.limits)
    await checks.settings(app)
    const { port } = publicServer
    heartbeat = new ProcessHeartbeat({ config, store, clock, log, keys, port })
    await heartbeat.start()
    await app.keys.start()
    await app.welcome(port)
    await wakeUps.release()
    await becomeReady({ store, oauth: app.oauth, health: app.health, log })
    const stopWatchingRest = new RestWatch().start()
    opened.push(async () => stopWatchingRest())
    const ports = { public: port, admin: adminServer.port, internal: internal?.port }
    const { instances } = app.oauth
    if (config.isProduction) notice(await startLines({ config, keys, instances, ports }))
    let stopping: Promise<void> | undefined
    return {
      app,
      store,
      port,
      adminPort: adminServer.port,
      ...(internal !== undefined && { internalPort: internal.port }),
      reload() {
        publicServer.reload()
        return app.accounts.reload()
      },
      stop() {
        app.health.stopping()
        if (stopping === undefined) void heartbeat?.drain()
        stopping ??= closeAll()
        return stopping
      },
    }
  } catch (error) {
    await closeAll()
    throw asConfigError(error)
  }
}

/** The listener for monitoring and proxies, where there is to be one. */
async function listenInternal(
  config: Config,
  app: HostServices,
  log: HostLog,
): Promise<RunningServer | undefined> {
  if (config.internalPort === undefined) return undefined
  const { apps, health, metrics, oauth } = app
  const { instances } = oauth
  const koa = createInternalApp({ config, instances, apps, health, metrics, log })
  const server = await startServer(toListener(koa), {
    port: config.internalPort,
    host: config.internalHost,
    connections: ADMIN_CONNECTIONS,
    log,
  })
  app.metrics.watch(server.limits)
  return server
}

/** A value that only the package it is for could judge. */
function asConfigError(error: unknown): unknown {
  const isOptions = error instanceof TypeError && error.message.startsWith('options.')
  return isOptions ? new ConfigError(error.message.split('; ')) : error
}

function listenPublic(config: Config, app: HostServices, log: HostLog): Promise<RunningServer> {
  const host = publicAddress(config)
  const isHttps = hasTls(config)
  const { connections, connectionsPerAddress } = config.limits
  return startServer(toListener(app.koa, isHttps), {
    port: config.port,
    ...(host !== undefined && { host }),
    ...(connections !== undefined && { connections }),
    // A proxy in front is not one visitor.
    connectionsPerAddress: config.trustProxy > 0 ? 0 : (connectionsPerAddress ?? 0),
    ...(config.tls !== undefined && { tls: config.tls }),
    isHttps,
    log,
  })
}
