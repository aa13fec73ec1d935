import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { HostLog } from '../src/log/log.ts'

/** What the harness asks this process. */
export type ConnectionsServerRequest = 'state' | 'garbage-collected state'

/** What this process has and has used. */
export interface ServerState {
  /** TCP sockets that are not destroyed, listeners aside. */
  readonly sockets: number
  /** Resident memory, bytes. */
  readonly rss: number
  /** Processor time so far, milliseconds. */
  readonly cpuMs: number
}

const SILENT: HostLog = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  store: { warn: () => {}, error: () => {} },
  flush: async () => {},
  flushNow: () => {},
}

// The host in a process of its own: `connections-server.ts <folder> <connections> <domain>…`.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void // what that flag exposes
const [dataDir = '', connections = '', ...domains] = process.argv.slice(2)
await serve()

async function serve(): Promise<void> {
  const { loadConfig } = await import('../src/config/config.ts')
  const { startHost } = await import('../src/host.ts')
  const { createInstance } = await import('../src/create-instance.ts')
  const config = loadConfig({
    SVC_ADMIN_PORT: '0',
    SVC_DATA_DIR: dataDir,
    SVC_DEMO: 'off',
    SVC_LIMITS_CONNECTIONS: connections,
    // Every flood comes from loopback.
    SVC_LIMITS_REQUESTS_PER_MINUTE: '0',
    SVC_PORT: '0',
  })
  const host = await startHost({ config, log: SILENT, notice: () => {} })
  for (const domain of domains) {
    const { instance } = await createInstance(host.app, { domain, email: 'owner@mail.example' })
    await host.app.ui.owners.importPassphrase(instance, {
      over: 'login-value',
      hash: `scrypt$32768$8$1$${'0'.repeat(32)}$${'0'.repeat(64)}`,
      salt: 'bench',
      iterations: 650_000,
    })
  }
  process.on('message', ({ question }: { question: ConnectionsServerRequest }) => {
    if (question !== 'state') collect()
    process.send?.(state())
  })
  process.once('disconnect', () => {
    void host.stop().then(() => process.exit())
  })
  process.send?.({ port: host.port })
}

function state(): ServerState {
  const { user, system } = process.cpuUsage()
  const resources = process.getActiveResourcesInfo()
  return {
    sockets: resources.filter((kind) => kind === 'TCPSocketWrap').length,
    rss: process.memoryUsage.rss(),
    cpuMs: (user + system) / 1000,
  }
}
