import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, median } from './figure.ts'
import { startServer, withStore } from './pair-bench.ts'
import { send } from './servers/ask.ts'
import { hostEnv, hostOf } from './servers/host.ts'

export interface StartupBenchOptions {
  readonly rounds: number
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
  const figures: Figure[] = []
  for (const name of ['sqlite', 'redis'] as const) {
    await withStore(name, async (store) => {
      figures.push(...(await benchOn(name, store, options)))
    })
  }
  return figures
}

async function benchOn(
  name: 'redis' | 'sqlite',
  store: string,
  { rounds, say }: StartupBenchOptions,
): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const fresh: Start[] = []
    for (let round = 1; round <= rounds; round += 1) fresh.push(await measureStart(store))
    const given = { variant: 'host', store, folder, instances: USED_INSTANCES } as const
    const { child } = await startServer(given)
    await child.stop()
    const used: Start[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const dataDir = path.join(folder, 'host')
      used.push(await measureStart(store, hostEnv(store, dataDir), hostOf(0)))
    }
    for (const { readyMs, idleMib } of [...fresh, ...used]) {
      say(`start on ${name}: ${readyMs.toFixed(0)} ms, ${idleMib.toFixed(0)} MiB`)
    }
    return [
      toStartFigure(`start on ${name}, spawn to first 200`, fresh),
      toStartFigure(`start on ${name}, store of ${USED_INSTANCES} instances`, used),
      toMemoryFigure(`memory on ${name}, idle for ${IDLE_MS / 1000} s`, fresh),
      toMemoryFigure(`memory on ${name}, idle after a log-in page`, used, TARGET_MIB[name]),
    ]
  } finally {
    await rm(folder, { recursive: true })
  }
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

/**
 * Starts the built host with an empty folder, waits, and stops it.
 * @param host - whose log-in page is asked for once
 */
export async function measureStart(
  store: string,
  env: Readonly<Record<string, string>> = {},
  host?: string,
): Promise<Start> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const port = await freePort()
  const spawnedAt = performance.now()
  const child = spawn(process.execPath, ['--max-semi-space-size=16', MAIN], {
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

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.
  server.close()
  await once(server, 'close')
  return port
}
