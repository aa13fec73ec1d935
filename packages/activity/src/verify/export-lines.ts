import type { Instance } from '@svc/platform'
import type { Json, Store } from '@svc/store'
import type { Entry } from '../chain/entry.ts'
import type { Head, Segment } from '../chain/head.ts'
import { entryKey, headKey, index, SEGMENTS } from '../chain/keys.ts'

/** Name and version of the format. @see owner.md 5.7 */
export const FORMAT = 'svc-activity-1'

const PAGE = 100

/** The lines of an export: a header, the entries, and last the head with its seal. */
export async function* exportLines(
  store: Store,
  { id, domain }: Pick<Instance, 'domain' | 'id'>,
  now: number,
): AsyncGenerator<Json> {
  const head = (await store.get<Head>(headKey(id)))?.value
  const anchor = await lastAnchor(store, id)
  yield {
    format: FORMAT,
    domain,
    exported_at: new Date(now).toISOString(),
    from_anchor: anchor === undefined ? null : withoutState(anchor),
  }
  if (head === undefined) return
  for (let from = (anchor?.last ?? 0) + 1; from <= head.seq; from += PAGE) {
    const length = Math.min(PAGE, head.seq - from + 1)
    const keys = Array.from({ length }, (_, at) => entryKey(id, from + at))
    // What is missing is missing in the file, too: its verification says so.
    for (const record of await store.getMany<Entry>(keys)) if (record) yield record.value
  }
  const { chain, seq, hash, time, seal } = head
  yield { head: { chain, seq, hash, time, seal } }
}

function withoutState({ state: _, ...anchor }: Segment): Json {
  return anchor
}

/** The last segment whose entries are gone. */
async function lastAnchor(store: Store, instanceId: string): Promise<Segment | undefined> {
  let last: Segment | undefined
  let cursor: string | undefined
  do {
    const page = await store.list<Segment>(
      index(instanceId, SEGMENTS),
      cursor === undefined ? {} : { cursor },
    )
    for (const { value } of page.records) {
      if (value.state === 'kept') return last
      last = value
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return last
}
