import { createHash } from 'node:crypto';

/** A Lua script, which Redis runs atomically. */
export type Script = Readonly<{ text: string; sha: string }>;

const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** Lua passes arguments on its stack, which holds about 8,000. A chunk uses two for each document. */
export const CHUNK = 1_000;
/** Documents read at a time if bytes are limited: at most this many are read in vain. */
const SMALL_CHUNK = 20;

/**
 * KEYS[1] is `meta`. ARGV[1] is empty for whatever is served, `><position>` for what is served if its checkpoint is at least that, or
 * `<slot>:<generation>` for one namespace. Leaves the slot in `slot`. Positions have no leading zeros, so the longer one is the greater one.
 * The keys of both slots follow in KEYS, because which of them is read is only known in here.
 */
const resolveSlot = (nothing: string): string => `
local slot = ARGV[1]
if slot == '' then
  slot = redis.call('HGET', KEYS[1], 'served')
  if not slot then return ${nothing} end
elseif string.byte(slot) == 62 then
  local floor = string.sub(slot, 2)
  local served = redis.call('HMGET', KEYS[1], 'served', 'a.checkpoint', 'b.checkpoint')
  slot = served[1]
  local checkpoint = slot and (slot == 'a' and served[2] or served[3])
  if not checkpoint or #checkpoint < #floor or (#checkpoint == #floor and checkpoint < floor) then
    return redis.error_reply('BEHIND what is served')
  end
else
  local generation = string.sub(slot, 3)
  slot = string.sub(slot, 1, 1)
  if redis.call('HGET', KEYS[1], slot .. '.generation') ~= generation then return redis.error_reply('GONE namespace') end
end
`;

/** KEYS: meta, documents a, documents b. ARGV: namespace, key. */
export const GET = script(`${resolveSlot('false')}
return redis.call('HGET', slot == 'a' and KEYS[2] or KEYS[3], ARGV[2])
`);

/** KEYS: meta, documents a, documents b. ARGV: namespace, keys. Answers nothing at all where nothing is served. */
export const GET_MANY = script(`${resolveSlot('{}')}
local documents = slot == 'a' and KEYS[2] or KEYS[3]
local found = {}
for first = 2, #ARGV, ${CHUNK} do
  local values = redis.call('HMGET', documents, unpack(ARGV, first, math.min(first + ${CHUNK} - 1, #ARGV)))
  for i = 1, #values do found[#found + 1] = values[i] end
end
return found
`);

/**
 * KEYS: meta, documents a, index a, documents b, index b. ARGV: namespace, then for each range its two ends in the order of the range, `REV` or
 * an empty string, offset, limit (-1: none), bytes of values after which it ends (-1: never). Answers for each range its keys and values in
 * turn; nothing at all where nothing is served.
 */
export const RANGES = script(`${resolveSlot('{}')}
local documents, index = KEYS[2], KEYS[3]
if slot == 'b' then documents, index = KEYS[4], KEYS[5] end
local answer = {}
for i = 2, #ARGV, 6 do
  local keys
  if ARGV[i + 2] == 'REV' then
    keys = redis.call('ZRANGE', index, ARGV[i], ARGV[i + 1], 'BYLEX', 'REV', 'LIMIT', ARGV[i + 3], ARGV[i + 4])
  else
    keys = redis.call('ZRANGE', index, ARGV[i], ARGV[i + 1], 'BYLEX', 'LIMIT', ARGV[i + 3], ARGV[i + 4])
  end
  local found = {}
  local most = tonumber(ARGV[i + 5])
  local step = most < 0 and ${CHUNK} or ${SMALL_CHUNK}
  local bytes, first = 0, 1
  while first <= #keys and (most < 0 or bytes < most or first == 1) do
    local last = math.min(first + step - 1, #keys)
    local values = redis.call('HMGET', documents, unpack(keys, first, last))
    for k = first, last do
      found[2 * k - 1] = keys[k]
      found[2 * k] = values[k - first + 1]
      bytes = bytes + #found[2 * k]
      if most >= 0 and bytes >= most then break end
    end
    first = last + 1
  end
  answer[#answer + 1] = found
end
return answer
`);

/** KEYS: meta, index a, index b. ARGV: namespace, lower end, upper end. */
export const COUNT = script(`${resolveSlot('0')}
return redis.call('ZLEXCOUNT', slot == 'a' and KEYS[2] or KEYS[3], ARGV[2], ARGV[3])
`);

/**
 * KEYS: meta, collections a, collections b. ARGV: version. Takes the free slot for a new build, which fences off the one before.
 * Answers slot, generation, and the collections left over in the slot: the caller clears them, because a script has to name its keys first.
 */
export const PREPARE = script(`
local slot = redis.call('HGET', KEYS[1], 'served') == 'a' and 'b' or 'a'
local generation = redis.call('HINCRBY', KEYS[1], 'generation', 1)
redis.call('HSET', KEYS[1], slot .. '.generation', generation, slot .. '.version', ARGV[1], slot .. '.checkpoint', '0', slot .. '.documents', 0, slot .. '.marks', '')
redis.call('HDEL', KEYS[1], slot .. '.origin')
return { slot, generation, redis.call('SMEMBERS', slot == 'a' and KEYS[2] or KEYS[3]) }
`);

/** KEYS: meta, then what to remove. ARGV: slot, and the generation that must be in it (empty: none). Does nothing when another one is. */
export const CLEAR = script(`
if (redis.call('HGET', KEYS[1], ARGV[1] .. '.generation') or '') ~= ARGV[2] then return 0 end
for first = 2, #KEYS, ${CHUNK} do redis.call('UNLINK', unpack(KEYS, first, math.min(first + ${CHUNK} - 1, #KEYS))) end
return 1
`);

/**
 * KEYS: meta, collections of the other slot. ARGV: slot, generation, other slot, channel, the generation whose checkpoint does not count (empty:
 * none). Answers three things: the checkpoint of the namespace and that of the served one, when it is behind that one; the collections left
 * over in the other slot, for the caller to clear.
 * Positions have no leading zeros, so the longer one is the greater one.
 */
export const SERVE = script(`
local slot, other = ARGV[1], ARGV[3]
local state = redis.call('HMGET', KEYS[1], slot .. '.generation', slot .. '.checkpoint', 'served', other .. '.checkpoint', other .. '.generation',
  slot .. '.marks')
if state[1] ~= ARGV[2] then return redis.error_reply('GONE namespace') end
if state[3] == slot then return { false, false, state[5] and {} or redis.call('SMEMBERS', KEYS[2]) } end
if state[3] == other and state[4] and state[5] ~= ARGV[5] then
  local mine, theirs = state[2], state[4]
  if #mine < #theirs or (#mine == #theirs and mine < theirs) then return { mine, theirs, {} } end
end
redis.call('HSET', KEYS[1], 'served', slot)
redis.call('HDEL', KEYS[1], other .. '.generation', other .. '.version', other .. '.checkpoint', other .. '.documents', other .. '.origin', other .. '.marks')
redis.call('PUBLISH', ARGV[4], state[2] .. ' ' .. (state[6] or ''))
return { false, false, redis.call('SMEMBERS', KEYS[2]) }
`);

/**
 * KEYS: meta, collections of the slot, then documents and index of each collection in turn. ARGV: slot, generation, from, to, channel, origin (empty: it
 * stays), `1` when the marks count (else empty), marks from, marks to, then the operations, each with the number of its documents key in KEYS:
 * `put` number collection count (key value)*; `delete` number count key*; `prefix` number lower-end upper-end.
 * An empty `from` leaves the checkpoint where it is. Answers the checkpoint found when it is not `from`, the marks found in a table when they are
 * not those; else a table of checkpoint and marks from now on when the slot is served, and nothing when it is not.
 * The checkpoint is written first: Redis refuses a write for want of memory at the first one of a script or not at all.
 */
export const COMMIT = script(`
local meta, slot = KEYS[1], ARGV[1]
local state = redis.call('HMGET', meta, slot .. '.generation', slot .. '.checkpoint', 'served', slot .. '.marks')
if state[1] ~= ARGV[2] then return redis.error_reply('GONE namespace') end
local checkpoint, marks = state[2], state[4] or ''
if ARGV[3] ~= '' then
  if checkpoint ~= ARGV[3] then return checkpoint end
  checkpoint = ARGV[4]
end
if ARGV[7] ~= '' and marks ~= ARGV[8] then return { marks } end
redis.call('HSET', meta, slot .. '.checkpoint', checkpoint)
if ARGV[6] ~= '' then redis.call('HSET', meta, slot .. '.origin', ARGV[6]) end
if ARGV[7] ~= '' and marks ~= ARGV[9] then
  marks = ARGV[9]
  redis.call('HSET', meta, slot .. '.marks', marks)
end
local documents = 0
local i = 10
while i <= #ARGV do
  local kind, number = ARGV[i], tonumber(ARGV[i + 1])
  local hash, index = KEYS[number], KEYS[number + 1]
  if kind == 'put' then
    local first, count = i + 4, tonumber(ARGV[i + 3])
    local members = {}
    for n = 1, count do
      members[2 * n - 1] = 0
      members[2 * n] = ARGV[first + 2 * n - 2]
    end
    documents = documents + redis.call('HSET', hash, unpack(ARGV, first, first + 2 * count - 1))
    redis.call('ZADD', index, unpack(members))
    redis.call('SADD', KEYS[2], ARGV[i + 2])
    i = first + 2 * count
  elseif kind == 'delete' then
    local first, count = i + 3, tonumber(ARGV[i + 2])
    documents = documents - redis.call('HDEL', hash, unpack(ARGV, first, first + count - 1))
    redis.call('ZREM', index, unpack(ARGV, first, first + count - 1))
    i = first + count
  else
    local lower, upper = ARGV[i + 2], ARGV[i + 3]
    repeat
      local keys = redis.call('ZRANGE', index, lower, upper, 'BYLEX', 'LIMIT', 0, ${CHUNK})
      if #keys > 0 then
        documents = documents - redis.call('HDEL', hash, unpack(keys))
        redis.call('ZREM', index, unpack(keys))
      end
    until #keys < ${CHUNK}
    i = i + 4
  end
end
if documents ~= 0 then redis.call('HINCRBY', meta, slot .. '.documents', documents) end
if state[3] ~= slot then return false end
redis.call('PUBLISH', ARGV[5], checkpoint .. ' ' .. marks)
return { checkpoint, marks }
`);

export const SCRIPTS: readonly Script[] = [GET, GET_MANY, RANGES, COUNT, PREPARE, CLEAR, SERVE, COMMIT];
