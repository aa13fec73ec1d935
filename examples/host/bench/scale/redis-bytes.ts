import { sendToRedis } from '@svc/store/testing'

/** Bytes of the keys of one hash tag. */
export interface TagBytes {
  keys: number
  bytes: number
}

/** Codes, counters and answers of writes die within this: they are not at rest. Milliseconds. */
export const SHORT_MS = 7_200_000
const BATCH = 5000

/** Walks a part of the keyspace, so that no answer is larger than what one packet brings. */
const DROP = `
local answer = redis.call('SCAN', ARGV[1], 'COUNT', ${BATCH})
for _, key in ipairs(answer[2]) do
  local left = redis.call('PTTL', key)
  if left >= 0 and left < ${SHORT_MS} then redis.call('DEL', key) end
end
return answer[1]`

/** Sums by tag in a hash of its own. */
const WEIGH = `
local answer = redis.call('SCAN', ARGV[1], 'COUNT', ${BATCH})
local keys, bytes = 0, 0
for _, key in ipairs(answer[2]) do
  if key ~= 'weights' then
    local size = redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) or 0
    local tag = string.match(key, '^{(.-)}') or ''
    if #tag == ARGV[2] + 0 then tag = 'instances' end
    redis.call('HINCRBY', 'weights', tag .. ' keys', 1)
    redis.call('HINCRBY', 'weights', tag .. ' bytes', size)
  end
end
return answer[1]`

/** Removes what would be gone after some hours of rest. */
export async function dropShortLived(port: number): Promise<void> {
  await walk(port, DROP, [])
}

/** All memory that Redis uses, but for what does not grow with owners: its scripts and connections. */
export async function redisBytes(port: number): Promise<number> {
  const answer = await sendToRedis(port, 'INFO memory')
  const read = (name: string): number => {
    const value = new RegExp(`^${name}:(\\d+)`, 'm').exec(answer)?.[1]
    if (value === undefined) throw new Error(`Redis does not say its ${name}`)
    return Number(value)
  }
  return read('used_memory') - read('used_memory_scripts') - read('mem_clients_normal')
}

/**
 * Keys and bytes by hash tag; those of instances together, as `instances`.
 * @param idLength - of the id of an instance, which no shared tag has
 */
export async function bytesOfTags(
  port: number,
  idLength: number,
): Promise<ReadonlyMap<string, TagBytes>> {
  await walk(port, WEIGH, [String(idLength)])
  const tags = new Map<string, TagBytes>()
  const fields = (await sendToRedis(port, 'HGETALL weights')).split('\r\n').slice(1)
  // Each text comes after its length.
  const texts = fields.filter((_, at) => at % 2 === 1)
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [tag = '', what] = (texts[at] ?? '').split(' ')
    const known = tags.get(tag) ?? { keys: 0, bytes: 0 }
    known[what === 'keys' ? 'keys' : 'bytes'] = Number(texts[at + 1])
    tags.set(tag, known)
  }
  await sendToRedis(port, 'DEL weights')
  return tags
}

async function walk(port: number, lua: string, args: readonly string[]): Promise<void> {
  const text = lua.replaceAll('\n', ' ')
  const loaded = await sendToRedis(port, `SCRIPT LOAD ${JSON.stringify(text)}`)
  const sha = loaded.split('\r\n')[1] ?? ''
  let cursor = '0'
  do {
    const answer = await sendToRedis(port, `EVALSHA ${[sha, '0', cursor, ...args].join(' ')}`)
    if (!answer.startsWith('$')) throw new Error(answer)
    cursor = answer.split('\r\n')[1] ?? '0'
  } while (cursor !== '0')
}
