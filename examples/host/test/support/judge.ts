import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import type { CommandResult } from './host-process.ts'

const HERE = import.meta.dirname
/** Programs are fetched once for each version, and are no part of the lock file. */
const CACHE = path.join(HERE, '../../../../node_modules/.cache/judges')
const FINDINGS = path.join(HERE, '../judges/known-findings.json')
/** What they stand on is no younger, either. */
const AS_OF = '2026-11-28'
const FETCH_MS = 120_000
const RUN_MS = 120_000
const MAX_OUTPUT = 64 * 1024 * 1024
export const PYTHON = 'python3'

/** A program or library of others, in one exact version: fetched when it is first asked for. */
export interface Judge {
  /** Where it was installed. */
  readonly folder: string
  /** Runs it: never fails by itself, whatever it exits with. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandResult>
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** On a quiet machine. */
  readonly limitMs?: number
  /** Told what it prints, where somebody has to do something about it. */
  readonly onOutput?: (text: string) => void
}

/** For programs of Node, which ask the system for names: `*.localhost` is this machine. */
export const LOOPBACK_NAMES: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import dns from 'node:dns'
const { lookup } = dns
dns.lookup = (name, ...more) => lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...more)`,
  )}`,
}

/** Of npm. @param version - as `name@1.2.3` @param bin - its command; none for a library */
export async function npmJudge(version: string, bin = ''): Promise<Judge> {
  const folder = await fetched(version, (prefix) => [
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--before', AS_OF],
    ['--prefix', prefix, version],
  ])
  const command = path.join(folder, 'node_modules/.bin', bin)
  return { folder, run: (args, options) => run(command, args, options) }
}

/**
 * Of PyPI.
 * @param versions - as `name==1.2.3`; of what it stands on, too, where that changes what it finds
 * @param start - how Python starts it, such as `-m name`
 */
export async function pythonJudge(
  versions: readonly [string, ...string[]],
  start: readonly string[],
): Promise<Judge> {
  const folder = await fetched(versions[0], (target) => [
    PYTHON,
    ['-m', 'pip', 'install', '--quiet', '--target', target],
    versions,
  ])
  return {
    folder,
    run: (args, { env, ...options } = {}) =>
      run(PYTHON, [...start, ...args], { ...options, env: { ...env, PYTHONPATH: folder } }),
  }
}

/**
 * Holds what a judge found against what is known. A finding that is gone leaves the list, so that the list only gets
 * shorter.
 * @param found - a name for each finding, the same for all of a kind that count as one
 */
export async function expectKnown(judge: string, found: readonly string[]): Promise<void> {
  type Known = Readonly<Record<string, Readonly<Record<string, number>>>>
  const known = (JSON.parse(await readFile(FINDINGS, 'utf8')) as Known)[judge] ?? {} // Our own file.
  const counts = Object.fromEntries(
    [...Map.groupBy(found, (name) => name)].map(([name, all]) => [name, all.length]),
  )
  expect(counts, `${judge}: mend what is new; take what is gone from the list`).to.deep.equal(known)
}

async function fetched(
  version: string,
  command: (folder: string) => [string, readonly string[], readonly string[]],
): Promise<string> {
  const folder = path.join(CACHE, version.replaceAll(/[^\w.-]+/g, '-'))
  if (existsSync(folder)) return folder
  await mkdir(CACHE, { recursive: true })
  // Whole or not at all: what was interrupted is not taken for the program.
  const part = await mkdtemp(`${folder}-`)
  try {
    const [program, args, more] = command(part)
    const limit = timeBudget(FETCH_MS)
    await promisify(execFile)(program, [...args, ...more], { cwd: part, timeout: limit })
    await rename(part, folder)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
  return folder
}

function run(
  command: string,
  args: readonly string[],
  { cwd, env = {}, limitMs = RUN_MS, onOutput }: RunOptions = {},
): Promise<CommandResult> {
  // Judges are told nothing of the run that they are in: its options are of our own program.
  const { NODE_OPTIONS: _ours, ...inherited } = process.env
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      {
        ...(cwd !== undefined && { cwd }),
        env: { ...inherited, ...env },
        timeout: timeBudget(limitMs),
        maxBuffer: MAX_OUTPUT,
      },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
      },
    )
    if (onOutput !== undefined) child.stdout?.on('data', onOutput)
  })
}
