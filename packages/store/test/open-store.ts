import type { Store } from '../src/index.ts'
import { redisStore } from '../src/redis/index.ts'
import { sqliteStore } from '../src/sqlite/index.ts'

/** Opens the store that a text names: a Redis URL, or the path of a SQLite file. */
export function openStore(place: string): Store {
  return place.startsWith('redis') ? redisStore({ url: place }) : sqliteStore({ file: place })
}
