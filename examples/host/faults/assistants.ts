import { setTimeout as pause } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { relyingParty } from '@svc/testkit'
import { connectAssistants, startCalls } from './support/assistant-load.ts'
import { startFleet } from './support/host-fleet.ts'
import { NO_LIMITS } from './support/killable-host.ts'
import { heapOf, residentBytes } from './support/memory.ts'
import { type FleetOwner, ISSUER, makeOwner } from './support/owner.ts'
import { type Program, runProgram } from './support/program.ts'
import { type Sample, slopeOf } from './support/slope.ts'
import { exchange, keptConnections } from './support/exchange.ts'

// Assistants read documents at a steady rate, and are cut at the end, all at once.
//   node --conditions=source examples/host/faults/assistants.ts [--minutes 60] [--rate 50] [--store redis] [--seed n]
// On Redis there are two processes: each call goes to the other one than the call before, and the cut to the first.
// Passes when no call failed, the owner's list counts what the assistants counted, call by call and document by
// document, the last call that was answered began at most a second after the cut, and the heap of the first process did
// not grow after the first ten minutes; a shorter run only says its slope.

const ASSISTANTS = 8
const SAMPLE_MS = 1000
const WARM_MS = 10 * 60_000
/** Least use of the heap in the last ten minutes, by that of the first ten after the warm ones. */
const MAX_GROWTH = 1.03
const CUT_MS = 1000

await runProgram('assistants', { minutes: '60', rate: '50', store: 'redis' }, async (program) => {
  const isRedis = program.option('store') === 'redis'
  if (isRedis && !hasRedisServer()) {
    program.say('skipped', { reason: 'redis-server is not installed' })
    return true
  }
  return run(program, isRedis)
})

interface HeapSample extends Sample {
  readonly usedBytes: number
}

async function run({ say, option, atEnd }: Program, isRedis: boolean): Promise<boolean> {
  const redis = isRedis ? await startRedisServer() : undefined
  atEnd(async () => redis?.stop())
  const store = redis === undefined ? {} : { SVC_STORE: redis.url }
  const fleet = await startFleet(isRedis ? 2 : 1, { ...NO_LIMITS, ...store }, () => {})
  atEnd(() => fleet.stop())
  const { pid } = fleet.running()
  const port = fleet.ports[0] ?? 0
  const owner = await makeOwner(fleet, port)
  const assistants = await connectAssistants(
    owner,
    () => relyingParty({ issuer: ISSUER, port }),
    ASSISTANTS,
  )

  const runMs = Number(option('minutes')) * 60_000
  const samples: HeapSample[] = []
  const load = startCalls(fleet.ports, assistants, Number(option('rate')))
  const startedAt = performance.now()
  for (let atMs = 0; atMs < runMs; atMs = performance.now() - startedAt) {
    const heap = heapOf(await fleet.metrics())
    samples.push({ atMs, rssBytes: residentBytes(pid), usedBytes: heap['usedBytes'] ?? Number.NaN })
    if (samples.length % 60 === 1)
      say('sample', { ...samples.at(-1), ...heap, answered: load.answered })
    await pause(SAMPLE_MS)
  }
  await load.settle()
  const listed = await countsOf(owner, port)
  const counted = { calls: load.answered, documents: load.answered }
  const agrees = listed.calls === counted.calls && listed.documents === counted.documents

  // The cut comes in the middle of calls.
  const more = startCalls(fleet.ports, assistants, Number(option('rate')))
  while (more.answered < ASSISTANTS) await pause(10)
  const cut = await ask(owner, port, 'DELETE', '/settings/assistants')
  const cutAt = performance.now()
  while (more.refused < ASSISTANTS * 2) await pause(10)
  await more.settle()
  const cutMs = Math.max(0, more.lastAnswered - cutAt)

  const growth = growthOf(samples)
  const isLong = runMs > 3 * WARM_MS
  for (const failure of load.failures.slice(0, 20)) say('call.failed', { failure })
  const hasPassed =
    load.failures.length === 0 &&
    load.refused === 0 &&
    more.failures.length === 0 &&
    agrees &&
    cut.result === 204 &&
    cutMs <= CUT_MS &&
    (!isLong || growth <= MAX_GROWTH)
  say('ran', {
    answered: load.answered,
    failed: load.failures.length + load.refused,
    listed,
    cutMs: Math.round(cutMs),
    heapGrowth: growth,
    residentBytesAMinute: Math.round(slopeOf(samples.filter(({ atMs }) => atMs >= WARM_MS))),
    isGrowthJudged: isLong,
    hasPassed,
  })
  return hasPassed
}

/** Between collections the heap holds what is garbage already: the least of many looks is what it keeps. */
function growthOf(samples: readonly HeapSample[]): number {
  const lastMs = samples.at(-1)?.atMs ?? 0
  const least = (fromMs: number, toMs: number): number =>
    Math.min(
      ...samples.flatMap(({ atMs, usedBytes }) =>
        atMs >= fromMs && atMs < toMs ? [usedBytes] : [],
      ),
    )
  return least(lastMs - WARM_MS, Number.POSITIVE_INFINITY) / least(WARM_MS, 2 * WARM_MS)
}

interface Counts {
  readonly calls: number
  readonly documents: number
}

/** What the owner's list says of the last day, all assistants together. */
async function countsOf(owner: FleetOwner, port: number): Promise<Counts> {
  const { result, text } = await ask(owner, port, 'GET', '/settings/assistants')
  if (result !== 200) throw new Error(`${result} ${text}`)
  const { data } = JSON.parse(text) as {
    readonly data: readonly { readonly attributes: { readonly last_day: Counts } }[]
  } // as the route answers
  const sum = (of: (counts: Counts) => number): number =>
    data.reduce((all, { attributes }) => all + of(attributes.last_day), 0)
  return { calls: sum(({ calls }) => calls), documents: sum(({ documents }) => documents) }
}

async function ask(
  { settings }: FleetOwner,
  port: number,
  method: string,
  path: string,
): ReturnType<typeof exchange> {
  const agent = keptConnections()
  const answer = await exchange({ agent, port, method, path, headers: settings, body: '' })
  agent.destroy()
  return answer
}
