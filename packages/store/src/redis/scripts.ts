import { createHash } from 'node:crypto'
import { COUNTING, type UsageScripts, usageScripts } from './usage/counting.ts'

/** A Lua script and the digest that Redis knows it by. */
export interface Script {
  readonly lua: string
  readonly sha: string
  /** What is run in its place when Redis says that its memory is used up. */
  readonly whenFull?: Script
}

/** How long Redis keeps what is dead for the store's clock, milliseconds. @see decision D66 */
export const TTL_MARGIN_MS = 60_000

/** What a write may add when Redis is full, bytes. */
const TIGHT_BYTES = 512

// The form of a packed record is in packed-record.ts. Index keys of a record's old entries cannot be declared in KEYS,
// since they are known from the record only; they share its hash tag, so that they are in the same Cluster slot.
const RECORDS = `
local function parse(packed)
  local a = string.find(packed, '\\n', 1, true)
  local b = string.find(packed, '\\n', a + 1, true)
  local c = string.find(packed, '\\n', b + 1, true)
  return string.sub(packed, 1, a - 1), string.sub(packed, a + 1, b - 1), string.sub(packed, b + 1, c - 1), b
end

local function isLive(expires, now)
  return expires == '' or tonumber(expires) > now
end

local function eachEntry(entries, visit)
  for name, sort in string.gmatch(entries, '([^%z\\1]+)\\1([^%z]*)%z') do visit(name, sort) end
end

local function removeEntries(prefix, key, entries)
  eachEntry(entries, function(name, sort)
    redis.call('ZREM', prefix .. name, sort .. '\\0' .. key)
  end)
end
`

/*
 * KEYS: the records; then the kept answer's key when there is one; then the indexes of new entries.
 * ARGV: now, index prefix, number of records, answer's time to live or '', revision;
 *       then for each record: op (p, d, t, r, c), condition letters (a, p; u: its kind is counted),
 *       revision demanded or '', time to live or '',
 *       packed record (put), head (touch) or JSON (revise).
 * Answers '1' and the revision, or '0' and the key whose condition failed.
 *
 * `tight`: Redis is full. A write then has to be about a record that is there, and may add a few bytes only: it deletes,
 * or replaces a value. So access can be taken away, and nothing grows.
 *
 * An index lives as long as its longest-lived member. A new member makes two random ones be checked, so that members
 * of records that Redis expired never outnumber the others by much, even in an index that nobody lists.
 */
const WRITE = `${RECORDS}${COUNTING}
local now, prefix, count, keep = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]

if keep ~= '' then
  local before = redis.call('GET', KEYS[count + 1])
  if before then return before end
end

local function answer(text)
  if keep ~= '' then redis.call('SET', KEYS[count + 1], text, 'PX', keep) end
  return text
end

local old = redis.call('MGET', unpack(KEYS, 1, count))
local revisions = {}
for i = 1, count do
  local base = 5 + (i - 1) * 5
  local revision = false
  if old[i] then
    local rev, expires = parse(old[i])
    if isLive(expires, now) then revision = rev end
  end
  revisions[i] = revision
  local condition, demanded = ARGV[base + 2], ARGV[base + 3]
  if condition ~= '' then
    if string.find(condition, 'a', 1, true) and revision then return answer('0' .. KEYS[i]) end
    if string.find(condition, 'p', 1, true) and not revision then return answer('0' .. KEYS[i]) end
  end
  if demanded ~= '' and demanded ~= revision then return answer('0' .. KEYS[i]) end
end

if tight then
  local before, after, isKnown = 0, 0, false
  for i = 1, count do
    local base = 5 + (i - 1) * 5
    local op, packed = ARGV[base + 1], ARGV[base + 5]
    isKnown = isKnown or revisions[i]
    if op == 'p' then
      before, after = before + (old[i] and #old[i] or 0), after + #packed
    elseif op == 'd' then
      before = before + (old[i] and #old[i] or 0)
    elseif op == 'r' then
      local _, _, _, tail = parse(old[i])
      before, after = before + #old[i] - tail, after + #packed
    end
  end
  if not isKnown or after > before + ${TIGHT_BYTES} then
    return redis.error_reply('OOM a write that needs memory is refused')
  end
end

local function prune(index)
  for _, member in ipairs(redis.call('ZRANDMEMBER', index, 2)) do
    local stop = string.find(member, '\\0', 1, true)
    if redis.call('EXISTS', string.sub(member, stop + 1)) == 0 then redis.call('ZREM', index, member) end
  end
end

local function addEntries(key, entries, ttl)
  eachEntry(entries, function(name, sort)
    local index = prefix .. name
    local isNew = redis.call('ZADD', index, 0, sort .. '\\0' .. key) == 1
    if ttl == '' then
      redis.call('PERSIST', index)
    elseif isNew and redis.call('ZCARD', index) == 1 then
      redis.call('PEXPIRE', index, ttl)
    else
      redis.call('PEXPIRE', index, ttl, 'GT')
    end
    if isNew then prune(index) end
  end)
end

for i = 1, count do
  local base = 5 + (i - 1) * 5
  local op, ttl, packed, key = ARGV[base + 1], ARGV[base + 4], ARGV[base + 5], KEYS[i]
  local expires, entries, tail = '', '', 0
  local isCounted = string.find(ARGV[base + 2], 'u', 1, true)
  if old[i] then
    local _, x, e, t = parse(old[i])
    expires, entries, tail = x, e, t
  end
  if op == 'd' then
    if old[i] then
      removeEntries(prefix, key, entries)
      redis.call('DEL', key)
    end
    if isCounted then countUsage(prefix, now, key, old[i], false) end
  elseif op == 'r' then
    packed = ARGV[5] .. '\\n' .. expires .. '\\n' .. entries .. '\\n' .. packed
    redis.call('SET', key, packed, 'KEEPTTL')
    if isCounted then countUsage(prefix, now, key, old[i], packed) end
  elseif op == 'p' or (op == 't' and revisions[i]) then
    if op == 't' then packed = packed .. string.sub(old[i], tail + 1) end
    if ttl == '' then redis.call('SET', key, packed) else redis.call('SET', key, packed, 'PX', ttl) end
    local _, _, new = parse(packed)
    if entries ~= new then removeEntries(prefix, key, entries) end
    addEntries(key, new, ttl)
    if isCounted then countUsage(prefix, now, key, old[i], packed) end
  end
end
return answer('1' .. ARGV[5])
`

/* KEYS: the record. ARGV: now, index prefix, 'u' when its kind is counted. Answers the packed record, or nil. */
const TAKE = `${RECORDS}${COUNTING}
local packed = redis.call('GET', KEYS[1])
if not packed then return false end
local _, expires, entries = parse(packed)
removeEntries(ARGV[2], KEYS[1], entries)
redis.call('DEL', KEYS[1])
if ARGV[3] == 'u' then countUsage(ARGV[2], tonumber(ARGV[1]), KEYS[1], packed, false) end
if isLive(expires, tonumber(ARGV[1])) then return packed end
return false
`

/* KEYS: the counter. ARGV: now, window, step, margin. Keeps and answers 'count end'. */
const HIT = `
local now, window, by = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local count, ends = 0, 0
local stored = redis.call('GET', KEYS[1])
if stored then
  local gap = string.find(stored, ' ', 1, true)
  count, ends = tonumber(string.sub(stored, 1, gap - 1)), tonumber(string.sub(stored, gap + 1))
end
if ends <= now then
  if by <= 0 then return '0 ' .. ARGV[1] end
  count, ends = 0, now + window
end
count = math.max(0, count + by)
local text = string.format('%.0f %.0f', count, ends)
redis.call('SET', KEYS[1], text, 'PX', string.format('%.0f', ends - now + tonumber(ARGV[4])))
return text
`

/*
 * KEYS: the index. ARGV: its name, 1 when descending, from, to, most members.
 * Answers the last member seen when more follow (else nothing), then keys and packed records by turns.
 * Members whose record is gone, or no longer has the entry, are removed.
 */
const LIST = `${RECORDS}
local name, most = ARGV[1], tonumber(ARGV[5])
local members
if ARGV[2] == '1' then
  members = redis.call('ZRANGE', KEYS[1], ARGV[3], ARGV[4], 'BYLEX', 'REV', 'LIMIT', 0, most + 1)
else
  members = redis.call('ZRANGE', KEYS[1], ARGV[3], ARGV[4], 'BYLEX', 'LIMIT', 0, most + 1)
end
local found = { #members > most and members[most] or '' }
for i = 1, math.min(#members, most) do
  local member = members[i]
  local stop = string.find(member, '\\0', 1, true)
  local sort, key = string.sub(member, 1, stop - 1), string.sub(member, stop + 1)
  local packed = redis.call('GET', key)
  local entries = ''
  if packed then
    local _, _, e = parse(packed)
    entries = e
  end
  if string.find(entries, '\\0' .. name .. '\\1' .. sort .. '\\0', 1, true) then
    found[#found + 1] = key
    found[#found + 1] = packed
  else
    redis.call('ZREM', KEYS[1], member)
  end
end
return found
`

/**
 * Lets a script write when the memory is used up. Without it a script may delete, and may write once it has deleted
 * something; `take` and `list` do nothing else.
 */
const WHEN_FULL = '#!lua flags=allow-oom\n'

/** Everything that must happen in one step, and paged lists in one round trip. */
export const SCRIPTS: Readonly<Record<'write' | 'take' | 'hit' | 'list', Script>> = {
  write: {
    ...script(`local tight = false\n${WRITE}`),
    whenFull: script(`${WHEN_FULL}local tight = true\n${WRITE}`),
  },
  take: script(TAKE),
  // A request that takes access away is counted before.
  hit: { ...script(HIT), whenFull: script(`${WHEN_FULL}${HIT}`) },
  list: script(LIST),
}

/** Those that tell what instances keep. */
export const USAGE_SCRIPTS: UsageScripts = usageScripts(RECORDS + COUNTING)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
