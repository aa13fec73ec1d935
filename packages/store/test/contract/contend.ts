import type { Key, Revision, Store } from '../../src/index.ts'

/** What the processes of a test fight for. */
export interface Round {
  /** A record to take. */
  readonly code: Key
  /** A record to replace. */
  readonly client: Key
  readonly revision: Revision
  /** A key to claim. */
  readonly domain: Key
  /** A counter to hit. */
  readonly counter: Key
}

/** How often one process won each of them; the counter's values. */
export interface Score {
  readonly taken: number
  readonly replaced: number
  readonly claimed: number
  readonly counts: readonly number[]
}

const TRIES = 50

/** Tries everything many times at once. */
export async function contend(store: Store, round: Round): Promise<Score> {
  const { code, client, revision, domain, counter } = round
  const all = <Result>(attempt: () => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: TRIES }, attempt))
  const [taken, replaced, claimed, hits] = await Promise.all([
    all(() => store.take(code)),
    all(() => store.write([{ op: 'put', key: client, value: 1, ifRevision: revision }])),
    all(() => store.write([{ op: 'put', key: domain, value: 1, ifAbsent: true }])),
    all(() => store.hit(counter, 60_000)),
  ])
  return {
    taken: taken.filter((record) => record !== undefined).length,
    replaced: replaced.filter(({ written }) => written).length,
    claimed: claimed.filter(({ written }) => written).length,
    counts: hits.map(({ count }) => count),
  }
}
