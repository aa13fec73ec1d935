import type { IndexKey, Store } from '@svc/store'

/** Deletes all but the newest records of an index that is in the order of time. */
export async function keepNewest(
  store: Pick<Store, 'list' | 'write'>,
  index: IndexKey,
  most: number,
): Promise<void> {
  let seen = 0
  let cursor: string | undefined
  do {
    const page = await store.list(index, {
      order: 'desc',
      ...(cursor === undefined ? {} : { cursor }),
    })
    const over = page.records.slice(Math.max(0, most - seen))
    if (over.length > 0) await store.write(over.map(({ key }) => ({ op: 'delete', key })))
    seen += page.records.length
    cursor = page.cursor
  } while (cursor !== undefined)
}
