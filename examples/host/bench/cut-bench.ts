import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type Child, startChild } from './child.ts'
import type { Moment } from './cut-server.ts'
import { type Figure, quantile } from './figure.ts'

export interface CutBenchOptions {
  /** Clients that are cut off, one after the other. */
  readonly trials: number
  /** As many more whose end no message tells. */
  readonly untold: number
  readonly say: (line: string) => void
}

/** SPEC: security.md 78. */
const TARGET_MS = 1000
const GUARD_TARGET_MS = 0.2
/** Clients of one instance: their registrations are limited. */
const PER_HOST = 40

/**
 * How long a client's token is still good in one process after the client was cut off in another, through Redis; and
 * what the guard adds to a request there. The serving process calls with the token without a pause, so that all it
 * may remember is fresh when the cut comes. Once as it is, once with every message lost.
 */
export async function benchCuts(options: CutBenchOptions): Promise<readonly Figure[]> {
  if (!hasRedisServer()) return []
  const { trials, untold, say } = options
  const redis = await startRedisServer()
  const children: Child[] = []
  try {
    const start = async (...more: string[]): Promise<Child> => {
      const child = await startChild('cut-server.ts', [redis.url, ...more])
      children.push(child)
      return child
    }
    const serving = await start()
    const cutting = await start()
    const mute = await start('mute')
    const told = await delaysOf(serving, cutting, 'told', trials)
    say(`cuts: ${trials} told, at most ${Math.max(...told).toFixed(1)} ms`)
    const missed = await delaysOf(serving, mute, 'untold', untold)
    say(`cuts: ${untold} not told, at most ${Math.max(...missed).toFixed(1)} ms`)
    const host = 'cost.example.com'
    const tokens = await tokensOf(serving, host, PER_HOST)
    await serving.ask({ ask: 'cost', host, tokens })
    const { p99: cost } = await serving.ask<{ readonly p99: number }>({ ask: 'cost', host, tokens })
    return [
      delayFigure('cut to refusal in another process', told),
      delayFigure('cut to refusal, messages lost', missed),
      {
        name: 'guard, added to a request on redis',
        value: `p99 ${cost.toFixed(3)} ms`,
        target: `p99 < ${GUARD_TARGET_MS} ms`,
        isMet: cost < GUARD_TARGET_MS,
      },
    ]
  } finally {
    for (const child of children) await child.stop()
    await redis.stop()
  }
}

/** Milliseconds from the end of each cut to the first call that is refused. */
async function delaysOf(
  serving: Child,
  cutting: Child,
  name: string,
  count: number,
): Promise<readonly number[]> {
  const delays: number[] = []
  while (delays.length < count) {
    const host = `${name}-${delays.length}.example.com`
    for (const token of await tokensOf(serving, host, Math.min(PER_HOST, count - delays.length))) {
      const watching = serving.ask<Moment>({ ask: 'watch', host, token })
      // Until it is remembered; not in step with anything.
      await sleep(20 + Math.random() * 50)
      const cut = { ask: 'cut', host, clientId: clientOf(token) }
      const done = await cutting.ask<Moment>(cut)
      delays.push(Math.max(0, Number((await watching).at - done.at) / 1e6))
    }
  }
  return delays
}

function tokensOf(serving: Child, host: string, count: number): Promise<readonly string[]> {
  return serving.ask<readonly string[]>({ ask: 'tokens', host, count })
}

function delayFigure(name: string, delays: readonly number[]): Figure {
  const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)]
  return {
    name,
    value: `p99 ${p99.toFixed(1)} ms (p50 ${p50.toFixed(1)})`,
    reference: `${delays.length} cuts`,
    target: `p99 < ${TARGET_MS} ms`,
    isMet: p99 < TARGET_MS,
  }
}

/** The subject of an access token. */
function clientOf(token: string): string {
  const [, payload = ''] = token.split('.')
  // Signed by us a moment ago.
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub
}
