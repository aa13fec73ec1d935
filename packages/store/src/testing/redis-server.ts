import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** A redis-server of a test, on a port of its own, with a directory of its own. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** The directory with its append-only file. */
  readonly dir: string
  readonly pid: number
  /** Stops answering (SIGSTOP), until `resume`. */
  pause(): void
  resume(): void
  /** Ends it at once (SIGKILL), keeping its directory. */
  kill(): Promise<void>
  /** Starts it again on the same port and directory. */
  restart(): Promise<void>
  /** Ends it and removes its directory. */
  stop(): Promise<void>
}

/**
 * How a Redis of a test is started.
 * @example
 * const server = await startRedisServer({ args: ['--appendonly', 'yes'] })
 */
export interface RedisServerOptions {
  /** More arguments of redis-server, such as `--cluster-enabled yes`. */
  readonly args?: readonly string[]
  /** @defaultValue a free one */
  readonly port?: number
  /** Starts a sentinel with this configuration file instead; it is rewritten. */
  readonly sentinel?: string
}

/** Whether redis-server is installed. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0
}

/**
 * Starts a redis-server that loses nothing (append-only file, synced at every write) on loopback.
 * @throws Error when it does not answer within a minute
 */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort())
  const dir = mkdtempSync(join(tmpdir(), 'svc-redis-'))
  const place = ['--port', String(port), '--dir', dir]
  const args =
    options.sentinel === undefined
      ? [...Object.entries(SETTINGS).flat(), ...place, ...(options.args ?? [])]
      : [options.sentinel, '--sentinel', ...place]
  const start = (): Promise<ChildProcess> => launch(port, args)
  let child = await start()

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    dir,
    get pid() {
      return child.pid ?? 0
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill,
    async restart() {
      await kill()
      child = await start()
    },
    async stop() {
      await kill()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const SETTINGS = {
  '--bind': '127.0.0.1',
  '--save': '',
  '--appendonly': 'yes',
  '--appendfsync': 'always',
  '--loglevel': 'warning',
}

/** It takes moments. These are when waiting any longer makes no sense on the slowest machine; milliseconds. */
const START_MS = 60_000
const ANSWER_MS = 20_000

async function launch(port: number, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  // A test process that ends takes its server along, even when the test forgot it.
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  const deadline = performance.now() + START_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`redis-server does not answer on port ${port}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return child
}

/** Whether it has read its files and answers. */
async function answers(port: number): Promise<boolean> {
  const answer = await sendToRedis(port, 'PING').catch(() => '')
  return answer.startsWith('+PONG')
}

/**
 * Sends one command as a line of text.
 * @returns the raw beginning of the answer
 * @throws Error when there is none within 20 s, or the connection closes before it
 */
export function sendToRedis(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`))
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
    socket.once('error', reject)
    // A server that ends meanwhile may close without an error; after an answer this changes nothing.
    socket.once('close', () => reject(new Error('Redis closed the connection')))
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('Redis does not answer')))
  })
}
