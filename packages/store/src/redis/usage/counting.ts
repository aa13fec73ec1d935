import { createHash } from 'node:crypto'

/*
 * What an instance keeps, by kind, beside its records and under its tag:
 *
 *   {tag}:#usage        hash: kind, bytes; #kind, records
 *   {tag}:#usage-ends   sorted set: keys of counted records that end, by their instant
 *   {tag}:#usage-sizes  hash: the same keys, bytes; Redis removes the records themselves without telling anybody
 */

/** Lua that counts one change; it stands after `parse`, `isLive` and `removeEntries` of scripts.ts. */
export const COUNTING = `
local function usageBase(prefix) return string.sub(prefix, 1, -8) end

local function kindOf(base, key)
  return string.sub(key, #base + 1, string.find(key, ':', #base + 1, true) - 1)
end

local function sizeOf(key, packed)
  local _, _, entries, tail = parse(packed)
  return #key + #packed - tail - #entries - 1
end

local function addUsage(base, key, bytes, records)
  local usage, kind = base .. '#usage', kindOf(base, key)
  if bytes ~= 0 then redis.call('HINCRBY', usage, kind, bytes) end
  if records ~= 0 then redis.call('HINCRBY', usage, '#' .. kind, records) end
end

-- What ended over a minute ago stops to count; a clock may step back a little.
local function settleUsage(prefix, now, most)
  local base = usageBase(prefix)
  local ends, sizes = base .. '#usage-ends', base .. '#usage-sizes'
  local due = redis.call('ZRANGEBYSCORE', ends, '-inf', string.format('%.0f', now - 60000), 'LIMIT', 0, most)
  for _, key in ipairs(due) do
    local packed = redis.call('GET', key)
    if packed then
      local _, expires, entries = parse(packed)
      if not isLive(expires, now) then
        removeEntries(prefix, key, entries)
        redis.call('DEL', key)
      end
    end
    local size = redis.call('HGET', sizes, key)
    if size then addUsage(base, key, -size, -1) end
    redis.call('HDEL', sizes, key)
    redis.call('ZREM', ends, key)
  end
  return #due
end

-- old, new: packed records, or false.
local function countUsage(prefix, now, key, old, new)
  local base = usageBase(prefix)
  local ends, sizes = base .. '#usage-ends', base .. '#usage-sizes'
  local before, records, hadEnd = 0, 0, true
  if old then
    local _, expires = parse(old)
    before, records, hadEnd = sizeOf(key, old), -1, expires ~= ''
  else
    local size = redis.call('HGET', sizes, key)
    if size then before, records = tonumber(size), -1 end
  end
  local after, expires = 0, ''
  if new then
    local _, e = parse(new)
    after, records, expires = sizeOf(key, new), records + 1, e
  end
  if expires ~= '' then
    redis.call('ZADD', ends, expires, key)
    redis.call('HSET', sizes, key, after)
  elseif hadEnd then
    redis.call('ZREM', ends, key)
    redis.call('HDEL', sizes, key)
  end
  addUsage(base, key, after - before, records)
  settleUsage(prefix, now, 4)
end
`

/*
 * The helpers of scripts.ts stand before each of these.
 *
 * KEYS: the hash. ARGV: now, index prefix. Answers fields and numbers by turns, without what ended.
 */
const READ = `
local now, prefix = tonumber(ARGV[1]), ARGV[2]
while settleUsage(prefix, now, 100) == 100 do end
local base = usageBase(prefix)
local usage = redis.call('HGETALL', KEYS[1])
local ended = redis.call('ZRANGEBYSCORE', base .. '#usage-ends', '-inf', string.format('%.0f', now))
for _, key in ipairs(ended) do
  local size = redis.call('HGET', base .. '#usage-sizes', key)
  if size then
    local kind = kindOf(base, key)
    for _, part in ipairs({ kind, '-' .. size, '#' .. kind, '-1' }) do usage[#usage + 1] = part end
  end
end
return usage
`

/* KEYS: counted records. ARGV: now, index prefix. Answers fields and numbers by turns, and notes when the records end. */
const COUNT = `
local prefix = ARGV[2]
local base = usageBase(prefix)
local counted = {}
for _, key in ipairs(KEYS) do
  local packed = redis.call('GET', key)
  if packed then
    local _, expires = parse(packed)
    local size = sizeOf(key, packed)
    if expires ~= '' then
      redis.call('ZADD', base .. '#usage-ends', expires, key)
      redis.call('HSET', base .. '#usage-sizes', key, size)
    end
    local kind = kindOf(base, key)
    for _, part in ipairs({ kind, tostring(size), '#' .. kind, '1' }) do counted[#counted + 1] = part end
  end
end
return counted
`

/*
 * KEYS: the hash. ARGV: number of fields before, these with their numbers, then the new ones; 'force' in place of the
 * number: whatever is there. Answers 1, or 0 when a change came between.
 */
const KEEP = `
local start = 2
if ARGV[1] ~= 'force' then
  local count = tonumber(ARGV[1])
  if redis.call('HLEN', KEYS[1]) ~= count then return 0 end
  for i = 1, count do
    if redis.call('HGET', KEYS[1], ARGV[2 * i]) ~= ARGV[2 * i + 1] then return 0 end
  end
  start = 2 + 2 * count
end
redis.call('DEL', KEYS[1])
for i = start, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1
`

/** A Lua script and the digest that Redis knows it by. */
interface Script {
  readonly lua: string
  readonly sha: string
}

export interface UsageScripts {
  readonly read: Script
  readonly count: Script
  readonly keep: Script
}

/** @param helpers - Lua that reads packed records, and {@link COUNTING} */
export function usageScripts(helpers: string): UsageScripts {
  const script = (text: string): Script => {
    const lua = helpers + text
    return { lua, sha: createHash('sha1').update(lua).digest('hex') }
  }
  return { read: script(READ), count: script(COUNT), keep: script(KEEP) }
}
