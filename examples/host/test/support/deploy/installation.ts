import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { until } from '@svc/testkit'
import type { LogLine } from '../host-process.ts'
import { runProgram } from './programs.ts'
import { readUnit } from './units.ts'

const OPERATING = new URL('../../../../../docs/operating.md', import.meta.url)

/** The commands of the ten minutes, in their order. */
export function installationSteps(): string[] {
  const [, section = ''] = readFileSync(OPERATING, 'utf8').split(/^## .*$/m)
  return Array.from(section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm), ([, block = '']) => block)
    .join('\n')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** A command of the page with every path of it below another root. */
export function below(root: string, command: string): string {
  return command.replaceAll(/(^|\s)\/(opt|etc|var|usr)(?=\/|\s|$)/g, `$1${root}/$2`)
}

/** Runs a line as an operator types it. @throws Error with what it said when it fails */
export async function runLine(
  line: string,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): Promise<string> {
  const env = {
    ...ownEnvironment(),
    DESTDIR: root,
    PATH: `${root}/usr/local/bin:${process.env['PATH']}`,
  }
  const { code, said } = await runProgram('bash', ['-euc', line], { cwd, env })
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${said}`)
  return said
}

/** The server as its unit starts it, on a machine without systemd. */
export interface UnitProcess {
  readonly log: readonly LogLine[]
  /** What it had computed when it said that it listens, milliseconds: on a quiet machine, how long the start took. */
  readonly startedCpuMs: number
  stop(): Promise<number | null>
}

/** @param before - a command that runs it, such as one that takes the network away */
export async function startUnit(
  unit: string,
  root: string,
  {
    env = {},
    before = [],
  }: { env?: Readonly<Record<string, string>>; before?: readonly string[] } = {},
): Promise<UnitProcess> {
  const start = readUnit(unit, root)
  const [program, ...args] = [...before, start.command]
  const child: ChildProcess = spawn(program, args, {
    env: { ...ownEnvironment(), ...start.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  const log: LogLine[] = []
  let said = ''
  let startedCpuMs: number | undefined
  if (child.stderr === null) throw new Error('a pipe is a stream')
  createInterface({ input: child.stderr }).on('line', (line) => {
    said += `${line}\n`
    if (!line.startsWith('{')) return
    const entry = JSON.parse(line) as LogLine // the host's own log
    log.push(entry)
    if (entry.event === 'server.started') startedCpuMs = processorMs(child.pid ?? 0)
  })
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said}`)
      return startedCpuMs !== undefined
    },
    { limitMs: 10_000, describe: () => `the server starts: ${said}` },
  )
  return {
    log,
    startedCpuMs: startedCpuMs ?? 0,
    async stop() {
      child.kill('SIGTERM')
      const [code] = (await closed) as [number | null] // of a process
      return code
    },
  }
}

/** Processor time of another process so far; its times are in hundredths of a second. @see proc(5) */
function processorMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Behind the name, which may hold anything: the state is the first, the two times the 12th and 13th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Of this process, without the test's own settings. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('SVC_') && !['NODE_ENV', 'NODE_OPTIONS'].includes(name),
    ),
  )
}
