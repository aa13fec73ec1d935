import { createHmac, createSecretKey } from 'node:crypto'
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
const CACHED_TARGET = 300_000
/** Unseen tokens of a round: more than the guard remembers. */
const UNSEEN = 20_000
/** Of jose's verification. */
const UNSEEN_TARGET = 5

/**
 * The guard as a function, against jose verifying such tokens: once with tokens that it knows, once with tokens that it
 * has never seen, of clients that it knows. Checks per second of CPU time of the process, all its threads.
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
    const rates: { ours: number; unseen: number; bare: number }[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const fresh = await unseenOf(server.oauth, instance, tokens)
      const unseen = await rateOfEach(server, instance, fresh)
      const rate = { ours: await rateOf(ours), unseen, bare: await rateOf(bare) }
      say(
        `guard round ${round}: cached ${perSecond(rate.ours)}, unseen ${perSecond(unseen)}, jose ${perSecond(rate.bare)}`,
      )
      // Round 0 warms up and is not counted.
      if (round > 0) rates.push(rate)
    }
    const cached = median(rates.map((rate) => rate.ours))
    const unseen = median(rates.map((rate) => rate.unseen))
    const bareRate = median(rates.map((rate) => rate.bare))
    const reference = `jose ${perSecond(bareRate)}`
    return [
      {
        name: 'guard, cached checks on one core',
        value: perSecond(cached),
        reference,
        ratio: cached / bareRate,
        target: `≥ ${perSecond(CACHED_TARGET)}`,
        isMet: cached >= CACHED_TARGET,
      },
      {
        name: 'guard, tokens never seen before',
        value: perSecond(unseen),
        reference,
        ratio: unseen / bareRate,
        target: `ratio ≥ ${UNSEEN_TARGET.toFixed(1)}`,
        isMet: unseen / bareRate >= UNSEEN_TARGET,
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

/** Tokens as the server makes them, none of which the guard has seen: the claims of known ones, at other times. */
async function unseenOf(
  oauth: OAuth,
  instance: Instance,
  tokens: readonly string[],
): Promise<readonly string[]> {
  const { secret } = await oauth.keyring.current(instance, 'access')
  const key = createSecretKey(secret)
  seen += 1
  return Array.from({ length: UNSEEN }, (_, i) => {
    const [header = '', claims = ''] = (tokens[i % tokens.length] ?? '').split('.')
    const known = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number } // As it was made.
    const more = { ...known, bench: `${seen}.${i}` }
    const signed = `${header}.${Buffer.from(JSON.stringify(more)).toString('base64url')}`
    return `${signed}.${createHmac('sha512', key).update(signed).digest('base64url')}`
  })
}

/** Rounds of tokens that were made. */
let seen = 0

/** Calls per second of CPU time, each token once. Their requests are made between, as many at a time as a server holds. */
async function rateOfEach(
  { oauth, koa }: EmbeddedServer,
  instance: Instance,
  tokens: readonly string[],
): Promise<number> {
  let us = 0
  for (let first = 0; first < tokens.length; first += BATCH) {
    const batch = tokens.slice(first, first + BATCH)
    const contexts = batch.map((token) => bearerContext(koa, instance, token))
    const before = process.cpuUsage()
    for (const ctx of contexts) await oauth.authenticate(ctx)
    const { user, system } = process.cpuUsage(before)
    us += user + system
  }
  return tokens.length / (us / 1e6)
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
