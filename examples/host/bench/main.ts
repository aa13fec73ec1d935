import os from 'node:os'
import path from 'node:path'
import { benchConnections } from './connections-bench.ts'
import { benchContract } from './contract-bench.ts'
import { benchCopy } from './copy-bench.ts'
import { benchCuts } from './cut-bench.ts'
import { type Figure, toTable } from './figure.ts'
import { benchFirstSteps } from './first-steps-bench.ts'
import { benchGuard } from './guard-bench.ts'
import { benchHealth } from './health-bench.ts'
import {
  benchHost,
  benchPages,
  benchRegistration,
  benchRoutes,
  type HostBenchOptions,
} from './host-bench.ts'
import { benchImports } from './imports-bench.ts'
import { benchInstances } from './instances-bench.ts'
import { benchLogins } from './login-bench.ts'
import { benchMcp } from './mcp-bench.ts'
import { benchMemory } from './memory-bench.ts'
import { benchMount } from './mount-bench.ts'
import { benchNotifications } from './notification-bench.ts'
import { benchPushes } from './push-bench.ts'
import { benchRealtime } from './realtime-bench.ts'
import { benchScale } from './scale-bench.ts'
import type { EngineName } from './scale/engines.ts'
import { BENCH_JOBS, type BenchJob } from './servers/bench-server.ts'
import { benchStartup } from './startup-bench.ts'
import { benchTicks } from './tick-bench.ts'
import { benchTiming } from './timing-bench.ts'
import { benchPair, type Pair, type PairFigures } from './pair-bench.ts'
import { toFigures, toRecordFigure } from './pair-figures.ts'

// `pnpm bench [guard cuts tokens record host registration pages routes mount logins health mcp timing ticks startup imports memory instances connections pushes realtime contract notifications] [--quick] [--check]`: those named, or all.
// `--check` fails when a target is missed. Of tokens, record and host also: [--profiles=folder] [--store=sqlite] [--grant=refresh];
// of tokens [--connections=32]; of pages [--before=folder of another checkout, built]; of memory [--minutes=10];
// of startup [--archive=file of `pnpm run bundle`].
// `scale` runs when it is named and writes docs/scaling.md; of it [--instances=20000] [--store=sqlite] [--check-line[=redis]] [--no-processes] [--no-write].
// `copy` too; of it [--records=1000000]. `first-steps` too: it installs packages.
const isQuick = process.argv.includes('--quick')
const chosen = (name: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1]
/** Names as in {@link BENCHES}, run only when they are named: they take long. */
const ONLY_NAMED: readonly string[] = ['scale', 'copy', 'first-steps']
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const rounds = isQuick ? 3 : 5

const BENCHES: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  guard: () => benchGuard({ rounds, say }),
  cuts: () => benchCuts({ trials: isQuick ? 50 : 200, untold: isQuick ? 5 : 20, say }),
  tokens,
  record: async () => (await measureTokens(['noted', 'ours'])).map(toRecordFigure),
  host: () => benchHost(shared()),
  registration: () => benchRegistration(shared()),
  pages: () => benchPages(shared()),
  routes: () => benchRoutes(shared()),
  mount: () => benchMount(shared()),
  logins: () => benchLogins({ rounds, logins: isQuick ? 32 : 64, say }),
  health: () => benchHealth({ rounds, logins: isQuick ? 32 : 64, say }),
  mcp: () => benchMcp({ rounds, overMs: isQuick ? 3000 : 8000, say }),
  timing: () => benchTiming({ requests: isQuick ? 40 : 100, say }),
  ticks: () => benchTicks({ rounds, say }),
  startup: () => {
    const archive = chosen('archive')
    return benchStartup({ rounds, say, ...(archive !== undefined && { archive }) })
  },
  imports: async () => benchImports({ rounds, say }),
  'first-steps': async () => benchFirstSteps({ say }),
  memory: () =>
    benchMemory({ stores: shared().stores, overMs: Number(chosen('minutes') ?? 0) * 60_000, say }),
  instances: () => benchInstances({ few: 1000, many: isQuick ? 4000 : 10_000, say }),
  connections: () => benchConnections({ say }),
  pushes: () => benchPushes({ rounds, say }),
  realtime: () => benchRealtime({ subscribers: 2000, overMs: isQuick ? 4000 : 10_000, say }),
  scale,
  contract: () => benchContract({ stores: shared().stores, say }),
  copy: () => benchCopy({ records: Number(chosen('records') ?? 1_000_000), say }),
  notifications: () =>
    benchNotifications({
      overMs: isQuick ? 3000 : 8000,
      scheduled: isQuick ? 10_000 : 100_000,
      say,
    }),
}

const named = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
for (const name of named) {
  if (!Object.hasOwn(BENCHES, name)) throw new Error(`no bench is called ${name}`)
}

const gib = (os.totalmem() / 1024 ** 3).toFixed(0)
say(`${os.cpus().length} cores, ${gib} GiB of memory, Node ${process.version}`)
const figures: Figure[] = []
for (const [name, bench] of Object.entries(BENCHES)) {
  if (named.length > 0 ? !named.includes(name) : ONLY_NAMED.includes(name)) continue
  try {
    figures.push(...(await bench()))
  } catch (error) {
    say(String(error))
    figures.push({ name, value: 'did not run', isMet: false })
  }
}
say(`\n${toTable(figures)}`)
if (process.argv.includes('--check') && figures.some(({ isMet }) => !isMet)) process.exitCode = 1

async function tokens(): Promise<readonly Figure[]> {
  return (await measureTokens(['ours', 'bare'])).flatMap(toFigures)
}

function measureTokens(pair: Pair): Promise<readonly PairFigures[]> {
  return benchPair({
    ...shared(),
    pair,
    requests: { refresh: isQuick ? 6000 : 15_000, exchange: 1800 },
    batches: { exchange: isQuick ? 1 : 4 },
    connections: Number(chosen('connections') ?? 32),
  })
}

/** What the benches of token endpoints and of the host have in common. */
function shared(): HostBenchOptions {
  const store = chosen('store')
  const profiles = chosen('profiles')
  const before = chosen('before')
  const job = chosen('grant')
  const isJob = (name: string | undefined): name is BenchJob =>
    BENCH_JOBS.some((one) => one === name)
  return {
    rounds,
    isQuick,
    stores: store === undefined ? ['sqlite', 'redis'] : [store],
    jobs: isJob(job) ? [job] : ['refresh', 'exchange'],
    ...(profiles !== undefined && { profiles }),
    ...(before !== undefined && { before: path.resolve(before, 'examples/host/dist') }),
    say,
  }
}

/** What processes hold; one that fails does not end what takes far longer. */
function processes(): readonly Promise<readonly Figure[]>[] {
  const benches: readonly (readonly [string, Promise<readonly Figure[]>])[] = [
    ['startup', benchStartup({ rounds: 1, say })],
    ['instances', benchInstances({ few: 1000, many: 10_000, say })],
    ['realtime', benchRealtime({ subscribers: 2000, overMs: 1000, say })],
  ]
  return benches.map(async ([name, bench]) => {
    try {
      return (await bench).filter((figure) => /^(resident )?memory/.test(figure.name))
    } catch (error) {
      say(String(error))
      return [{ name, value: 'did not run', isMet: false }]
    }
  })
}

async function scale(): Promise<readonly Figure[]> {
  const store = chosen('store') as EngineName | undefined // Typed by whoever runs it.
  return benchScale({
    instances: Number(chosen('instances') ?? 20_000),
    stores: store === undefined ? ['sqlite', 'redis'] : [store],
    checkLine: (name) => process.argv.includes('--check-line') || chosen('check-line') === name,
    write: !process.argv.includes('--no-write'),
    processes: async () =>
      process.argv.includes('--no-processes') ? [] : (await Promise.all(processes())).flat(),
    say,
  })
}
