import { existsSync } from 'node:fs'
import type { Figure } from './figure.ts'
import { benchPair, type PairBenchOptions } from './pair-bench.ts'
import { toCostFigure, toRateFigure } from './pair-figures.ts'
import { MAIN } from './startup-bench.ts'

export type HostBenchOptions = Pick<
  PairBenchOptions,
  'before' | 'jobs' | 'profiles' | 'rounds' | 'say' | 'stores'
> & { readonly isQuick: boolean }

const REFRESH_TARGETS: Readonly<Record<string, number>> = { sqlite: 1.5, redis: 1.2 }
const MANY = 500
const PAGE_TARGET = 1.5
const DOCUMENT_TARGET = 0.6
const ROUTE_TARGET = 0.85
/** So many a round, each a code of its own. */
const CODES = 900

/**
 * The host as an operator runs it beside the bare engine on the same store: refresh and exchange; refreshes also over
 * one connection, and of many instances.
 */
export async function benchHost(given: HostBenchOptions): Promise<readonly Figure[]> {
  const options = whole(given)
  const both = { ...options, pair: ['host', 'bare'] } as const
  const figures = (await benchPair({ ...both, connections: 32, jobs: given.jobs })).map((found) => {
    const { store, job } = found
    const target = job === 'refresh' ? REFRESH_TARGETS[store] : undefined
    return toCostFigure(found, {
      name: `host, ${job} on ${store}`,
      beside: 'bare',
      ...(target !== undefined && { target }),
    })
  })
  const refreshes = { ...both, jobs: ['refresh'] } as const
  const requests = { refresh: given.isQuick ? 1000 : 3000 }
  for (const found of await benchPair({ ...refreshes, connections: 1, requests })) {
    const name = `host, refresh on ${found.store}, 1 connection`
    figures.push(toCostFigure(found, { name, beside: 'bare' }))
  }
  for (const found of await benchPair({ ...refreshes, connections: 32, instances: MANY })) {
    const name = `host, refresh on ${found.store}, ${MANY} instances`
    figures.push(toCostFigure(found, { name, beside: 'bare, one issuer' }))
  }
  return figures
}

/** Registrations of the host and of the package, beside the engine's own. */
export async function benchRegistration(given: HostBenchOptions): Promise<readonly Figure[]> {
  const options = { ...whole(given), connections: 32, jobs: ['registration'] } as const
  const figures: Figure[] = []
  for (const [measured, target] of [
    ['host', 1],
    ['ours', undefined],
  ] as const) {
    for (const found of await benchPair({ ...options, pair: [measured, 'bare'] })) {
      const who = measured === 'ours' ? 'package' : measured
      const name = `${who}, registration on ${found.store}`
      figures.push(
        toCostFigure(found, { name, beside: 'bare', ...(target !== undefined && { target }) }),
      )
    }
  }
  return figures
}

/** The pages that owners see most, on SQLite: beside those of another built checkout, or a text that Koa answers. */
export async function benchPages(given: HostBenchOptions): Promise<readonly Figure[]> {
  const { before } = given
  const found = await benchPair({
    ...whole(given),
    stores: ['sqlite'],
    connections: 32,
    jobs: ['log-in page', 'consent page'],
    pair: ['host', before === undefined ? 'koa' : 'host before'],
  })
  return found.map((figures) =>
    toRateFigure(figures, {
      name: `host, ${figures.job}`,
      ...(before === undefined
        ? { beside: 'a text on bare Koa' }
        : { beside: 'before', target: PAGE_TARGET }),
    }),
  )
}

/**
 * A guarded document in the host, and a route of the embedding server behind all packages and the guard, beside bare
 * Koa that answers the same bytes to whoever asks.
 */
export async function benchRoutes(given: HostBenchOptions): Promise<readonly Figure[]> {
  const options = { ...whole(given), stores: ['sqlite'], connections: 32 } as const
  const beside = 'bare Koa'
  const rows = [
    ['document', 'host', 'host, guarded GET of a document', DOCUMENT_TARGET],
    ['route', 'embedding', 'embedding server, its own guarded route', ROUTE_TARGET],
  ] as const
  const figures: Figure[] = []
  for (const [job, measured, name, target] of rows) {
    const found = await benchPair({ ...options, jobs: [job], pair: [measured, 'koa'] })
    figures.push(...found.map((one) => toCostFigure(one, { name, beside, target })))
  }
  return figures
}

function whole(given: HostBenchOptions): Omit<PairBenchOptions, 'connections' | 'jobs' | 'pair'> {
  if (!existsSync(MAIN)) throw new Error('built code is measured: run `pnpm build` first')
  const { isQuick, jobs: _, ...options } = given
  return {
    ...options,
    requests: {
      refresh: isQuick ? 6000 : 15_000,
      exchange: CODES,
      registration: CODES,
      'log-in page': isQuick ? 2000 : 5000,
      'consent page': isQuick ? 1500 : 3000,
      // The first round has to be long enough for the larger of two servers to be compiled.
      document: isQuick ? 10_000 : 60_000,
      route: isQuick ? 10_000 : 60_000,
    },
    batches: { exchange: isQuick ? 1 : 2, registration: isQuick ? 1 : 3 },
  }
}
