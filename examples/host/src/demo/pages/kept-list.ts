import { randomBytes } from 'node:crypto'
import { DAY_MS, type InstanceId } from '@svc/platform'
import type { Kept } from '../../notifications/development.ts'
import { type Json, indexKey, type Key, recordKey, type Store } from '@svc/store'

/** The last things of a kind, by instance; for development. */
export interface KeptList<Item> {
  /** Keeps one, and drops the oldest beyond fifty. */
  add(id: InstanceId, item: Item): Promise<void>
  /** Newest first. */
  list(id: InstanceId): Promise<readonly Kept<Item>[]>
  get(id: InstanceId, name: string): Promise<Kept<Item> | undefined>
  removeAll(id: InstanceId): Promise<void>
}

const MAX_ITEMS = 50
const KEPT_MS = 7 * DAY_MS

export function createKeptList<Item>(options: {
  readonly store: Store
  readonly clock: { now(): number }
  /** Of the records. */
  readonly kind: string
  /** Name of their index. */
  readonly index: string
}): KeptList<Item> {
  const { store, clock, kind, index } = options
  const indexOf = (id: InstanceId) => indexKey(id, index)
  const keyOf = (id: InstanceId, name: string): Key => recordKey(id, kind, name)

  async function keysOf(id: InstanceId): Promise<Key[]> {
    const page = await store.list(indexOf(id))
    return page.records.map(({ key }) => key)
  }

  async function drop(keys: readonly Key[]): Promise<void> {
    if (keys.length > 0) await store.write(keys.map((key) => ({ op: 'delete', key })))
  }

  return {
    async add(instanceId, item) {
      const keptAt = clock.now()
      const id = randomBytes(16).toString('hex')
      const value: Kept<Item> = { id, keptAt, item }
      const sort = `${String(keptAt).padStart(15, '0')}:${id}`
      await store.write([
        {
          op: 'put',
          key: keyOf(instanceId, id),
          value: value as unknown as Json, // What is kept is plain JSON.
          expiresAt: keptAt + KEPT_MS,
          indexes: [{ index: indexOf(instanceId), sort }],
        },
      ])
      const keys = await keysOf(instanceId)
      await drop(keys.slice(0, Math.max(0, keys.length - MAX_ITEMS)))
    },
    async list(id) {
      const page = await store.list(indexOf(id), { limit: MAX_ITEMS, order: 'desc' })
      return page.records.map(({ value }) => value as unknown as Kept<Item>) // Written above.
    },
    async get(id, name) {
      if (!/^[0-9a-f]{32}$/.test(name)) return undefined
      const record = await store.get(keyOf(id, name))
      return record === undefined ? undefined : (record.value as unknown as Kept<Item>) // Written above.
    },
    removeAll: async (id) => drop(await keysOf(id)),
  }
}
