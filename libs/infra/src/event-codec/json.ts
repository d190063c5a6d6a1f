import type { Json, JsonObject } from '#domain/shared/events.js';

/**
 * A deep copy as it will come back from the log: members that are `undefined` are left out, `-0` becomes `0`.
 * @throws TypeError for what JSON cannot hold (dates, maps, bigints, functions, `NaN`); the text names the place
 */
export const jsonObject = (value: object): JsonObject => copyObject(value, '');

const copy = (value: unknown, place: string): Json => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map((item, index) => copy(item, `${place}[${index}]`));
  if (typeof value === 'object') return copyObject(value, place);
  throw notJson(place);
};

const copyObject = (value: object, place: string): JsonObject => {
  // The tag, because objects of another realm (workers, jest) have another prototype.
  if (Object.prototype.toString.call(value) !== '[object Object]') throw notJson(place);
  const result: Record<string, Json> = {};
  for (const [member, item] of Object.entries(value)) {
    if (item !== undefined) setMember(result, member, copy(item, place ? `${place}.${member}` : member));
  }
  return result;
};

/** Also right for a member named `__proto__`, which an assignment would lose. */
export const setMember = (object: Record<string, Json>, member: string, value: Json): void => {
  if (member === '__proto__') Object.defineProperty(object, member, { value, enumerable: true, writable: true, configurable: true });
  else object[member] = value;
};

const notJson = (place: string): TypeError => new TypeError(`event data is not JSON at ${place || 'its top'}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the characters that JSON escapes
const ESCAPED = /["\\\u0000-\u001f]/;

/** Length of the compact JSON text in UTF-8 bytes, without making that text. */
export const jsonBytes = (value: Json): number => {
  if (typeof value === 'string') return ESCAPED.test(value) ? Buffer.byteLength(JSON.stringify(value)) : Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  // Brackets, and a comma after each item but the last.
  if (isArray(value)) return value.reduce<number>((sum, item) => sum + jsonBytes(item) + 1, value.length === 0 ? 2 : 1);
  const members = Object.entries(value);
  return members.reduce((sum, [member, item]) => sum + jsonBytes(member) + jsonBytes(item) + 2, members.length === 0 ? 2 : 1);
};

/** `Array.isArray` does not narrow a readonly array. */
const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
