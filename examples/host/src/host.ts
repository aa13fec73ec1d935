import { type Clock, type Store, systemClock } from '@svc/store'
import { createAdminApp } from './admin/admin.ts'
import { AdminToken } from './admin/admin-token.ts'
import { hasTls, publicAddress } from './config/addressing.ts'
import { createHostApp } from './app.ts'
import { type Config, ConfigError } from './config/config.ts'
import { type RunningServer, startServer, toListener } from './http/http-server.ts'
import type { HostServices } from './services.ts'
import type { HostLog } from './log/log.ts'
import { openSealingKeys, readSealingKeys } from './storage/sealing-keys.ts'
import { openStore } from './storage/open-store.ts'
import { ProcessHeartbeat } from './processes/process-heartbeat.ts'

export interface StartOptions {
  readonly config: Config
  readonly log: HostLog
  /** Tells the operator something in a sentence. */
  readonly notice: (text: string) => void
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
}

/** A host that listens. */
export interface RunningHost {
  readonly app: HostServices
  readonly store: Store
  readonly port: number
  readonly adminPort: number
  /** Reads files again that may have changed: the certificate, and those of account types. */
  reload(): Promise<void>
  /** Finishes requests and writes under way, then lets go of everything. Idempotent. @see security.md 118 */
  stop(): Promise<void>
}

/** Connections of the admin listener: commands, and a monitoring system. @see operation.md 1, rule 15 */
const ADMIN_CONNECTIONS = 64
/** Requests that take longer at the end are cut, milliseconds: the whole stop is done within 10 s. */
const GRACE_MS = 7000

/**
 * Opens the store, assembles the server and starts both listeners.
 * @throws ConfigError, StoreUnavailableError, or the system's error when a port is taken
 */
export async function startHost(options: StartOptions): Promise<RunningHost> {
  const { config, log, notice, clock = systemClock } = options
  const source = readSealingKeys(config)
  const store = await openStore(config, log, clock)
  let heartbeat: ProcessHeartbeat | undefined
  const opened: (() => Promise<void>)[] = [() => store.close(), async () => heartbeat?.stop()]
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close()
  }
  try {
    const keys = await openSealingKeys(source, { store, clock, notice })
    const app = await createHostApp({ config, store, keys, log, clock, notice })
    opened.push(() => app.close())
    await app.start()
    const publicServer = await listenPublic(config, app, log)
    app.realtime.attach(publicServer.server)
    // Together: requests in flight do not wait for websockets that say goodbye, and the other way round.
    opened.push(async () => {
      await Promise.all([app.realtime.close(), publicServer.stop(GRACE_MS)])
    })
    const admin = createAdminApp({ app, config, token: new AdminToken(config), log })
    const adminServer = await startServer(toListener(admin), {
      port: config.adminPort,
      host: '127.0.0.1',
      connections: ADMIN_CONNECTIONS,
      log,
    })
    app.metrics.watch(publicServer.limits)
    app.metrics.watch(adminServer.limits)
    opened.push(() => adminServer.stop(0))
    if (config.isProduction && config.smtpUrl === undefined) {
      log.warn('mail.off', { reason: 'SVC_SMTP_URL is not set: no mail leaves this server' })
    }
    const { port } = publicServer
    heartbeat = new ProcessHeartbeat({ config, store, clock, log, keys, port })
    await heartbeat.start()
    await app.keys.start()
    await app.welcome(port)
    let stopping: Promise<void> | undefined
    return {
      app,
      store,
      port,
      adminPort: adminServer.port,
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
