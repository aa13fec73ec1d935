import { hash } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Clock } from '../clock.ts'
import type { DumpEntry, Key } from '../store.ts'
import { instanceTag } from '../writes/arguments.ts'
import type { Connection } from './connection.ts'
import { counterKey, isRecordKey, unpack, unpackEntries } from './packed-record.ts'
import type { RedisScheduler } from './redis-scheduler.ts'

/** Keys that Redis looks at in one step. */
const PAGE = 500
const DIGEST_CHARACTERS = 12

/** All keys of a kind of Redis value that have an instance, each once, page by page, on every master. */
export async function* scanKeys(connection: Connection, match: string): AsyncGenerator<string[]> {
  const { client } = connection
  // SCAN may answer a key twice. 96 bits of a digest each: a Redis of millions of keys fits.
  const seen = new Set<string>()
  const isNew = (key: string): boolean => {
    const digest = hash('sha256', key, 'binary').slice(0, DIGEST_CHARACTERS)
    return !seen.has(digest) && seen.add(digest).has(digest)
  }
  // In the first turn a Cluster does not know its nodes yet.
  await connection.send(() => client.get('{svc}:#health'))
  for (const node of client instanceof Redis ? [client] : client.nodes('master')) {
    let cursor = '0'
    do {
      const [next, keys] = await connection.send(() =>
        node.scan(cursor, 'MATCH', match, 'COUNT', PAGE),
      )
      cursor = next
      yield keys.filter(isNew)
    } while (cursor !== '0')
  }
}

/** Texts under the keys; of a Cluster in one command for each instance. */
async function readTexts(
  { client, send }: Connection,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const groups =
    client instanceof Redis
      ? [[...keys]]
      : Map.groupBy(keys, (key) => instanceTag(key as Key)).values() // Checked by the caller.
  const found = new Map<string, string>()
  const reading = [...groups]
    .filter((group) => group.length > 0)
    .map(async (group) => {
      const texts = await send(() => client.mget(group))
      for (const [position, key] of group.entries()) {
        const text = texts[position]
        if (typeof text === 'string') found.set(key, text)
      }
    })
  await Promise.all(reading)
  return found
}

/** Everything that lives in Redis. What changes meanwhile may be in it or not; what stays is. */
export async function* dumpRedis(
  connection: Connection,
  scheduler: RedisScheduler,
  clock: Clock,
): AsyncGenerator<DumpEntry> {
  for await (const keys of scanKeys(connection, '{*}:[a-z]*')) {
    for (const [key, packed] of await readTexts(connection, keys.filter(isRecordKey))) {
      const record = unpack(key as Key, packed, clock.now()) // Filtered by isRecordKey.
      if (record === undefined) continue
      yield { type: 'record', ...record, indexes: unpackEntries(record.key, packed) }
    }
  }
  for await (const physical of scanKeys(connection, '{*}:#count:*')) {
    const counters = physical.filter((key) => counterKey(key) !== undefined)
    for (const [each, text] of await readTexts(connection, counters)) {
      const key = counterKey(each)
      const [count, resetsAt] = text.split(' ').map(Number)
      if (key === undefined || count === undefined || resetsAt === undefined) continue
      if (resetsAt > clock.now()) yield { type: 'counter', key, count, resetsAt }
    }
  }
  for await (const keys of scanKeys(connection, '{svc}:#queue-*:meta')) {
    for (const key of keys) {
      const queue = key.slice('{svc}:#queue-'.length, -':meta'.length)
      for await (const { id, when } of scheduler.pending(queue)) {
        yield { type: 'wake-up', queue, id, dueAt: when }
      }
    }
  }
}
