import { createSecretKey } from 'node:crypto'
import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { jwtVerify } from 'jose'
import type { Context } from 'koa'
import { type Figure, median } from './figure.ts'
import { bearerContext } from './servers/bearer-context.ts'
import { type EmbeddedServer, obtainToken, startEmbedded } from './servers/embedded.ts'

export interface GuardBenchOptions {
  readonly rounds: number
  readonly say: (line: string) => void
}

const HOST = 'alice.example.com'
/** Tokens that checks go round, each of a client of its own. */
const TOKENS = 40
const ROUND_MS = 1500
/** Calls between two looks at the clock. */
const BATCH = 1000
const TARGET = 100_000

/**
 * The guard as a function, its caches warm, against jose verifying the same tokens: checks per second of CPU time of
 * the process, all its threads.
 */
export async function benchGuard({ rounds, say }: GuardBenchOptions): Promise<readonly Figure[]> {
  const store = sqliteStore({ file: ':memory:' })
  const server = await startEmbedded(store)
  try {
    const instance = await server.oauth.instances.create({ domain: HOST })
    const tokens: string[] = []
    for (let i = 0; i < TOKENS; i += 1) tokens.push(await obtainToken(server, HOST))
    const ours = await guardOf(server, instance, tokens)
    const bare = await joseOf(server.oauth, instance, tokens)
    await rateOf(ours)
    await rateOf(bare)
    const rates: { ours: number; bare: number }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const rate = { ours: await rateOf(ours), bare: await rateOf(bare) }
      say(`guard round ${round}: ${perSecond(rate.ours)}, jose ${perSecond(rate.bare)}`)
      rates.push(rate)
    }
    const value = median(rates.map((rate) => rate.ours))
    const reference = median(rates.map((rate) => rate.bare))
    return [
      {
        name: 'guard, cached checks on one core',
        value: perSecond(value),
        reference: `jose ${perSecond(reference)}`,
        ratio: value / reference,
        target: `≥ ${perSecond(TARGET)}`,
        isMet: value >= TARGET,
      },
    ]
  } finally {
    await server.close()
    await store.close()
  }
}

type Check = (turn: number) => Promise<unknown>

async function guardOf(
  { oauth, koa }: EmbeddedServer,
  instance: Instance,
  tokens: readonly string[],
): Promise<Check> {
  const contexts = tokens.map((token) => bearerContext(koa, instance, token))
  return (turn) => oauth.authenticate(contexts[turn % contexts.length] as Context) // The remainder is an index.
}

async function joseOf(oauth: OAuth, instance: Instance, tokens: readonly string[]): Promise<Check> {
  const { secret } = await oauth.keyring.current(instance, 'access')
  const key = createSecretKey(secret)
  const options = { algorithms: ['HS512'], audience: 'access', issuer: HOST }
  return (turn) => jwtVerify(tokens[turn % tokens.length] as string, key, options) // The remainder is an index.
}

/** Calls per second of CPU time. */
async function rateOf(check: Check): Promise<number> {
  const until = performance.now() + ROUND_MS
  const before = process.cpuUsage()
  let turns = 0
  while (performance.now() < until) {
    for (let i = 0; i < BATCH; i += 1) {
      await check(turns)
      turns += 1
    }
  }
  const { user, system } = process.cpuUsage(before)
  return turns / ((user + system) / 1e6)
}

function perSecond(rate: number): string {
  return `${Math.round(rate / 1000)} 000/s`
}
