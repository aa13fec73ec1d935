import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type Figure, median } from './figure.ts'

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
/** The same for all starts: on Redis each finds the store of the one before. */
const KEYS = `bench:${randomBytes(32).toString('base64')}`
const IDLE_MS = 5000
const POLL_MS = 3
const GIVE_UP_MS = 60_000
const READY_TARGET_MS = 1000
const TARGET_MIB = { sqlite: 130, redis: 150 } as const

/**
 * How long the built server takes from spawn to its first answer, and what it holds when idle: on the embedded store
 * with an empty store, and on Redis.
 */
export async function benchStartup(options: StartupBenchOptions): Promise<readonly Figure[]> {
  if (!existsSync(MAIN)) throw new Error('built code is measured: run `pnpm build` first')
  const figures = [...(await benchOn('sqlite', 'sqlite', options))]
  if (hasRedisServer()) {
    const redis = await startRedisServer()
    try {
      figures.push(...(await benchOn('redis', redis.url, options)))
    } finally {
      await redis.stop()
    }
  }
  return figures
}

async function benchOn(
  name: 'redis' | 'sqlite',
  store: string,
  { rounds, say }: StartupBenchOptions,
): Promise<readonly Figure[]> {
  const starts: Start[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const start = await measureStart(store)
    say(`start on ${name}: ${start.readyMs.toFixed(0)} ms, ${start.idleMib.toFixed(0)} MiB`)
    starts.push(start)
  }
  const readyMs = median(starts.map((start) => start.readyMs))
  const idleMib = median(starts.map((start) => start.idleMib))
  return [
    {
      name: `start on ${name}, spawn to first 200`,
      value: `${readyMs.toFixed(0)} ms`,
      ...(name === 'sqlite' && { target: `≤ ${READY_TARGET_MS} ms` }),
      isMet: name !== 'sqlite' || readyMs <= READY_TARGET_MS,
    },
    {
      name: `memory on ${name}, idle for ${IDLE_MS / 1000} s`,
      value: `${idleMib.toFixed(0)} MiB`,
      target: `≤ ${TARGET_MIB[name]} MiB`,
      isMet: idleMib <= TARGET_MIB[name],
    },
  ]
}

/** Starts the built host with an empty folder, waits, and stops it. */
export async function measureStart(
  store: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Start> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const port = await freePort()
  const spawnedAt = performance.now()
  const child = spawn(process.execPath, [MAIN], {
    env: {
      NODE_ENV: 'production',
      SVC_ADMIN_PORT: '0',
      SVC_DATA_DIR: dataDir,
      SVC_KEYS: KEYS,
      SVC_LOG_LEVEL: 'error',
      SVC_PORT: String(port),
      SVC_STORE: store,
      ...env,
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
