import { hasRedisServer } from '@svc/store/testing'
import type { Figure } from './figure.ts'
import type { EngineName } from './scale/engines.ts'
import { engineFigures, percent } from './scale/goals.ts'
import { type EngineFigures, measureEngine } from './scale/measure-engine.ts'
import { writeScaling } from './scale/scaling-page.ts'
import { computeSlots, type SlotFigures } from './scale/slots.ts'

export interface ScaleBenchOptions {
  readonly instances: number
  readonly stores: readonly EngineName[]
  readonly checkLine: (engine: EngineName) => boolean
  /** Figures of processes, measured by other benchmarks. */
  readonly processes: () => Promise<readonly Figure[]>
  /** Writes the figures into `docs/scaling.md`. */
  readonly write: boolean
  readonly say: (line: string) => void
}

const MILLION = 1_000_000
const BALANCE = 0.02
const NOTHING = { keys: 0, bytes: 0 }

/** What owners cost at rest, on both engines, and where their keys are in a Cluster. @see operation.md 6.9, 6.10 */
export async function benchScale(options: ScaleBenchOptions): Promise<readonly Figure[]> {
  const { instances, stores, checkLine, say } = options
  const there = stores.filter((name) => name !== 'redis' || hasRedisServer())
  if (there.length < stores.length) say('scale: redis-server is not installed')
  // Sizes do not depend on how fast they are reached.
  const [processes, ...measured] = await Promise.all([
    options.processes(),
    ...there.map((name) => measureEngine({ name, instances, checkLine: checkLine(name), say })),
  ])
  const redis = measured.find(({ name }) => name === 'redis')
  const figures = [
    ...measured.flatMap(engineFigures),
    ...(redis === undefined ? [] : clusterFigures(redis)),
    ...processes,
  ]
  if (options.write) writeScaling(figures, redis?.hotKeys)
  for (const { key, share } of redis?.hotKeys?.keys ?? []) say(`scale: ${percent(share)} ${key}`)
  return figures
}

function clusterFigures(redis: EngineFigures): readonly Figure[] {
  const { hotKeys, mix = new Map() } = redis
  // Every tag grows with the instances: their own, those of the directory of hosts, and that of the queues.
  const shared = new Map(
    [...mix]
      .filter(([tag]) => tag !== 'instances')
      .map(([tag, { keys, bytes }]) => [tag, { keys: keys * MILLION, bytes: bytes * MILLION }]),
  )
  const ofInstance = mix.get('instances') ?? NOTHING
  const slots = computeSlots({ instances: MILLION, ofInstance, shared })
  return [
    spreadFigure('keys of a slot', slots.keys, (keys) => keys.toFixed(0)),
    spreadFigure(
      'bytes of a slot',
      slots.bytes,
      (bytes) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`,
    ),
    ...slots.balances.map(
      ({ nodes, keys, bytes }): Figure => ({
        name: `fullest of ${nodes} nodes, over the mean`,
        value: `${percent(bytes)} of bytes, ${percent(keys)} of keys`,
        target: `≤ ${percent(BALANCE)}`,
        isMet: bytes <= BALANCE && keys <= BALANCE,
      }),
    ),
    {
      name: 'shared keys in more than 1 % of the commands of a job',
      value: String(hotKeys?.faults.length ?? 0),
      reference: `${hotKeys?.commands ?? 0} commands`,
      target: '0',
      isMet: (hotKeys?.faults.length ?? 0) === 0,
    },
  ]
}

function spreadFigure(
  what: string,
  [least, middle, most]: SlotFigures['keys'],
  toText: (value: number) => string,
): Figure {
  return {
    name: `${what}, ${MILLION} instances of the mix`,
    value: `${toText(middle)}, at most ${toText(most)}`,
    reference: `at least ${toText(least)}`,
    isMet: true,
  }
}
