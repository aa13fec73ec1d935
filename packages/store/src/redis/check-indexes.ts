import { Redis } from 'ioredis'
import type { Key } from '../store.ts'
import { silentLog } from '../log/store-log.ts'
import { memberText } from '../writes/member.ts'
import { createClient, failFast } from './client.ts'
import { createConnection } from './connection.ts'
import { scanKeys } from './dump-redis.ts'
import { indexName, isRecordKey, physicalIndex, unpackEntries } from './packed-record.ts'
import { redisOptionsFromUrl } from './redis-url.ts'

/** An index that does not agree with the records. */
export interface IndexFault {
  /**
   * `lost`: the record is not there; `strange`: it does not belong in the index; `unlisted`: it does, and is not listed.
   * Redis leaves entries of records that it expired until the list is read: of such a record, `lost` is no fault.
   */
  readonly what: 'lost' | 'strange' | 'unlisted'
  /** As the store names it. */
  readonly index: string
  readonly key: string
}

const PAGE = 500
const ANSWER_MS = 30_000

/**
 * Holds the indexes of a Redis against its records. For one that nobody else uses: what changes meanwhile is a fault.
 * @example
 * for await (const { what, index, key } of checkRedisIndexes('redis://127.0.0.1:6379')) console.log(what, index, key)
 */
export async function* checkRedisIndexes(url: string): AsyncGenerator<IndexFault> {
  const client = createClient(redisOptionsFromUrl(url), 'verify', failFast(ANSWER_MS))
  const connection = createConnection(client, silentLog, ANSWER_MS)
  try {
    if (!(client instanceof Redis))
      throw new TypeError('the indexes of a Cluster are not looked at')
    for await (const keys of scanKeys(connection, '{*}:[a-z]*')) {
      yield* unlistedOf(client, keys.filter(isRecordKey))
    }
    for await (const indexes of scanKeys(connection, '{*}:#index:*')) {
      for (const physical of indexes) yield* strangersOf(client, physical)
    }
  } finally {
    await connection.close()
  }
}

/** Records that an index of theirs does not list. */
async function* unlistedOf(client: Redis, keys: readonly Key[]): AsyncGenerator<IndexFault> {
  if (keys.length === 0) return
  const packed = await client.mget([...keys])
  const entries = keys.flatMap((key, at) =>
    unpackEntries(key, packed[at] ?? '\n\n\n').map((entry) => ({ key, ...entry })),
  )
  const scores = await Promise.all(
    entries.map(({ key, index, sort }) =>
      client.zscore(physicalIndex(tagOf(key), indexName(index)), memberText(sort, key)),
    ),
  )
  for (const [at, { key, index }] of entries.entries()) {
    if (scores[at] === null) yield { what: 'unlisted', index, key }
  }
}

/** What an index lists and should not. */
async function* strangersOf(client: Redis, physical: string): AsyncGenerator<IndexFault> {
  const index = physical.replace('}:#index:', '}:index:')
  let cursor = '0'
  do {
    const [next, found] = await client.zscan(physical, cursor, 'COUNT', PAGE)
    cursor = next
    const members = found.filter((_, at) => at % 2 === 0).map(memberOf) // Each with its score.
    if (members.length === 0) continue
    const packed = await client.mget(members.map(({ key }) => key))
    for (const [at, { sort, key }] of members.entries()) {
      const text = packed[at]
      if (typeof text !== 'string') yield { what: 'lost', index, key }
      else if (!unpackEntries(key, text).some((one) => one.index === index && one.sort === sort)) {
        yield { what: 'strange', index, key }
      }
    }
  } while (cursor !== '0')
}

function memberOf(member: string): { readonly sort: string; readonly key: Key } {
  const end = member.indexOf('\u0000')
  return { sort: member.slice(0, end), key: member.slice(end + 1) as Key } // Members are made of keys.
}

function tagOf(key: Key): string {
  return key.slice(0, key.indexOf('}') + 1)
}
