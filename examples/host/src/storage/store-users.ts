import { indexKey, type Store } from '@svc/store'

/** A process that uses a store, as its record says it. */
export interface StoreUser {
  readonly version: string
  readonly reads: readonly [min: number, max: number]
  readonly hostname: string
  readonly port: number
}

/** The processes that use a store now. */
export async function listUsers(store: Store): Promise<readonly StoreUser[]> {
  const users: StoreUser[] = []
  let cursor: string | undefined
  do {
    const index = indexKey('host', 'processes')
    const page = await store.list(index, cursor === undefined ? {} : { cursor })
    // Only process records are in this index.
    users.push(...page.records.map(({ value }) => value as unknown as StoreUser))
    cursor = page.cursor
  } while (cursor !== undefined)
  return users
}
