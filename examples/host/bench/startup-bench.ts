import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@svc/store/testing'
import { type Figure, median } from './figure.ts'
import { startServer, withStore } from './pair-bench.ts'
import { send } from './servers/ask.ts'
import { hostEnv, hostOf } from './servers/host.ts'

export interface StartupBenchOptions {
  readonly rounds: number
  /** What operators install, which `pnpm run bundle` made; measured in turns with the built host. */
  readonly archive?: string
  readonly say: (line: string) => void
}

/** What was measured of one start. */
export interface Start {
  /** From the spawn to the first 200. */
  readonly readyMs: number
  /** Memory after some seconds without a request. */
  readonly idleMib: number
}

/** The built host. */
export const MAIN: string = path.join(import.meta.dirname, '../dist/main.js')
const IDLE_MS = 5000
const POLL_MS = 3
const GIVE_UP_MS = 60_000
/** Of the used store. */
const USED_INSTANCES = 1000
const READY_TARGET_MS = 500
const TARGET_MIB = { sqlite: 100, redis: 110 } as const

/**
 * How long the built server takes from spawn to its first answer, and what it holds once it is idle: without a store,
 * and with one of many instances, where it has served its first log-in page.
 */
export async function benchStartup(options: StartupBenchOptions): Promise<readonly Figure[]> {
  if (!existsSync(MAIN)) throw new Error('built code is measured: run `pnpm build` first')
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const { archive } = options
    const mains: Main[] = [{ of: 'built', main: MAIN }]
    if (archive !== undefined) mains.push({ of: 'archive', main: unpack(archive, folder) })
    const figures: Figure[] = []
    for (const name of ['sqlite', 'redis'] as const) {
      await withStore(name, async (store) => {
        figures.push(...(await benchOn(name, store, mains, options)))
      })
    }
    return figures
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A host that is started. */
interface Main {
  readonly of: 'archive' | 'built'
  /** Its first module. */
  readonly main: string
}

function unpack(archive: string, folder: string): string {
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  const [main] = globSync('*/dist/main.js', { cwd: folder })
  if (main === undefined) throw new Error(`${archive} has no host`)
  return path.join(folder, main)
}

async function benchOn(
  name: 'redis' | 'sqlite',
  store: string,
  mains: readonly Main[],
  { rounds, say }: StartupBenchOptions,
): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const given = { variant: 'host', store, folder, instances: USED_INSTANCES } as const
    const fresh = await inTurns(mains, rounds, ({ main }) => measureStart(store, { main }))
    const { child } = await startServer(given)
    await child.stop()
    const env = hostEnv(store, path.join(folder, 'host'))
    const used = await inTurns(mains, rounds, ({ main }) =>
      measureStart(store, { main, env, host: hostOf(0) }),
    )
    return mains.flatMap((main, at) => {
      const [first = [], later = []] = [fresh[at], used[at]]
      const on = `${main.of} on ${name}`
      for (const { readyMs, idleMib } of [...first, ...later]) {
        say(`start of ${on}: ${readyMs.toFixed(0)} ms, ${idleMib.toFixed(0)} MiB`)
      }
      return [
        toStartFigure(`start of ${on}, spawn to first 200`, first),
        toStartFigure(`start of ${on}, store of ${USED_INSTANCES} instances`, later),
        toMemoryFigure(`memory of ${on}, idle for ${IDLE_MS / 1000} s`, first),
        toMemoryFigure(`memory of ${on}, idle after a log-in page`, later, TARGET_MIB[name]),
      ]
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Measures one after the other, as often as there are rounds. @returns what each gave */
async function inTurns(
  mains: readonly Main[],
  rounds: number,
  measure: (main: Main) => Promise<Start>,
): Promise<readonly (readonly Start[])[]> {
  const starts: Start[][] = mains.map(() => [])
  for (let round = 1; round <= rounds; round += 1) {
    for (const [at, main] of mains.entries()) starts[at]?.push(await measure(main))
  }
  return starts
}

function toStartFigure(name: string, starts: readonly Start[]): Figure {
  const readyMs = median(starts.map((start) => start.readyMs))
  return {
    name,
    value: `${readyMs.toFixed(0)} ms`,
    target: `≤ ${READY_TARGET_MS} ms`,
    isMet: readyMs <= READY_TARGET_MS,
  }
}

function toMemoryFigure(name: string, starts: readonly Start[], target?: number): Figure {
  const idleMib = median(starts.map((start) => start.idleMib))
  return {
    name,
    value: `${idleMib.toFixed(0)} MiB`,
    ...(target !== undefined && { target: `≤ ${target} MiB` }),
    isMet: target === undefined || idleMib <= target,
  }
}

/** What is started, and what it does before it rests. */
export interface StartGiven {
  /** @defaultValue the built host */
  readonly main?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whose log-in page is asked for once. */
  readonly host?: string
}

/** Starts a host with an empty folder, waits, and stops it. */
export async function measureStart(
  store: string,
  { main = MAIN, env = {}, host }: StartGiven = {},
): Promise<Start> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const port = await freePort()
  const spawnedAt = performance.now()
  const child = spawn(process.execPath, ['--max-semi-space-size=16', main], {
    env: {
      ...hostEnv(store, dataDir),
      SVC_LOG_LEVEL: 'error',
      ...env,
      SVC_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    while (!(await isLive(port))) {
      const isOver = child.exitCode !== null || performance.now() - spawnedAt > GIVE_UP_MS
      if (isOver) throw new Error('the server does not start')
      await sleep(POLL_MS)
    }
    const readyMs = performance.now() - spawnedAt
    if (host !== undefined) await send(port, host, 'GET', '/auth/login')
    await sleep(IDLE_MS)
    const kib = execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })
    return { readyMs, idleMib: Number(kib) / 1024 }
  } finally {
    child.kill()
    await ended
    await rm(dataDir, { recursive: true })
  }
}

function isLive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ port, path: '/health/live', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('error', () => resolve(false))
  })
}
