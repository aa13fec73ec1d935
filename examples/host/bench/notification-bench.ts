import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from './child.ts'
import { type Figure, quantile } from './figure.ts'
import type { IdleFigures } from './notification-server.ts'

export interface NotificationBenchOptions {
  /** How long posts come in, in each part. Milliseconds. */
  readonly overMs: number
  readonly scheduled: number
  readonly say: (line: string) => void
}

/** An instance and its app's token. */
interface Poster {
  readonly host: string
  readonly token: string
}

const POSTS_PER_S = 200
const INSTANCES = 50
const ACCEPT_TARGET_MS = 50
const FLOOD_PARALLEL = 8
/** How much longer somebody else's notifications and security mails may take: two hand-overs of a full server. */
const FLOOD_TARGET_MS = 100
const ROW_TARGET_BYTES = 16
const IDLE_MS = 3000
const IDLE_TARGET_MS = 50

/**
 * How fast posts are accepted while they are sent, what a flood of one app does to everybody else, and what those for
 * later cost until then. Mails are handed over in 20 ms; store, server and harness share the machine.
 */
export async function benchNotifications(
  options: NotificationBenchOptions,
): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const child = await startChild('notification-server.ts', [path.join(folder, 'store.db')])
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  try {
    const hosts = Array.from({ length: INSTANCES }, (_, i) => `i${i}.example.com`)
    const tokens = await child.ask<readonly string[]>({ ask: 'create', hosts })
    const posters = hosts.map((host, i) => ({ host, token: String(tokens[i]) }))
    const { port } = child.hello as { port: number } // What it says first.
    const post = (poster: Poster): Promise<number> => postOne(port, agent, poster)
    return [
      await measureRate(child, posters, post, options),
      ...(await measureFlood(child, posters, post, options)),
      ...(await measureScheduled(child, options)),
    ]
  } finally {
    agent.destroy()
    await child.stop()
    await rm(folder, { recursive: true })
  }
}

type Post = (poster: Poster) => Promise<number>
type Deliveries = Readonly<Record<string, readonly number[]>>

/** Posts evenly over the time, whether or not the ones before are answered. @returns milliseconds of each */
async function postEvenly(
  posters: readonly Poster[],
  perSecond: number,
  overMs: number,
  post: Post,
): Promise<readonly number[]> {
  const count = Math.round((perSecond * overMs) / 1000)
  const startedAt = performance.now()
  const answers: Promise<number>[] = []
  for (let i = 0; i < count; i += 1) {
    await sleep(Math.max(0, startedAt + (i * 1000) / perSecond - performance.now()))
    answers.push(post(posters[i % posters.length] as Poster)) // There are some.
  }
  return Promise.all(answers)
}

async function measureRate(
  child: Child,
  posters: readonly Poster[],
  post: Post,
  { overMs, say }: NotificationBenchOptions,
): Promise<Figure> {
  await postEvenly(posters, POSTS_PER_S / 2, 1000, post)
  await delivered(child, POSTS_PER_S / 2)
  const took = await postEvenly(posters, POSTS_PER_S, overMs, post)
  const sent = await delivered(child, took.length)
  const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)]
  const late = quantile(Object.values(sent).flat(), 0.99)
  say(`notifications: ${took.length} accepted, handed over within ${late.toFixed(0)} ms (p99)`)
  return {
    name: `${POSTS_PER_S} posts a second, accepted while sending`,
    value: `p99 ${p99.toFixed(1)} ms (p50 ${p50.toFixed(1)})`,
    reference: `handed over p99 ${late.toFixed(0)} ms`,
    target: `p99 ≤ ${ACCEPT_TARGET_MS} ms`,
    isMet: p99 <= ACCEPT_TARGET_MS,
  }
}

async function measureFlood(
  child: Child,
  posters: readonly Poster[],
  post: Post,
  { overMs, say }: NotificationBenchOptions,
): Promise<readonly Figure[]> {
  const [flooded, other] = posters as readonly [Poster, Poster] // There are fifty.
  const calm = await measureOther(child, other, post, overMs)
  let isOver = false
  let count = 0
  async function flood(): Promise<void> {
    while (!isOver) {
      await post(flooded)
      count += 1
    }
  }
  const floods = Array.from({ length: FLOOD_PARALLEL }, flood)
  const busy = await measureOther(child, other, post, overMs)
  isOver = true
  await Promise.all(floods)
  say(`notifications: the flood was ${count} posts in ${overMs} ms`)
  return (['notification', 'securityMail'] as const).map((what) => ({
    name: what === 'notification' ? "another instance's notification" : 'a security mail',
    value: `p99 ${busy[what].toFixed(1)} ms in the flood`,
    reference: `p99 ${calm[what].toFixed(1)} ms without`,
    ratio: calm[what] / busy[what],
    target: `at most ${FLOOD_TARGET_MS} ms more`,
    isMet: busy[what] - calm[what] <= FLOOD_TARGET_MS,
  }))
}

/** What one who does not flood gets. @returns p99 of milliseconds */
async function measureOther(
  child: Child,
  other: Poster,
  post: Post,
  overMs: number,
): Promise<{ readonly notification: number; readonly securityMail: number }> {
  await child.ask({ ask: 'deliveries' })
  const mails: number[] = []
  const posting = postEvenly([other], 20, overMs, post)
  const endsAt = performance.now() + overMs
  while (performance.now() < endsAt) {
    mails.push(await child.ask<number>({ ask: 'security mail', host: other.host }))
    await sleep(50)
  }
  const expected = (await posting).length
  const found: number[] = []
  const deadline = performance.now() + 10_000
  while (found.length < expected) {
    if (performance.now() > deadline) throw new Error(`${found.length} of ${expected} were sent`)
    found.push(...((await child.ask<Deliveries>({ ask: 'deliveries' }))[other.host] ?? []))
    await sleep(20)
  }
  return { notification: quantile(found, 0.99), securityMail: quantile(mails, 0.99) }
}

async function measureScheduled(
  child: Child,
  { scheduled, say }: NotificationBenchOptions,
): Promise<readonly Figure[]> {
  // The flood is worked off first.
  await sleep(1000)
  let last = await child.ask<Deliveries>({ ask: 'deliveries' })
  while (Object.keys(last).length > 0) {
    await sleep(1000)
    last = await child.ask<Deliveries>({ ask: 'deliveries' })
  }
  const before = await child.ask<IdleFigures>({ ask: 'idle', forMs: IDLE_MS })
  const startedAt = performance.now()
  await child.ask({ ask: 'schedule', count: scheduled })
  say(
    `notifications: ${scheduled} for later in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
  const after = await child.ask<IdleFigures>({ ask: 'idle', forMs: IDLE_MS })
  const perRow = Math.max(0, after.used - before.used) / scheduled
  return [
    {
      name: `memory of ${scheduled} for later`,
      value: `${perRow.toFixed(1)} bytes each`,
      target: `≤ ${ROW_TARGET_BYTES} bytes: rows are in the store alone`,
      isMet: perRow <= ROW_TARGET_BYTES,
    },
    {
      name: `wake-ups of ${scheduled} for later`,
      value: `${after.cpuMs.toFixed(1)} ms of processor time in ${IDLE_MS / 1000} s`,
      reference: `${before.cpuMs.toFixed(1)} ms without`,
      target: `≤ ${IDLE_TARGET_MS} ms more`,
      isMet: after.cpuMs - before.cpuMs <= IDLE_TARGET_MS,
    },
  ]
}

/** Waits until as many as that were handed over, and answers how long they took. */
async function delivered(child: Child, count: number): Promise<Deliveries> {
  const all: Record<string, number[]> = {}
  const deadline = performance.now() + 30_000
  for (let found = 0; found < count; ) {
    if (performance.now() > deadline) throw new Error(`${found} of ${count} were sent`)
    for (const [host, delays] of Object.entries(
      await child.ask<Deliveries>({ ask: 'deliveries' }),
    )) {
      ;(all[host] ??= []).push(...delays)
      found += delays.length
    }
    await sleep(20)
  }
  return all
}

function postOne(port: number, agent: http.Agent, { host, token }: Poster): Promise<number> {
  const startedAt = performance.now()
  const body = JSON.stringify({
    data: { attributes: { category: 'plain', title: `at ${process.hrtime.bigint()}` } },
  })
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/notifications',
        agent,
        headers: {
          host,
          authorization: `Bearer ${token}`,
          cookie: 'session=bench',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 201) resolve(performance.now() - startedAt)
          else reject(new Error(`a post was answered ${response.statusCode}`))
        })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}
