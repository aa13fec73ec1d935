import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type Child, startChild } from './child.ts'
import { median } from './figure.ts'
import type { LoadRequest, LoadResult } from './load.ts'
import type { BenchGrant } from './servers/bench-server.ts'
import type { Variant } from './token-server.ts'

/** Medians of the rounds. */
export interface TokenFigures {
  readonly store: string
  readonly grant: BenchGrant
  readonly measured: Figures
  readonly reference: Figures
  /** CPU time of what is measured by that of the reference, of rounds next to each other. */
  readonly share: number
}

/** What is measured, and beside what. */
type Pair = readonly [measured: Variant, reference: Variant]

export interface Figures {
  /** CPU microseconds of the server process per request, all its threads. */
  readonly cpuUs: number
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

export interface TokenBenchOptions {
  /** @defaultValue ours beside the bare engine */
  readonly pair?: Pair
  readonly rounds: number
  readonly requests: Readonly<Record<BenchGrant, number>>
  /** How often a round repeats its requests: codes run out, and a short load measures noise. */
  readonly batches: Readonly<Record<BenchGrant, number>>
  readonly connections: number
  readonly stores: readonly string[]
  readonly grants: readonly BenchGrant[]
  /** Folder for CPU profiles of each round. */
  readonly profiles?: string
  readonly say: (line: string) => void
}

interface Server {
  readonly child: Child
  readonly port: number
  readonly host: string
}

const OURS_AND_BARE: Pair = ['ours', 'bare']
/** Tokens that refreshes go round. */
const REFRESH_TOKENS = 1000

/** Two token endpoints on the same store: interleaved rounds in separate processes. */
export async function benchTokens(options: TokenBenchOptions): Promise<readonly TokenFigures[]> {
  const figures: TokenFigures[] = []
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const load = await startChild('load.ts', [])
  try {
    if (options.stores.includes('sqlite')) {
      const target = (variant: Variant) => path.join(folder, `${variant}.db`)
      figures.push(...(await benchStore('sqlite', target, load, options)))
    }
    if (options.stores.includes('redis') && hasRedisServer()) {
      const redis = await startRedisServer()
      try {
        figures.push(...(await benchStore('redis', () => redis.url, load, options)))
      } finally {
        await redis.stop()
      }
    }
  } finally {
    await load.stop()
    await rm(folder, { recursive: true })
  }
  return figures
}

async function benchStore(
  store: string,
  target: (variant: Variant) => string,
  load: Child,
  options: TokenBenchOptions,
): Promise<TokenFigures[]> {
  const servers = new Map<Variant, Server>()
  for (const variant of options.pair ?? OURS_AND_BARE) {
    const child = await startChild('token-server.ts', [variant, target(variant)])
    // What token-server.ts says first.
    servers.set(variant, { child, ...(child.hello as { port: number; host: string }) })
  }
  try {
    const figures: TokenFigures[] = []
    for (const grant of options.grants) {
      figures.push(await benchGrant(store, grant, servers, load, options))
    }
    return figures
  } finally {
    for (const { child } of servers.values()) await child.stop()
  }
}

async function benchGrant(
  store: string,
  grant: BenchGrant,
  servers: ReadonlyMap<Variant, Server>,
  loader: Child,
  {
    pair = OURS_AND_BARE,
    rounds,
    requests,
    connections,
    profiles,
    say,
    ...options
  }: TokenBenchOptions,
): Promise<TokenFigures> {
  const batches = options.batches[grant]
  const measured = new Map<Variant, Figures[]>(pair.map((variant) => [variant, []]))
  const refreshes = new Map<Variant, readonly string[]>()

  async function bodiesFor(variant: Variant, server: Server): Promise<readonly string[]> {
    const kept = refreshes.get(variant)
    if (kept !== undefined) return kept
    const count = grant === 'refresh' ? REFRESH_TOKENS : requests[grant]
    const bodies = await server.child.ask<readonly string[]>({ ask: 'prepare', grant, count })
    if (grant === 'refresh') refreshes.set(variant, bodies)
    return bodies
  }

  async function writeProfile(server: Server, name: string): Promise<void> {
    if (profiles === undefined) return
    const file = path.join(profiles, `${name}.cpuprofile`)
    await server.child.ask({ ask: 'profile', file })
  }

  async function measure(variant: Variant, server: Server): Promise<Figures> {
    let cpuUs = 0
    let seconds = 0
    let p99Ms = 0
    for (let batch = 0; batch < batches; batch += 1) {
      const bodies = await bodiesFor(variant, server)
      const { port, host } = server
      const messages = bodies.map((body) => toMessage(host, body))
      const until = { requests: requests[grant] }
      const load: LoadRequest = { port, messages, connections, until }
      const before = await server.child.ask<number>({ ask: 'cpu' })
      const result = await loader.ask<LoadResult>(load)
      cpuUs += (await server.child.ask<number>({ ask: 'cpu' })) - before
      if (result.failed > 0) throw new Error(`${result.failed} failed: ${result.firstFailure}`)
      seconds += requests[grant] / result.requestsPerSecond
      p99Ms = Math.max(p99Ms, result.p99Ms)
    }
    const sent = batches * requests[grant]
    return { cpuUs: cpuUs / sent, requestsPerSecond: sent / seconds, p99Ms }
  }

  // Round 0 warms up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    for (const variant of round % 2 === 0 ? pair : pair.toReversed()) {
      const server = servers.get(variant)
      if (server === undefined) continue
      await writeProfile(server, 'before')
      const figures = await measure(variant, server)
      await writeProfile(server, `${store}-${grant}-${variant}-${round}`)
      say(
        `${store} ${grant} round ${round} ${variant}: ${figures.cpuUs.toFixed(0)} us, ` +
          `${figures.requestsPerSecond.toFixed(0)}/s, p99 ${figures.p99Ms.toFixed(1)} ms`,
      )
      if (round > 0) measured.get(variant)?.push(figures)
    }
  }
  const [of, beside] = pair.map((variant) => measured.get(variant) ?? [])
  if (of === undefined || beside === undefined) throw new TypeError('nothing was measured')
  const shares = of.map(({ cpuUs }, round) => cpuUs / (beside[round]?.cpuUs ?? Number.NaN))
  return { store, grant, measured: medians(of), reference: medians(beside), share: median(shares) }
}

function medians(rounds: readonly Figures[]): Figures {
  const middle = (pick: (figures: Figures) => number): number => median(rounds.map(pick))
  return {
    cpuUs: middle(({ cpuUs }) => cpuUs),
    requestsPerSecond: middle(({ requestsPerSecond }) => requestsPerSecond),
    p99Ms: middle(({ p99Ms }) => p99Ms),
  }
}

function toMessage(host: string, body: string): string {
  return (
    `POST /auth/access_token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
    `Accept: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  )
}
