import { pbkdf2Sync, scrypt, scryptSync } from 'node:crypto'
import { SILENT } from './scale/silent-log.ts'

/** What the harness asks this process. */
export type LoginServerRequest =
  /** Raw hashes, so many at a time; answers the milliseconds they took. */
  { readonly ask: 'scrypt'; readonly count: number; readonly parallel: number }

/** The cost of stored passphrases. @see decision D17 */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 64

/** What is measured is the work, not the refusal to do it. */
const UNLIMITED = Object.fromEntries(
  ['AUTH', 'AUTH_IP', 'SEND_HINT', 'TWO_FACTOR', 'TWO_FACTOR_GENERATION'].map((name) => [
    `SVC_LIMITS_${name}`,
    '1000000',
  ]),
)

// The host in a process of its own: `login-server.ts <folder> <login value> <silent or debug> <host>…`; a host that starts with `hint.`
// has a reminder, one that starts with `new.` has no owner yet, one that starts with `imported-` an owner with a hash of
// the passphrase itself, which is the login value here. As in its main.ts, the pool's
// size is set before anything is imported that uses it.
process.env['UV_THREADPOOL_SIZE'] = '8'
const [dataDir = '', loginValue = '', level = '', ...domains] = process.argv.slice(2)
await serve()

async function serve(): Promise<void> {
  const { loadConfig } = await import('../src/config/config.ts')
  const { startHost } = await import('../src/host.ts')
  const { createInstance } = await import('../src/create-instance.ts')
  const config = loadConfig({
    SVC_ADMIN_PORT: '0',
    SVC_DATA_DIR: dataDir,
    SVC_DEMO: 'off',
    SVC_PORT: '0',
    SVC_TRUST_PROXY: '1',
    ...UNLIMITED,
    UV_THREADPOOL_SIZE: '8',
  })
  const { createLog } = await import('../src/log/log.ts')
  const log = level === 'debug' ? createLog('debug') : SILENT
  const host = await startHost({ config, log, notice: () => {} })
  const owner = {
    over: 'login-value',
    hash: hashOfLogin(),
    salt: 'bench',
    iterations: 650_000,
  } as const
  const foreign = { over: 'passphrase', hash: foreignHash() } as const
  for (const domain of domains) {
    const { instance } = await createInstance(host.app, { domain, email: 'owner@mail.example' })
    if (domain.startsWith('new.')) continue
    const hinted = domain.startsWith('hint.') ? { ...owner, hint: 'the usual one' } : owner
    const imported = domain.startsWith('imported-') ? foreign : hinted
    await host.app.ui.owners.importPassphrase(instance, imported)
  }
  process.on('message', (request: LoginServerRequest) => {
    hashRaw(request).then(
      (value) => process.send?.(value),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
  process.once('disconnect', () => {
    void host.stop().then(() => process.exit())
  })
  process.send?.({ port: host.port })
}

/** Every instance's owner has the same; the first login replaces it by the form that is made today. */
function hashOfLogin(): string {
  const salt = Buffer.alloc(32, 1)
  const key = scryptSync(loginValue, salt, KEY_BYTES, COST)
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('hex')}$${key.toString('hex')}`
}

/** As Django has it. */
function foreignHash(): string {
  const key = pbkdf2Sync(loginValue, 'bench', 260_000, 32, 'sha256')
  return `pbkdf2_sha256$260000$bench$${key.toString('base64')}`
}

async function hashRaw({ count, parallel }: LoginServerRequest): Promise<number> {
  const startedAt = performance.now()
  let left = count
  async function worker(): Promise<void> {
    while (left > 0) {
      left -= 1
      await new Promise<void>((resolve, reject) => {
        scrypt(loginValue, Buffer.alloc(32, 1), KEY_BYTES, COST, (error) =>
          error === null ? resolve() : reject(error),
        )
      })
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  return performance.now() - startedAt
}
