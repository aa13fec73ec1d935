import { setTimeout as pause } from 'node:timers/promises'
import { readdirSync } from 'node:fs'
import { hasRedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { loopbackFetch } from '@svc/testkit'
import { startFleet } from './support/host-fleet.ts'
import { NO_LIMITS } from './support/killable-host.ts'
import { heapOf, residentBytes } from './support/memory.ts'
import { type Program, runProgram } from './support/program.ts'
import { isBack, type Sample, slopeOf } from './support/slope.ts'
import { DOMAIN } from './support/owner.ts'
import { connectClients, startLoad, TYPE } from './support/steady-load.ts'

// The mixed main job at a steady rate, and what the process keeps of it.
//   node --conditions=source examples/host/faults/soak.ts [--minutes 30] [--rate 50] [--seed n]
// Passes when no request failed, descriptors, timers and keys of the store are back where they began (1 %), and memory
// grew by at most 1 MB a minute after the first ten; a shorter run only says its slope.

const CLIENTS = 10
const SAMPLE_MS = 1000
const WARM_MS = 10 * 60_000
const MAX_SLOPE = 1_000_000
/** For connections to be closed and answers to be let go. */
const SETTLE_MS = 10_000
const LOOKS = 10
/** So many times more. */
const MORE_LOOKS = 5

await runProgram('soak', { minutes: '30', rate: '50' }, async (program) => {
  if (!hasRedisServer()) {
    program.say('skipped', { reason: 'redis-server is not installed' })
    return true
  }
  return soak(program)
})

/** What a process holds. */
interface Holding {
  readonly descriptors: number
  readonly timers: number
  readonly keys: number
}

async function soak(program: Program): Promise<boolean> {
  const { say, option, random, atEnd } = program
  const redis = await startRedisServer()
  atEnd(() => redis.stop())
  const fleet = await startFleet(1, { ...NO_LIMITS, SVC_STORE: redis.url }, () => {})
  atEnd(() => fleet.stop())
  const { pid } = fleet.running()
  const port = fleet.ports[0] ?? 0
  const clients = await connectClients(fleet, port, CLIENTS)
  const token = clients[0]?.token ?? ''

  async function look(): Promise<Holding> {
    const text = await fleet.metrics()
    const timers = /^nodejs_active_resources\{type="Timeout"\} (\d+)$/m.exec(text)?.[1]
    const size = await sendToRedis(redis.port, 'DBSIZE')
    return {
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      timers: Number(timers ?? 0),
      keys: Number(/\d+/.exec(size)?.[0]),
    }
  }
  // Timers and descriptors come and go: what was held at most before, and what is held at least afterwards, count.
  async function lookOften(pick: (...counts: number[]) => number): Promise<Holding> {
    const looks: Holding[] = []
    for (let n = 0; n < LOOKS; n += 1) {
      await pause(SETTLE_MS / LOOKS)
      looks.push(await look())
    }
    return {
      descriptors: pick(...looks.map(({ descriptors }) => descriptors)),
      timers: pick(...looks.map(({ timers }) => timers)),
      keys: pick(...looks.map(({ keys }) => keys)),
    }
  }
  // What the first requests load and open is not growth.
  const rate = Number(option('rate'))
  await startLoad(port, clients, rate, random).stop()
  const start = await lookOften(Math.max)

  const runMs = Number(option('minutes')) * 60_000
  const samples: Sample[] = []
  const load = startLoad(port, clients, rate, random)
  const startedAt = performance.now()
  for (let atMs = 0; atMs < runMs; atMs = performance.now() - startedAt) {
    samples.push({ atMs, rssBytes: residentBytes(pid) })
    if (samples.length % 60 === 1) {
      const heap = heapOf(await fleet.metrics())
      say('sample', { ...samples.at(-1), ...heap, requests: load.requests })
    }
    await pause(SAMPLE_MS)
  }
  await load.stop()
  await removeDocuments(port, token)
  let end = await lookOften(Math.min)
  // What ends by a clock of its own may do so a little later on a busy machine.
  for (let n = 0; n < MORE_LOOKS && !isAllBack(start, end); n += 1) {
    end = await lookOften(Math.min)
  }

  const isLong = runMs > 2 * WARM_MS
  const slope = slopeOf(isLong ? samples.filter(({ atMs }) => atMs >= WARM_MS) : samples)
  for (const failure of load.failures.slice(0, 20)) say('request.failed', { ...failure })
  const hasPassed =
    load.failures.length === 0 && isAllBack(start, end) && (!isLong || slope <= MAX_SLOPE)
  say('soaked', {
    requests: load.requests,
    failed: load.failures.length,
    start,
    end,
    bytesAMinute: Math.round(slope),
    isSlopeJudged: isLong,
    hasPassed,
  })
  return hasPassed
}

function isAllBack(start: Holding, end: Holding): boolean {
  return (
    isBack(start.descriptors, end.descriptors) &&
    isBack(start.timers, end.timers) &&
    isBack(start.keys, end.keys)
  )
}

/** Deletes what the load has written, so that only what the server keeps for itself is left. */
async function removeDocuments(port: number, token: string): Promise<void> {
  const send = loopbackFetch({ port })
  const headers = { authorization: `Bearer ${token}` }
  const type = `https://${DOMAIN}/data/${TYPE}`
  for (;;) {
    const answer = await send(`${type}?limit=100`, { headers })
    if (!answer.ok) throw new Error(`${type}: ${answer.status} ${await answer.text()}`)
    const { documents } = (await answer.json()) as {
      readonly documents: readonly { readonly _id: string }[]
    } // as the route answers
    if (documents.length === 0) return
    for (const { _id } of documents) await send(`${type}/${_id}`, { method: 'DELETE', headers })
  }
}
