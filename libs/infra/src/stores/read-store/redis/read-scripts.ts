import { LISTED, PIECES, script } from './script.js';

/** Maximum documents, and bytes of their values, that a script reads before other calls can run. The last one may exceed the bytes. */
export const MAX_DOCUMENTS = 2_000;
const MAX_BYTES = 4 * 2 ** 20;
/** Number of documents in the first step: few, because their size is not known. */
const FIRST_STEP = 20;
const LONGEST_STEP = 320;
/** Time in milliseconds that a reader may delay commits, and after which they may be delayed again. */
export const HOLD_MS = 1_000;
const REST_MS = 1_500;

/**
 * KEYS[1] is `meta`. ARGV[1] is empty for the served build, `><position>` for the served build if its checkpoint is at least that, or
 * `<slot>:<generation>` for one namespace. ARGV[2] is the unfinished work known to the caller; if it differs, the answer is an error.
 * ARGV[3]: the version to read (any other is an error), `*` to get the version, or empty. Leaves the slot in `slot`. Positions have no
 * leading zeros, so the longer one is greater. The keys of both slots follow in KEYS, because only the script knows which of them it reads.
 *
 * Redis may have dropped keys, or somebody deleted some. So that a document counts as absent only if it is: `complete` compares the numbers of keys in
 * all indexes with the number of documents, and `unfielded` says of a key without a field whether it is listed (an empty text), absent (false), or
 * lost (nil): the index still has it, or is not complete. The keys that they read beyond KEYS have the same hash tag.
 */
const resolveSlot = (nothing: string): string => `
local slot, unfinished = ARGV[1], false
local isServed = slot == '' or string.byte(slot) == 62
if isServed then
  local state = redis.call('HMGET', KEYS[1], 'served', 'a.checkpoint', 'b.checkpoint', 'a.unfinished', 'b.unfinished')
  slot = state[1]
  local at = slot == 'b' and 1 or 0
  if ARGV[1] ~= '' then
    local floor, checkpoint = string.sub(ARGV[1], 2), slot and state[2 + at]
    if not checkpoint or #checkpoint < #floor or (#checkpoint == #floor and checkpoint < floor) then
      return redis.error_reply('BEHIND what is served')
    end
  end
  if not slot then
    if #ARGV[3] > 1 then return redis.error_reply('CHANGED') end
    return ${nothing}
  end
  unfinished = state[4 + at]
else
  local generation = string.sub(slot, 3)
  slot = string.sub(slot, 1, 1)
  local state = redis.call('HMGET', KEYS[1], slot .. '.generation', slot .. '.unfinished')
  if state[1] ~= generation then return redis.error_reply('GONE namespace') end
  unfinished = state[2]
end
if (unfinished or '') ~= ARGV[2] then return redis.error_reply('UNFINISHED ' .. slot) end
local function version()
  local state = redis.call('HMGET', KEYS[1], slot .. '.generation', slot .. '.commits')
  return slot .. ':' .. state[1] .. ':' .. (state[2] or '0')
end
if #ARGV[3] > 1 and version() ~= ARGV[3] then return redis.error_reply('CHANGED ' .. slot) end
local base = string.sub(KEYS[1], 1, -5) .. slot
local isWhole
local function complete()
  if isWhole ~= nil then return isWhole end
  local total = 0
  for _, name in ipairs(redis.call('SMEMBERS', base)) do total = total + redis.call('ZCARD', base .. ':index:' .. name) end
  isWhole = total == tonumber(redis.call('HGET', KEYS[1], slot .. '.documents') or '0')
  return isWhole
end
local function unfielded(documents, key)
  local index = base .. ':index:' .. string.sub(documents, #base + 12)
  if redis.call('ZSCORE', index, key) then return redis.call('HEXISTS', documents, '${LISTED}') == 1 and '' or nil end
  if complete() then return false end
end
`;

/** `texts` returns the texts of some keys of a list, with the pieces added to them. */
const TEXTS = `
local function texts(documents, keys, first, last)
  local found = redis.call('HMGET', documents, unpack(keys, first, last))
  if redis.call('HEXISTS', documents, '${PIECES}${PIECES}') == 0 then return found end
  local counters = {}
  for n = first, last do counters[#counters + 1] = keys[n] .. '${PIECES}' end
  for n, count in ipairs(redis.call('HMGET', documents, unpack(counters))) do
    if count then
      local parts = { found[n] }
      local isWhole = parts[1]
      for piece = 1, tonumber(count) do
        parts[piece + 1] = redis.call('HGET', documents, counters[n] .. piece)
        isWhole = isWhole and parts[piece + 1]
      end
      found[n] = isWhole and table.concat(parts)
    end
  end
  return found
end
`;

/** KEYS: meta, documents a, documents b. ARGV: namespace, unfinished, version, key. */
export const GET = script(`${TEXTS}${resolveSlot('false')}
local documents = slot == 'a' and KEYS[2] or KEYS[3]
local found = texts(documents, ARGV, 4, 4)[1] or unfielded(documents, ARGV[4])
if found == nil then return redis.error_reply('LOST documents') end
return found
`);

/**
 * KEYS: meta, documents a, documents b. ARGV: namespace, unfinished, version, keys. Answers the version, if it was requested or there is
 * more to read, then the first values; nothing if no build is served.
 */
export const GET_MANY = script(`${TEXTS}${resolveSlot('{}')}
local documents = slot == 'a' and KEYS[2] or KEYS[3]
local found, first, step, bytes = { '' }, 4, ${FIRST_STEP}, 0
while first <= #ARGV and bytes < ${MAX_BYTES} do
  local last = math.min(first + step - 1, #ARGV)
  local values = texts(documents, ARGV, first, last)
  for i = 1, #values do
    local value = values[i] or unfielded(documents, ARGV[first + i - 1])
    if value == nil then return redis.error_reply('LOST documents') end
    found[#found + 1] = value
    bytes = bytes + #(value or '')
  end
  first = last + 1
  step = math.min(4 * step, ${LONGEST_STEP})
end
if first <= #ARGV or ARGV[3] ~= '' then found[1] = version() end
return found
`);

/** Like GET_MANY, with the lengths of the values in bytes; -1 if there is no document. Reads all keys. */
export const LENGTHS = script(`${resolveSlot('{}')}
local documents = slot == 'a' and KEYS[2] or KEYS[3]
local found = { ARGV[3] ~= '' and version() or '' }
for n = 4, #ARGV do
  local length = redis.call('HSTRLEN', documents, ARGV[n])
  local counter = ARGV[n] .. '${PIECES}'
  for piece = 1, tonumber(redis.call('HGET', documents, counter) or '0') do
    length = length + redis.call('HSTRLEN', documents, counter .. piece)
  end
  if length == 0 and redis.call('HEXISTS', documents, ARGV[n]) == 0 then
    local value = unfielded(documents, ARGV[n])
    if value == nil then return redis.error_reply('LOST documents') end
    length = value and 0 or -1
  end
  found[#found + 1] = length
end
return found
`);

/**
 * KEYS: meta, documents a, index a, documents b, index b. ARGV: namespace, unfinished, version, then for each range its two ends in the
 * order of the range, `REV` or an empty string, offset, limit (-1: none), bytes of values after which it ends (-1: never), and for a far
 * offset the end below the range (else empty). Answers the version, if it was requested or there is more to read, the number of ranges that
 * were read completely, and for these and perhaps the next one the keys and values in turn, with null for a value that is lost; nothing if no build is
 * served.
 */
export const RANGES = script(`${TEXTS}${resolveSlot('{}')}
local documents, index = KEYS[2], KEYS[3]
if slot == 'b' then documents, index = KEYS[4], KEYS[5] end
if isServed and not complete() then return redis.error_reply('LOST documents') end
local isList = redis.call('HEXISTS', documents, '${LISTED}') == 1
local function keysOf(i, offset, limit)
  if ARGV[i + 2] ~= 'REV' then
    if ARGV[i + 6] == '' then return redis.call('ZRANGE', index, ARGV[i], ARGV[i + 1], 'BYLEX', 'LIMIT', offset, limit) end
    local first = redis.call('ZLEXCOUNT', index, '-', ARGV[i + 6])
    local size = redis.call('ZLEXCOUNT', index, ARGV[i], ARGV[i + 1])
    if offset >= size or limit == 0 then return {} end
    return redis.call('ZRANGE', index, first + offset, first + math.min(offset + limit, size) - 1)
  end
  if ARGV[i + 6] == '' then return redis.call('ZRANGE', index, ARGV[i], ARGV[i + 1], 'BYLEX', 'REV', 'LIMIT', offset, limit) end
  local size = redis.call('ZLEXCOUNT', index, ARGV[i + 1], ARGV[i])
  if offset >= size or limit == 0 then return {} end
  local above = redis.call('ZCARD', index) - redis.call('ZLEXCOUNT', index, '-', ARGV[i + 6]) - size
  return redis.call('ZRANGE', index, above + offset, above + math.min(offset + limit, size) - 1, 'REV')
end
local answer, complete, left, bytes = { '', 0 }, 0, ${MAX_DOCUMENTS}, 0
for i = 4, #ARGV, 7 do
  if left == 0 or bytes >= ${MAX_BYTES} then break end
  local limit, most = tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5])
  local wanted = (limit < 0 or limit > left) and left or limit
  local keys = keysOf(i, tonumber(ARGV[i + 3]), wanted)
  local found, first, step, size, full = {}, 1, ${FIRST_STEP}, 0, false
  while first <= #keys and bytes < ${MAX_BYTES} and not full do
    local last = math.min(first + step - 1, #keys)
    local values = texts(documents, keys, first, last)
    for k = first, last do
      local value = values[k - first + 1] or (isList and '')
      found[2 * k - 1] = keys[k]
      found[2 * k] = value
      size = size + #(value or '')
      bytes = bytes + #(value or '')
      full = most >= 0 and size >= most
      if full then break end
    end
    first = last + 1
    step = math.min(4 * step, ${LONGEST_STEP})
  end
  left = left - #keys
  answer[#answer + 1] = found
  if not full and (first <= #keys or (#keys == wanted and wanted ~= limit)) then break end
  complete = complete + 1
end
answer[2] = complete
if complete < (#ARGV - 3) / 7 or ARGV[3] ~= '' then answer[1] = version() end
return answer
`);

/** KEYS: meta, index a, index b. ARGV: namespace, unfinished, version, lower end, upper end. */
export const COUNT = script(`${resolveSlot('0')}
if isServed and not complete() then return redis.error_reply('LOST documents') end
return redis.call('ZLEXCOUNT', slot == 'a' and KEYS[2] or KEYS[3], ARGV[4], ARGV[5])
`);

/**
 * KEYS: meta. ARGV: slot. Delays commits to the slot for a moment, unless they were delayed a moment ago. Answers 1 if it does. Without it,
 * a large read during many writes would never see one state, short of a script that blocks everybody. An end further in the future than a
 * hold lasts was written before the clock was set back, and counts as over.
 */
export const HOLD = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HGET', KEYS[1], ARGV[1] .. '.held')
if held and now >= tonumber(held) - ${HOLD_MS} and now < tonumber(held) + ${REST_MS} then return 0 end
redis.call('HSET', KEYS[1], ARGV[1] .. '.held', string.format('%d', now + ${HOLD_MS}))
return 1
`);
