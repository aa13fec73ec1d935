import { SILENT } from './scale/silent-log.ts'

/** What the harness asks this process. */
export type McpServerRequest =
  /** Answers the milliseconds of processor time that the process used so far. */
  { readonly ask: 'cpu' }

/** What it says first. */
export interface McpServerHello {
  readonly port: number
  readonly origin: string
  /** `name=value` of the owner's session. */
  readonly cookie: string
}

/** What is measured is the work, not the refusal to do it. */
const UNLIMITED = {
  SVC_LIMITS_REQUESTS_PER_MINUTE: '0',
  ...Object.fromEntries(
    ['ADDRESS', 'DOCUMENTS', 'HOUR', 'MINUTE'].map((name) => [
      `SVC_LIMITS_MCP_${name}`,
      '1000000000',
    ]),
  ),
}

/** About what a note is long. */
const TEXT = 'Buy tulips, and water the garden. '.repeat(30)

// The host on SQLite in a process of its own, with one owner and some notes:
// `mcp-server.ts <folder> <domain> <kind> <documents>`. As in its main.ts, the pool's size is set first.
process.env['UV_THREADPOOL_SIZE'] = '8'
const [dataDir = '', domain = '', kind = '', documents = '0'] = process.argv.slice(2)
await serve()

async function serve(): Promise<void> {
  const { loadConfig } = await import('../src/config/config.ts')
  const { startHost } = await import('../src/host.ts')
  const { createInstance } = await import('../src/create-instance.ts')
  const { createDocumentStore } = await import('../src/documents/document-store.ts')
  const config = loadConfig({
    SVC_ADMIN_PORT: '0',
    SVC_DATA_DIR: dataDir,
    SVC_DEMO: 'off',
    SVC_PORT: '0',
    ...UNLIMITED,
    UV_THREADPOOL_SIZE: '8',
  })
  const host = await startHost({ config, log: SILENT, notice: () => {} })
  const { instance } = await createInstance(host.app, { domain, email: 'owner@mail.example' })
  const { owners } = host.app.ui
  // Nobody computes it: the owner has a session.
  const hash = `scrypt$32768$8$1$${'0'.repeat(32)}$${'0'.repeat(64)}`
  await owners.importPassphrase(instance, {
    over: 'login-value',
    hash,
    salt: 'bench',
    iterations: 650_000,
  })
  const store = createDocumentStore(host.store)
  for (let n = 0; n < Number(documents); n += 1) {
    const fields = { title: `Note ${n}`, text: TEXT }
    await store.put(instance, { type: kind, id: `n${n}`, fields }, 'any')
  }
  const { cookie } = await owners.createSession(instance)
  process.on('message', (_request: McpServerRequest) => {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1000)
  })
  process.once('disconnect', () => {
    void host.stop().then(() => process.exit())
  })
  const hello: McpServerHello = {
    port: host.port,
    origin: instance.origin,
    cookie: `${cookie.name}=${cookie.value}`,
  }
  process.send?.(hello)
}
