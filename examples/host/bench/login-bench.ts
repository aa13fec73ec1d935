import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import { type Figure, median, quantile } from './figure.ts'
import { ask, send } from './servers/ask.ts'

export interface LoginBenchOptions {
  readonly rounds: number
  /** Logins of a round, over all instances. */
  readonly logins: number
  readonly say: (line: string) => void
}

/** One owner's browser, behind a proxy, with the form of the login page open. */
export interface Browser {
  readonly host: string
  readonly address: string
  readonly csrfToken: string
  readonly csrfCookie: string
}

interface Round {
  readonly loginsPerSecond: number
  readonly hashesPerSecond: number
  readonly healthMs: readonly number[]
}

export const INSTANCES = 32
/** What a browser would derive from the passphrase, the same everywhere. */
export const LOGIN_VALUE: string = 'v'.repeat(44)
const PROBE_MS = 20
const RATIO_TARGET = 0.85
export const HEALTH_TARGET_MS = 50

/**
 * Logins on so many instances at a time, each from an address of its own, against raw scrypt of the same cost,
 * as many at a time, in the same process. Meanwhile the health route is asked on a connection of its own.
 */
export async function benchLogins(options: LoginBenchOptions): Promise<readonly Figure[]> {
  const { rounds, logins, say } = options
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const hosts = Array.from({ length: INSTANCES }, (_, i) => `i${i}.example.com`)
  const server = await startChild('login-server.ts', [folder, LOGIN_VALUE, 'silent', ...hosts])
  try {
    const { port } = server.hello as { port: number } // What it says first.
    const browsers = await Promise.all(hosts.map((host, i) => open(port, host, `192.0.2.${i + 1}`)))
    // The first login replaces the imported hash, and costs two.
    await logInAll(port, browsers, INSTANCES)
    const measured: Round[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const question = { ask: 'scrypt', count: logins, parallel: INSTANCES }
      const hashesPerSecond = (logins / (await server.ask<number>(question))) * 1000
      const stopProbing = probe(port)
      const startedAt = performance.now()
      await logInAll(port, browsers, logins)
      const loginsPerSecond = (logins / (performance.now() - startedAt)) * 1000
      const healthMs = await stopProbing()
      say(
        `logins round ${round}: ${loginsPerSecond.toFixed(1)}/s, raw ${hashesPerSecond.toFixed(1)}/s, ` +
          `health p99 ${quantile(healthMs, 0.99).toFixed(1)} ms`,
      )
      measured.push({ loginsPerSecond, hashesPerSecond, healthMs })
    }
    return toFigures(measured)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  const loginsPerSecond = median(rounds.map((round) => round.loginsPerSecond))
  const hashesPerSecond = median(rounds.map((round) => round.hashesPerSecond))
  // Of each round, because its two halves saw the same machine.
  const ratio = median(rounds.map((round) => round.loginsPerSecond / round.hashesPerSecond))
  const healthMs = median(rounds.map((round) => quantile(round.healthMs, 0.99)))
  return [
    {
      name: `logins, ${INSTANCES} at a time`,
      value: `${loginsPerSecond.toFixed(1)}/s`,
      reference: `scrypt ${hashesPerSecond.toFixed(1)}/s`,
      ratio,
      target: `ratio ≥ ${RATIO_TARGET}`,
      isMet: ratio >= RATIO_TARGET,
    },
    {
      name: 'health route meanwhile, p99',
      value: `${healthMs.toFixed(1)} ms`,
      target: `≤ ${HEALTH_TARGET_MS} ms`,
      isMet: healthMs <= HEALTH_TARGET_MS,
    },
  ]
}

export async function open(port: number, host: string, address: string): Promise<Browser> {
  const page = await send(port, host, 'GET', '/auth/login', { headers: proxied(address) })
  const csrfCookie = page.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
  const csrfToken = /name="csrf_token"[^>]*value="([^"]+)"/.exec(page.body)?.[1]
  if (csrfToken === undefined) throw new Error(`no form on ${host}`)
  return { host, address, csrfToken, csrfCookie }
}

/**
 * Every browser logs in again as soon as it is in, without the session it got. A log-in that waited too long for its hash
 * is answered 503 (decision D17), as happens on a busy machine: its browser comes again when it was told to.
 */
export async function logInAll(
  port: number,
  browsers: readonly Browser[],
  count: number,
): Promise<void> {
  let left = count
  async function worker({ host, address, csrfToken, csrfCookie }: Browser): Promise<void> {
    while (left > 0) {
      left -= 1
      for (;;) {
        const { status, headers } = await ask(port, host, 'POST', '/auth/login', {
          form: { csrf_token: csrfToken, passphrase: LOGIN_VALUE },
          headers: { ...proxied(address), cookie: csrfCookie, 'sec-fetch-site': 'same-origin' },
        })
        if (status < 400 && headers['set-cookie'] !== undefined) break
        if (status !== 503) throw new Error(`not logged in on ${host}: ${status}`)
        await sleep(Number(headers['retry-after']) * 1000)
      }
    }
  }
  await Promise.all(browsers.map(worker))
}

function proxied(address: string): Record<string, string> {
  return { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
}

/** Asks the health route at a steady rate, whether it answered the last time or not. */
export function probe(port: number): () => Promise<readonly number[]> {
  const answers: Promise<number>[] = []
  const timer = setInterval(() => {
    const sentAt = performance.now()
    const answer = send(port, '127.0.0.1', 'GET', '/health/live')
    answers.push(answer.then(() => performance.now() - sentAt))
  }, PROBE_MS)
  return () => {
    clearInterval(timer)
    return Promise.all(answers)
  }
}
