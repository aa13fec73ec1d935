import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './figure.ts'
import { runLoad, startServer, type StartedServer, withLoad, withStore } from './pair-bench.ts'
import type { BenchJob } from './servers/bench-server.ts'
import type { Child } from './child.ts'
import { MAIN } from './startup-bench.ts'

export interface MemoryBenchOptions {
  readonly stores: readonly string[]
  /** How long the mixed job is asked for. Each kind of request has its turn once at least. */
  readonly overMs: number
  readonly say: (line: string) => void
}

const MIB = 1024 * 1024
const TARGET_MIB = 180
const REST_MS = 60_000
const INSTANCES = 50
const CONNECTIONS = 32
/** Requests of each kind in a turn. */
const TURN: readonly (readonly [BenchJob, number])[] = [
  ['registration', 300],
  ['log-in page', 1500],
  ['consent page', 500],
  ['exchange', 500],
  ['refresh', 4000],
  ['document', 4000],
]

/** What the host holds in memory after a mixed job, and once it had a rest. */
export async function benchMemory(options: MemoryBenchOptions): Promise<readonly Figure[]> {
  if (!existsSync(MAIN)) throw new Error('built code is measured: run `pnpm build` first')
  const figures: Figure[] = []
  for (const store of options.stores) {
    await withStore(store, async (address) => {
      figures.push(
        ...(await withLoad((load, folder) => measure(store, address, folder, load, options))),
      )
    })
  }
  return figures
}

async function measure(
  name: string,
  store: string,
  folder: string,
  load: Child,
  { overMs, say }: MemoryBenchOptions,
): Promise<readonly Figure[]> {
  const server = await startServer({ variant: 'host', store, folder, instances: INSTANCES })
  try {
    const until = performance.now() + overMs
    let sent = 0
    do {
      for (const [job, count] of TURN) sent += await runTurn(server, load, job, count)
    } while (performance.now() < until)
    const busyMib = (await server.child.ask<number>({ ask: 'memory' })) / MIB
    await sleep(REST_MS)
    const restMib = (await server.child.ask<number>({ ask: 'memory' })) / MIB
    say(`memory on ${name}: ${busyMib.toFixed(0)} MiB after ${sent}, ${restMib.toFixed(0)} rested`)
    return [
      {
        name: `memory on ${name}, after ${sent} mixed requests and ${REST_MS / 1000} s of rest`,
        value: `${restMib.toFixed(0)} MiB`,
        reference: `${busyMib.toFixed(0)} MiB before the rest`,
        target: `≤ ${TARGET_MIB} MiB`,
        isMet: restMib <= TARGET_MIB,
      },
    ]
  } finally {
    await server.child.stop()
  }
}

async function runTurn(
  { child, port }: StartedServer,
  load: Child,
  job: BenchJob,
  requests: number,
): Promise<number> {
  const isKept = job === 'refresh' || job === 'document'
  const count = isKept ? 200 : requests
  const messages = await child.ask<readonly string[]>({ ask: 'prepare', job, count })
  await runLoad(load, { port, messages, connections: CONNECTIONS, until: { requests } })
  return requests
}
