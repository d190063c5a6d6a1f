import { HOLD_MS } from '#infra/stores/read-store/redis/read-scripts.js';
import { CHUNK, LISTED, PIECES, script } from '#infra/stores/read-store/redis/script.js';

/** Maximum number of documents that a commit removes by prefixes in one step. */
const MAX_REMOVED = 2_000;
/** Approximate number of documents that one step of unfinished work writes or removes. */
export const STEP = 500;
/** A piece is added to the last one up to this size, which bounds what is written again. */
const PIECE_BYTES = 4_096;
/** Seconds for which the parts of an abandoned commit are kept. */
const STAGED_SECONDS = 600;

/**
 * KEYS: meta, collections a, collections b, unfinished a, unfinished b. ARGV: version, generation before the first one. Takes the free slot for a new build,
 * fencing off the previous one. Answers slot, generation, and the collections left in the slot. The caller clears them, because a script must name its
 * keys first. The first generation is random: builds from before everything was lost must not write into those after it.
 */
export const PREPARE = script(`
local slot = redis.call('HGET', KEYS[1], 'served') == 'a' and 'b' or 'a'
redis.call('HSETNX', KEYS[1], 'generation', ARGV[2])
local generation = redis.call('HINCRBY', KEYS[1], 'generation', 1)
redis.call('HSET', KEYS[1], slot .. '.generation', generation, slot .. '.version', ARGV[1], slot .. '.checkpoint', '0', slot .. '.documents', 0, slot .. '.marks', '')
redis.call('HDEL', KEYS[1], slot .. '.origin', slot .. '.unfinished', slot .. '.held')
redis.call('UNLINK', slot == 'a' and KEYS[4] or KEYS[5])
return { slot, generation, redis.call('SUNION', KEYS[2], KEYS[3]) }
`);

/** KEYS: meta, then the keys to remove. ARGV: slot, and the generation that must be in it (empty: none). Does nothing if another one is. */
export const CLEAR = script(`
if (redis.call('HGET', KEYS[1], ARGV[1] .. '.generation') or '') ~= ARGV[2] then return 0 end
for first = 2, #KEYS, ${CHUNK} do redis.call('UNLINK', unpack(KEYS, first, math.min(first + ${CHUNK} - 1, #KEYS))) end
return 1
`);

/**
 * KEYS: meta, collections of the other slot, unfinished of the other slot. ARGV: slot, generation, other slot, channel, the generation
 * whose checkpoint does not count (empty: none). Answers three things: the checkpoint of the namespace and that of the served one, if it is
 * behind that one; the collections left over in the other slot, for the caller to clear. Positions have no leading zeros, so the longer one
 * is greater.
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
redis.call('HDEL', KEYS[1], other .. '.generation', other .. '.version', other .. '.checkpoint', other .. '.documents', other .. '.origin', other .. '.marks',
  other .. '.commits', other .. '.unfinished', other .. '.held')
redis.call('UNLINK', KEYS[3])
redis.call('PUBLISH', ARGV[4], state[2] .. ' ' .. (state[6] or ''))
return { false, false, redis.call('SMEMBERS', KEYS[2]) }
`);

/**
 * Changes of documents, for scripts that have `hash` and `index` of a collection. Each returns the number of documents that it adds. Pieces
 * after a text are fields of their own (see {@link ProjectionKeys}); the last one grows up to its limit, so that they are few. Empty bytes take no
 * field, unless they come into a collection of texts.
 */
const CHANGES = `
local function dropPieces(hash, fields, first, last, step)
  if redis.call('HEXISTS', hash, '${PIECES}${PIECES}') == 0 then return end
  for n = first, last, step do
    local count = redis.call('HGET', hash, fields[n] .. '${PIECES}')
    if count then
      for piece = 1, tonumber(count) do redis.call('HDEL', hash, fields[n] .. '${PIECES}' .. piece) end
      redis.call('HDEL', hash, fields[n] .. '${PIECES}')
    end
  end
end
local function enter(index, keys, first, last, step)
  local members = {}
  for n = first, last, step do
    members[#members + 1] = 0
    members[#members + 1] = keys[n]
  end
  return redis.call('ZADD', index, unpack(members))
end
local function put(hash, index, fields, first, last)
  dropPieces(hash, fields, first, last, 2)
  redis.call('HSET', hash, unpack(fields, first, last))
  return enter(index, fields, first, last, 2)
end
local function dropFields(hash, keys, first, last)
  dropPieces(hash, keys, first, last, 1)
  redis.call('HDEL', hash, unpack(keys, first, last))
end
local function list(hash, index, keys, first, last)
  if redis.call('ZCARD', index) == 0 then redis.call('HSET', hash, '${LISTED}', '') end
  if redis.call('HEXISTS', hash, '${LISTED}') == 1 then
    if redis.call('HLEN', hash) > 1 then dropFields(hash, keys, first, last) end
    return enter(index, keys, first, last, 1)
  end
  local fields = {}
  for n = first, last do
    fields[#fields + 1] = keys[n]
    fields[#fields + 1] = ''
  end
  return put(hash, index, fields, 1, #fields)
end
local function remove(hash, index, keys, first, last)
  dropFields(hash, keys, first, last)
  return -redis.call('ZREM', index, unpack(keys, first, last))
end
local function append(hash, index, fields, first, last)
  local added = 0
  redis.call('HSETNX', hash, '${PIECES}${PIECES}', '')
  for n = first, last, 2 do
    local counter, piece = fields[n] .. '${PIECES}', fields[n + 1]
    local count = tonumber(redis.call('HGET', hash, counter) or '0')
    local newest = count > 0 and redis.call('HGET', hash, counter .. count)
    if newest and #newest + #piece <= ${PIECE_BYTES} then piece = newest .. piece
    else
      if count == 0 and redis.call('HSETNX', hash, fields[n], '') == 1 then
        local isNew = redis.call('ZADD', index, 0, fields[n])
        -- A text that is gone is not made whole by a piece: the number of documents shows that it was lost.
        if isNew == 0 and redis.call('HEXISTS', hash, '${LISTED}') == 0 then isNew = 1 end
        added = added + isNew
      end
      count = count + 1
      redis.call('HSET', hash, counter, count)
    end
    redis.call('HSET', hash, counter .. count, piece)
  end
  return added
end
local adding = { put = put, append = append, list = list }
`;

/**
 * KEYS: meta, collections of the slot, unfinished, staged, then documents and index of each collection in turn. ARGV: slot, generation,
 * from, to, channel, origin (empty: unchanged), `=` and the token (empty: unchanged), the unfinished work known to the caller, the work
 * that is unfinished after this commit because it is staged (empty: none), number of staged parts, then the parts made at once, each with the
 * number of its documents key in KEYS and the number of its own arguments: kind, collection, and for `put` and `append` keys with texts, for
 * `list` and `delete` keys, for `prefix` lower and upper ends. Answers the checkpoint found if it is not `from`; otherwise a table of the new
 * checkpoint and token if the slot is served, and nothing if it is not. Staged parts, or the first of them, may have expired if the clock of Redis was set
 * forward. The checkpoint is written first: when short of memory, Redis refuses the first write of a script or none.
 */
export const COMMIT = script(`${CHANGES}
local meta, slot = KEYS[1], ARGV[1]
local state = redis.call('HMGET', meta, slot .. '.generation', slot .. '.checkpoint', 'served', slot .. '.marks', slot .. '.unfinished', slot .. '.held')
if state[1] ~= ARGV[2] then return redis.error_reply('GONE namespace') end
if state[2] ~= ARGV[3] then return state[2] end
local checkpoint, token = ARGV[4], state[4] or ''
if (state[5] or '') ~= ARGV[8] then return redis.error_reply('UNFINISHED ' .. slot) end
if state[6] then
  local time = redis.call('TIME')
  local left = tonumber(state[6]) - (time[1] * 1000 + math.floor(time[2] / 1000))
  if left > 0 and left <= ${HOLD_MS} then return redis.error_reply('HELD ' .. slot) end
end
local removed, i = 0, 11
while i <= #ARGV do
  local first, last = i + 4, i + 1 + tonumber(ARGV[i + 1])
  if ARGV[i + 2] == 'prefix' then
    local index = KEYS[tonumber(ARGV[i]) + 1]
    for n = first, last, 2 do removed = removed + redis.call('ZLEXCOUNT', index, ARGV[n], ARGV[n + 1]) end
  end
  i = last + 1
end
if removed > ${MAX_REMOVED} then return redis.error_reply('LARGE ' .. slot) end
if ARGV[9] ~= '' and redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[10]) then return redis.error_reply('STAGED parts are gone') end
redis.call('HSET', meta, slot .. '.checkpoint', checkpoint)
redis.call('HINCRBY', meta, slot .. '.commits', 1)
if ARGV[6] ~= '' then redis.call('HSET', meta, slot .. '.origin', ARGV[6]) end
if ARGV[7] ~= '' then
  token = string.sub(ARGV[7], 2)
  redis.call('HSET', meta, slot .. '.marks', token)
end
if ARGV[9] ~= '' then
  redis.call('RENAME', KEYS[4], KEYS[3])
  redis.call('PERSIST', KEYS[3])
  redis.call('HSET', meta, slot .. '.unfinished', ARGV[9])
end
local documents = 0
i = 11
while i <= #ARGV do
  local number, kind = tonumber(ARGV[i]), ARGV[i + 2]
  local hash, index = KEYS[number], KEYS[number + 1]
  local first, last = i + 4, i + 1 + tonumber(ARGV[i + 1])
  if adding[kind] then
    documents = documents + adding[kind](hash, index, ARGV, first, last)
    redis.call('SADD', KEYS[2], ARGV[i + 3])
  elseif kind == 'delete' then documents = documents + remove(hash, index, ARGV, first, last)
  else
    for n = first, last, 2 do
      repeat
        local keys = redis.call('ZRANGE', index, ARGV[n], ARGV[n + 1], 'BYLEX', 'LIMIT', 0, ${CHUNK})
        if #keys > 0 then documents = documents + remove(hash, index, keys, 1, #keys) end
      until #keys < ${CHUNK}
    end
  end
  i = last + 1
end
if documents ~= 0 then redis.call('HINCRBY', meta, slot .. '.documents', documents) end
if state[3] ~= slot then return false end
redis.call('PUBLISH', ARGV[5], checkpoint .. ' ' .. token)
return { checkpoint, token }
`);

/** KEYS: staged. ARGV: a part of a large commit: kind, collection, then the arguments of that kind of operation. It is not visible yet. */
export const STAGE = script(`
redis.call('RPUSH', KEYS[1], cmsgpack.pack(ARGV))
redis.call('EXPIRE', KEYS[1], ${STAGED_SECONDS})
return 1
`);

/**
 * KEYS: meta, unfinished, collections of the slot, then documents and index of each collection in turn. ARGV: slot, generation, names of
 * the collections. Does one step of the work that a commit left unfinished. Answers 0 if nothing is left.
 */
export const FINISH = script(`${CHANGES}
local meta, slot = KEYS[1], ARGV[1]
if redis.call('HGET', meta, slot .. '.generation') ~= ARGV[2] then return 0 end
local place = {}
for n = 3, #ARGV do place[ARGV[n]] = 4 + 2 * (n - 3) end
local documents, left, ended = 0, ${STEP}, 1
while left > 0 do
  local packed = redis.call('LINDEX', KEYS[2], 0)
  if not packed then
    redis.call('HDEL', meta, slot .. '.unfinished')
    ended = 0
    break
  end
  local part = cmsgpack.unpack(packed)
  local hash = KEYS[place[part[2]]]
  local index = KEYS[place[part[2]] + 1]
  if part[1] == 'prefix' then
    local keys = redis.call('ZRANGE', index, part[3], part[4], 'BYLEX', 'LIMIT', 0, left)
    if #keys > 0 then documents = documents + remove(hash, index, keys, 1, #keys) end
    if #keys < left then
      if #part == 4 then redis.call('LPOP', KEYS[2])
      else
        table.remove(part, 3)
        table.remove(part, 3)
        redis.call('LSET', KEYS[2], 0, cmsgpack.pack(part))
      end
    end
    left = left - #keys - 1
  else
    if part[1] == 'delete' then documents = documents + remove(hash, index, part, 3, #part)
    else
      documents = documents + adding[part[1]](hash, index, part, 3, #part)
      redis.call('SADD', KEYS[3], part[2])
    end
    redis.call('LPOP', KEYS[2])
    left = left - #part
  end
end
if documents ~= 0 then redis.call('HINCRBY', meta, slot .. '.documents', documents) end
return ended
`);
