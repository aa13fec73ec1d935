import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { timeBudget } from '@svc/testkit'

const HOST = fileURLToPath(new URL('../..', import.meta.url))

/** The host as an operator runs it: a process of its own. */
export interface HostProcess {
  readonly port: number
  readonly adminPort: number
  readonly dataDir: string
  readonly pid: number
  /** What it told the operator, as far as it was read: it comes beside the log, maybe a little later. */
  readonly notice: string
  /** Its log so far, one event a line. */
  readonly log: readonly LogLine[]
  /** Runs the command line against it; a first text is divided at its spaces. */
  svc(...args: readonly string[]): Promise<CommandResult>
  /** The same for a command that succeeds: what it prints. @throws Error otherwise */
  words(...args: readonly string[]): Promise<string>
  /** The same for a command that ends with 1: what it complains of. @throws Error otherwise */
  refusal(...args: readonly string[]): Promise<string>
  /** @returns the exit code, null after SIGKILL */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface LogLine {
  readonly event: string
  readonly [name: string]: unknown
}

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface SpawnOptions {
  /** Of `SVC_*`; ports are chosen by the system unless given. */
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[]
  /** Shared with another process; a fresh folder that goes with the process otherwise. */
  readonly dataDir?: string
  /** User and group that it runs as, where the tests are root's. @defaultValue those of the tests */
  readonly uid?: number
  /** Folder of the host, that of another version of it. @defaultValue that of this one */
  readonly host?: string
}

/** As `pnpm start` has them. */
const NODE_OPTIONS = ['--max-semi-space-size=16', '--conditions=source']
/**
 * What hosts are started with unless a test says otherwise: `SVC_TEST_ASSISTANTS=off` runs the suites on a server that
 * lets no assistant in.
 */
export const ASKED_SWITCHES: Readonly<Record<string, string>> =
  process.env['SVC_TEST_ASSISTANTS'] === 'off' ? { SVC_ASSISTANTS: 'off' } : {}
/** What a start or a command takes at most on a quiet machine; milliseconds. */
const START_MS = 30_000
/** Of a command; bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024

/** Starts the host and waits until it listens. @throws Error with what it said when it does not */
export async function spawnHost(options: SpawnOptions = {}): Promise<HostProcess> {
  const ownDir = options.dataDir === undefined
  const { host = HOST } = options
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'svc-host-')))
  const env = hostEnvironment({ SVC_DATA_DIR: dataDir, ...options.env })
  const child = spawn(
    process.execPath,
    [...(options.nodeOptions ?? []), ...NODE_OPTIONS, 'src/main.ts'],
    {
      cwd: host,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
    },
  )
  const log: LogLine[] = []
  const said = collect(child, log)
  // Not its exit: what it said last is read by then.
  const exited = once(child, 'close').then(([code]: unknown[]) => code as number | null)
  const started = await startedLine(child, log, said, exited)
  const adminPort = Number(started['adminPort'])
  function svc(first = '', ...more: readonly string[]): Promise<CommandResult> {
    const args = ['src/cli.ts', ...first.split(' '), ...more]
    return run(args, { ...env, SVC_ADMIN_URL: `http://127.0.0.1:${adminPort}` }, host)
  }
  return {
    port: Number(started['port']),
    adminPort,
    dataDir,
    pid: child.pid ?? 0,
    get notice() {
      return said.stdout
    },
    log,
    svc,
    async words(...args) {
      const { code, stdout, stderr } = await svc(...args)
      if (code !== 0) throw new Error(`ended with ${code}: ${stdout}${stderr}`)
      return stdout
    },
    async refusal(...args) {
      const { code, stdout, stderr } = await svc(...args)
      if (code !== 1) throw new Error(`ended with ${code}: ${stdout}${stderr}`)
      return stderr
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const code = await exited
      if (ownDir) await rm(dataDir, { recursive: true, force: true })
      return code
    },
  }
}

/** Runs the host until it gives up by itself, as it does on a faulty configuration. */
export async function runFaultyHost(env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-host-'))
  try {
    return await run(['src/main.ts'], hostEnvironment({ SVC_DATA_DIR: dataDir, ...env }))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Runs a command of `svc`. */
export function runSvc(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return run(['src/cli.ts', ...args], env)
}

function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  host: string = HOST,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=source', ...args],
      { cwd: host, env, timeout: timeBudget(START_MS), maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
      },
    )
  })
}

/** Nothing of the developer's own settings gets in. */
export function hostEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SVC_') && !['NODE_ENV', 'NODE_OPTIONS'].includes(name),
  )
  // The record of answers (.ci/record) is taken in the server's process.
  if (process.env['RECORD_ANSWERS'] !== undefined) {
    inherited.push(['NODE_OPTIONS', process.env['NODE_OPTIONS']])
  }
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>), // an environment holds texts
    SVC_ADMIN_PORT: '0',
    SVC_PORT: '0',
    // Tests wait for no proxy.
    SVC_DRAIN: '0s',
    ...ASKED_SWITCHES,
    ...env,
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

function collect(child: Child, log: LogLine[]): { stdout: string; stderr: string } {
  const said = { stdout: '', stderr: '' }
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('{')) continue
      log.push(JSON.parse(line) as LogLine) // the host's own log
      child.emit('log')
    }
  })
  return said
}

async function startedLine(
  child: Child,
  log: readonly LogLine[],
  said: { stderr: string },
  exited: Promise<unknown>,
): Promise<LogLine> {
  const timeout = AbortSignal.timeout(timeBudget(START_MS))
  const ended = exited.then((code) => {
    throw new Error(`the host ended with ${String(code)}: ${said.stderr}`)
  })
  ended.catch(() => {})
  for (;;) {
    const line = log.find(({ event }) => event === 'server.started')
    if (line !== undefined) return line
    await Promise.race([once(child, 'log', { signal: timeout }), ended])
  }
}
