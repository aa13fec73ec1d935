import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { type Skippable, skipUnless, until } from '@svc/testkit'

/** A program that runs until it is stopped. */
export interface RunningProgram {
  /** What it said so far. */
  readonly said: string
  stop(): Promise<void>
}

export interface ProgramResult {
  readonly code: number
  /** Both of its outputs. */
  readonly said: string
}

/** Call where a program of the system is needed: skips where it is not installed, fails under CI. */
export function needsProgram(context: Skippable, name: string): void {
  skipUnless(context, programPath(name) !== undefined, `${name} is not installed`)
}

/** Administrators' folders are looked in, too: accounts without their rights have them on no path. */
function programPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return [...folders, '/usr/sbin', '/usr/local/sbin', '/sbin']
    .map((folder) => path.join(folder, name))
    .find(existsSync)
}

/** Runs a program to its end. */
export function runProgram(
  name: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(programPath(name) ?? name, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1)
      resolve({ code, said: `${stdout}${stderr}` })
    })
  })
}

/** Starts a program, and waits until it listens on all of its ports. @throws Error with what it said when it ends before */
export async function startProgram(
  name: string,
  args: readonly string[],
  { ports, env }: { readonly ports: readonly number[]; readonly env?: NodeJS.ProcessEnv },
): Promise<RunningProgram> {
  const child: ChildProcess = spawn(programPath(name) ?? name, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(env !== undefined && { env }),
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const ended = once(child, 'close')
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`)
      return (await Promise.all(ports.map(isListening))).every(Boolean)
    },
    { limitMs: 10_000, describe: () => `${name} listens: ${said}` },
  )
  return {
    get said() {
      return said
    },
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM')
      await ended
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
