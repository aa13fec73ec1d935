import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@svc/store/testing'
import {
  type CommandResult,
  type HostProcess,
  hostEnvironment,
  spawnHost,
} from '../../test/support/host-process.ts'
import { NO_LIMITS } from '../support/killable-host.ts'

const LOOK_MS = 50

/** A host of one data folder that is stopped, killed and started again on the same port. */
export interface BackupHost {
  readonly port: number
  readonly dataDir: string
  adminCall(method: string, path: string, body?: unknown): Promise<unknown>
  svc(...args: readonly string[]): Promise<CommandResult>
  /** Of commands, whether it runs or not. */
  commandEnv(): Record<string, string>
  /** Waits until it copies for nobody. */
  untilCopied(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  /** Kills it, and starts it again. */
  again(): Promise<void>
}

export async function startBackupHost(dataDir: string): Promise<BackupHost> {
  const token = randomBytes(24).toString('hex')
  const port = await freePort()
  const env = {
    ...NO_LIMITS,
    SVC_DEMO: 'off',
    SVC_TRUST_PROXY: '1',
    SVC_ADMIN_TOKEN: token,
    SVC_PORT: String(port),
  }
  const spawn = (): Promise<HostProcess> => spawnHost({ dataDir, env })
  let adminUrl = ''
  let host: HostProcess | undefined
  async function start(): Promise<void> {
    host = await spawn()
    adminUrl = `http://127.0.0.1:${host.adminPort}`
  }
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const running = host
    host = undefined
    await running?.stop(signal)
  }
  await start()

  async function adminCall(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${adminUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }
  return {
    port,
    dataDir,
    adminCall,
    svc(...args) {
      if (host === undefined) throw new Error('the host does not run')
      return host.svc(...args)
    },
    commandEnv: () => hostEnvironment({ ...env, SVC_DATA_DIR: dataDir, SVC_ADMIN_URL: adminUrl }),
    async untilCopied() {
      for (;;) {
        const { state } = (await adminCall('GET', '/backups/current')) as { state?: string } // as the route answers
        if (state !== 'copying') return
        await pause(LOOK_MS)
      }
    },
    start,
    stop: () => stop(),
    async again() {
      await stop('SIGKILL')
      await start()
    },
  }
}
