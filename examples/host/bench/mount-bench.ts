import type { Figure } from './figure.ts'
import { benchPair, type PairBenchOptions, type PairFigures } from './pair-bench.ts'

/** Of the same requests in Koa. */
const REFRESH_TARGET = 1.02
/** CPU microseconds that a request of somebody else has more. */
const ROUTE_TARGET_US = 20

export type MountBenchOptions = Pick<PairBenchOptions, 'profiles' | 'rounds' | 'say'> & {
  readonly isQuick: boolean
}

/**
 * The handler in front of a listener of Node, on SQLite: refreshes beside those of the same routes in Koa, and requests
 * of the listener beside the listener alone.
 */
export async function benchMount({
  isQuick,
  ...options
}: MountBenchOptions): Promise<readonly Figure[]> {
  const shared = {
    ...options,
    stores: ['sqlite'],
    connections: 32,
    requests: { refresh: isQuick ? 6000 : 15_000, route: isQuick ? 10_000 : 20_000 },
  }
  const refreshes = await benchPair({ ...shared, jobs: ['refresh'], pair: ['mounted', 'ours'] })
  const routes = await benchPair({ ...shared, jobs: ['route'], pair: ['mounted', 'node'] })
  return [...refreshes.map(toRefreshFigure), ...routes.map(toRouteFigure)]
}

function toRefreshFigure({ measured, reference, share }: PairFigures): Figure {
  return {
    name: 'handler in front, refresh on sqlite',
    value: `${measured.cpuUs.toFixed(0)} us`,
    reference: `in Koa ${reference.cpuUs.toFixed(0)} us`,
    ratio: 1 / share,
    target: '≤ 2 % more',
    isMet: share <= REFRESH_TARGET,
  }
}

function toRouteFigure({ measured, reference }: PairFigures): Figure {
  const more = measured.cpuUs - reference.cpuUs
  return {
    name: 'handler in front, a route of somebody else',
    value: `${measured.cpuUs.toFixed(0)} us, ${more.toFixed(1)} us more`,
    reference: `alone ${reference.cpuUs.toFixed(0)} us`,
    ratio: reference.cpuUs / measured.cpuUs,
    target: `≤ ${ROUTE_TARGET_US} us more`,
    isMet: more <= ROUTE_TARGET_US,
  }
}
