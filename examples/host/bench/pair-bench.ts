import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type Child, startChild } from './child.ts'
import { median } from './figure.ts'
import type { LoadRequest, LoadResult } from './load.ts'
import type { ServerOptions, Variant } from './pair-server.ts'
import { type BenchJob, ONCE } from './servers/bench-server.ts'

/** Medians of the rounds. */
export interface PairFigures {
  readonly store: string
  readonly job: BenchJob
  readonly measured: Figures
  readonly reference: Figures
  /** CPU time of what is measured by that of the reference, of rounds next to each other. */
  readonly share: number
}

/** What is measured, and beside what. */
export type Pair = readonly [measured: Variant, reference: Variant]

export interface Figures {
  /** CPU microseconds of the server process per request, all its threads. */
  readonly cpuUs: number
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

export interface PairBenchOptions {
  readonly pair: Pair
  readonly rounds: number
  /** Requests of a round. */
  readonly requests: Readonly<Partial<Record<BenchJob, number>>>
  /** How often a round repeats its requests: codes run out, and a short load measures noise. @defaultValue 1 */
  readonly batches?: Readonly<Partial<Record<BenchJob, number>>>
  readonly connections: number
  readonly stores: readonly string[]
  readonly jobs: readonly BenchJob[]
  /** Instances of the built hosts. @defaultValue 1 */
  readonly instances?: number
  /** Folder of the built host that stands for `host before`. */
  readonly before?: string
  /** Folder for CPU profiles of each round. */
  readonly profiles?: string
  readonly say: (line: string) => void
}

/** A server in a process of its own. */
export interface StartedServer {
  readonly child: Child
  readonly port: number
}

const BUILT: readonly Variant[] = ['embedding', 'host', 'host before']
/** Requests that those which may be repeated go round. */
const KEPT = 1000

/** Two servers on the same store: interleaved rounds in separate processes. */
export async function benchPair(options: PairBenchOptions): Promise<readonly PairFigures[]> {
  return withLoad(async (load, folder) => {
    const figures: PairFigures[] = []
    for (const store of options.stores) {
      await withStore(store, async (address) => {
        figures.push(...(await benchStore(store, address, folder, load, options)))
      })
    }
    return figures
  })
}

/** A folder that goes when the work is done, and a process that asks. */
export async function withLoad<Result>(
  work: (load: Child, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const load = await startChild('load.ts', [])
  try {
    return await work(load, folder)
  } finally {
    await load.stop()
    await rm(folder, { recursive: true })
  }
}

/** With the address of a store; without redis-server nothing is done on it. */
export async function withStore(
  store: string,
  work: (address: string) => Promise<void>,
): Promise<void> {
  if (store !== 'redis') return work(store)
  if (!hasRedisServer()) return
  const redis = await startRedisServer()
  try {
    await work(redis.url)
  } finally {
    await redis.stop()
  }
}

/** The built ones write their log into a file. */
export async function startServer(options: ServerOptions): Promise<StartedServer> {
  const { variant, folder } = options
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, `${variant.replace(' ', '-')}.log`)
  const log = await open(file, 'a')
  try {
    const isBuilt = BUILT.includes(variant)
    const child = await startChild('pair-server.ts', [JSON.stringify(options)], {
      isBuilt,
      ...(isBuilt && { stderr: log.fd }),
    })
    const { port } = child.hello as { port: number } // What pair-server.ts says first.
    return { child, port }
  } catch (error) {
    throw new Error((await readFile(file, 'utf8')).slice(-1000), { cause: error })
  } finally {
    await log.close()
  }
}

async function benchStore(
  store: string,
  address: string,
  root: string,
  load: Child,
  options: PairBenchOptions,
): Promise<PairFigures[]> {
  const { instances = 1, before } = options
  const folder = await mkdtemp(path.join(root, `${store}-`))
  const servers = new Map<Variant, StartedServer>()
  try {
    for (const variant of options.pair) {
      const built = variant === 'host before' && before !== undefined ? { built: before } : {}
      const given = { variant, store: address, folder, instances, ...built }
      servers.set(variant, await startServer(given))
    }
    const figures: PairFigures[] = []
    for (const job of options.jobs) {
      figures.push(await benchJob(store, job, servers, load, options))
    }
    return figures
  } finally {
    for (const { child } of servers.values()) await child.stop()
  }
}

async function benchJob(
  store: string,
  job: BenchJob,
  servers: ReadonlyMap<Variant, StartedServer>,
  loader: Child,
  { pair, rounds, requests, connections, profiles, say, ...options }: PairBenchOptions,
): Promise<PairFigures> {
  const batches = options.batches?.[job] ?? 1
  const count = requests[job] ?? 1000
  const measured = new Map<Variant, Figures[]>(pair.map((variant) => [variant, []]))
  const kept = new Map<Variant, readonly string[]>()

  async function messagesFor(asked: Variant): Promise<readonly string[]> {
    // Bare Koa answers whatever it is asked: the very requests of the server that it is held against.
    const variant = asked === 'koa' ? pair[0] : asked
    const known = kept.get(variant)
    if (known !== undefined) return known
    const isOnce = ONCE.includes(job)
    const question = { ask: 'prepare', job, count: isOnce ? count : KEPT }
    const messages = (await servers.get(variant)?.child.ask<readonly string[]>(question)) ?? []
    if (!isOnce) kept.set(variant, messages)
    return messages
  }

  async function writeProfile({ child }: StartedServer, name: string): Promise<void> {
    if (profiles === undefined) return
    await child.ask({ ask: 'profile', file: path.join(profiles, `${name}.cpuprofile`) })
  }

  async function measure(variant: Variant, server: StartedServer): Promise<Figures> {
    let cpuUs = 0
    let seconds = 0
    let p99Ms = 0
    for (let batch = 0; batch < batches; batch += 1) {
      const messages = await messagesFor(variant)
      const until = { requests: count }
      const load = { port: server.port, messages, connections, until, isAwake: store !== 'redis' }
      await writeProfile(server, 'before')
      const before = await server.child.ask<number>({ ask: 'cpu' })
      const result = await runLoad(loader, load)
      cpuUs += (await server.child.ask<number>({ ask: 'cpu' })) - before
      seconds += count / result.requestsPerSecond
      p99Ms = Math.max(p99Ms, result.p99Ms)
    }
    const sent = batches * count
    return { cpuUs: cpuUs / sent, requestsPerSecond: sent / seconds, p99Ms }
  }

  // Round 0 warms up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    for (const variant of round % 2 === 0 ? pair : pair.toReversed()) {
      const server = servers.get(variant)
      if (server === undefined) continue
      const figures = await measure(variant, server)
      await writeProfile(server, `${store}-${job}-${variant}-${round}`.replaceAll(' ', '-'))
      say(
        `${store} ${job} round ${round} ${variant}: ${figures.cpuUs.toFixed(0)} us, ` +
          `${figures.requestsPerSecond.toFixed(0)}/s, p99 ${figures.p99Ms.toFixed(1)} ms`,
      )
      if (round > 0) measured.get(variant)?.push(figures)
    }
  }
  const [of, beside] = pair.map((variant) => measured.get(variant) ?? [])
  if (of === undefined || beside === undefined) throw new TypeError('nothing was measured')
  const shares = of.map(({ cpuUs }, round) => cpuUs / (beside[round]?.cpuUs ?? Number.NaN))
  return { store, job, measured: medians(of), reference: medians(beside), share: median(shares) }
}

/** @throws Error for an answer that is not a good one */
export async function runLoad(load: Child, request: LoadRequest): Promise<LoadResult> {
  const result = await load.ask<LoadResult>(request)
  if (result.failed > 0) throw new Error(`${result.failed} failed: ${result.firstFailure ?? ''}`)
  return result
}

function medians(rounds: readonly Figures[]): Figures {
  const middle = (pick: (figures: Figures) => number): number => median(rounds.map(pick))
  return {
    cpuUs: middle(({ cpuUs }) => cpuUs),
    requestsPerSecond: middle(({ requestsPerSecond }) => requestsPerSecond),
    p99Ms: middle(({ p99Ms }) => p99Ms),
  }
}
