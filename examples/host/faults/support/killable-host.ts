import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort, type RedisServer, startRedisServer } from '@svc/store/testing'
import { type HostProcess, spawnHost } from '../../test/support/host-process.ts'

export type StoreKind = 'redis' | 'sqlite'

/** A host on a store of its own; both can be killed, and come back at the same ports. */
export interface KillableHost {
  readonly port: number
  readonly pid: number
  /** Those of all its lives that were errors. */
  readonly errors: readonly Readonly<Record<string, unknown>>[]
  /** Calls the admin listener. @throws Error for an answer that is no success */
  admin(method: string, path: string, body?: unknown): Promise<unknown>
  /** The same, as the text that was answered. */
  adminText(method: string, path: string, body?: unknown): Promise<string>
  readonly redis: RedisServer | undefined
  metrics(): Promise<string>
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** An answer of the admin listener that is no success. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal'

  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** None of them is what a fault program is about. */
const ROOMY = [
  'AUTH',
  'AUTH_IP',
  'KNOWN_DEVICE',
  'MCP_ADDRESS',
  'MCP_DOCUMENTS',
  'MCP_HOUR',
  'MCP_MINUTE',
  'OAUTH_CLIENT',
  'TOKEN',
  'TWO_FACTOR',
  'TWO_FACTOR_GENERATION',
  'CONFIRM_CODE',
  'SESSION_CODE',
  'REGISTER_GUESS',
  'ACCOUNT_START',
  'ACCOUNT_REDIRECT',
  'NOTIFY_POST',
  'NOTIFY_POST_INSTANCE',
  'NOTIFY_UNFINISHED',
  'REALTIME_ADDRESS_CONNECTIONS',
  'REALTIME_INSTANCE_CONNECTIONS',
  'REALTIME_PENDING_CONNECTIONS',
]

/** Limits so high that no program meets them. */
export const NO_LIMITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ROOMY.map((name) => [`SVC_LIMITS_${name}`, '1000000'])),
  SVC_LIMITS_REQUESTS_PER_MINUTE: '0',
  SVC_LIMITS_CONNECTIONS_PER_ADDRESS: '0',
}

export async function startKillableHost(
  kind: StoreKind,
  env: Readonly<Record<string, string>> = {},
): Promise<KillableHost> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-faults-'))
  const redis = kind === 'redis' ? await startRedisServer() : undefined
  const token = randomBytes(24).toString('hex')
  const errors: Readonly<Record<string, unknown>>[] = []
  const whole = {
    SVC_KEYS: `a:${randomBytes(32).toString('base64')}`,
    SVC_ADMIN_TOKEN: token,
    SVC_DEMO: 'off',
    SVC_PORT: String(await freePort()),
    SVC_ADMIN_PORT: String(await freePort()),
    // Every life loads the same modules: they are compiled once.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(dataDir, 'compiled'),
    ...(redis !== undefined && { SVC_STORE: redis.url }),
    ...NO_LIMITS,
    ...env,
  }
  let host: HostProcess | undefined
  const running = (): HostProcess => {
    if (host === undefined) throw new Error('the host does not run')
    return host
  }
  async function kill(): Promise<void> {
    const killed = host
    host = undefined
    await killed?.stop('SIGKILL')
    errors.push(...(killed?.log ?? []).filter(({ level }) => level === 'error'))
  }
  async function start(): Promise<void> {
    host = await spawnHost({ env: whole, dataDir })
  }
  async function stop(): Promise<void> {
    await kill()
    await redis?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  const adminText: KillableHost['adminText'] = async (method, target, body) => {
    const answer = await fetch(`http://127.0.0.1:${whole.SVC_ADMIN_PORT}${target}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok)
      throw new AdminRefusal(`${method} ${target}: ${answer.status} ${text}`, answer.status)
    return text
  }
  return {
    port: Number(whole.SVC_PORT),
    get pid() {
      return running().pid
    },
    get errors() {
      return [...errors, ...(host?.log ?? []).filter(({ level }) => level === 'error')]
    },
    redis,
    async admin(method, target, body) {
      const text = await adminText(method, target, body)
      return text === '' ? undefined : JSON.parse(text)
    },
    adminText,
    async metrics() {
      const answer = await fetch(`http://127.0.0.1:${whole.SVC_ADMIN_PORT}/metrics`, {
        headers: { authorization: `Bearer ${token}`, connection: 'close' },
      })
      return answer.text()
    },
    kill,
    start,
    stop,
  }
}
