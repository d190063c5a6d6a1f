import type { Json, JsonObject } from '#domain/shared/events.js';
import { isPlainText } from '#domain/shared/plain-text.js';

/**
 * Length of the compact JSON text of an object in UTF-8 bytes, computed without creating that text. Texts of more than 1,048,576 characters count as
 * if nothing in them had to be escaped. Members that are `undefined` do not count.
 * @throws TypeError for values that are not JSON (dates, maps, bigints, functions, `NaN`); the message names the path
 */
export const jsonBytes = (value: object): number => {
  const bytes = bytesOfObject(value);
  if (Number.isNaN(bytes)) throw new TypeError(`event data is not JSON at ${flawIn(value) || 'its top'}`);
  return bytes;
};

/** A deep copy of data that {@link jsonBytes} accepts, equal to what the log will return: without `undefined` members, and with `0` for `-0`. */
export const jsonCopy = (value: object): JsonObject => {
  const result: Record<string, Json> = {};
  for (const member of Object.keys(value)) {
    const item: unknown = value[member as keyof typeof value];
    if (item !== undefined) setMember(result, member, copy(item));
  }
  return result;
};

const copy = (value: unknown): Json => {
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : (value as Json);
  return Array.isArray(value) ? value.map(copy) : jsonCopy(value);
};

/** Sets a member, also one named `__proto__`, which an assignment would lose. */
export const setMember = (object: Record<string, Json>, member: string, value: Json): void => {
  if (member === '__proto__') Object.defineProperty(object, member, { value, enumerable: true, writable: true, configurable: true });
  else object[member] = value;
};

/** `NaN` if the value is not JSON; only then its path is searched for. */
const bytesOf = (value: unknown): number => {
  switch (typeof value) {
    case 'string':
      return bytesOfText(value);
    case 'number':
      return Number.isFinite(value) ? String(value).length : Number.NaN;
    case 'boolean':
      return value ? 4 : 5;
    case 'object':
      if (value === null) return 4;
      return Array.isArray(value) ? bytesOfArray(value) : bytesOfObject(value);
    default:
      return Number.NaN;
  }
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the characters that JSON escapes
const ESCAPED = /["\\\u0000-\u001f]/;

/** Characters. The size of longer texts is estimated, because searching them for characters to escape would take milliseconds. */
const LONG = 1024 * 1024;

const bytesOfText = (text: string): number => {
  const isLong = text.length > LONG;
  if (!isLong && isPlainText(text)) return text.length + 2;
  return !isLong && ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
};

/** Brackets, and a comma after each item but the last. */
const bytesOfArray = (items: readonly unknown[]): number => {
  let bytes = items.length === 0 ? 2 : items.length + 1;
  for (const item of items) bytes += bytesOf(item);
  return bytes;
};

const bytesOfObject = (value: object): number => {
  // Compares the tag, because objects of another realm (workers, jest) have another prototype.
  if (Object.prototype.toString.call(value) !== '[object Object]') return Number.NaN;
  let bytes = 1;
  for (const member of Object.keys(value)) {
    const item: unknown = value[member as keyof typeof value];
    if (item !== undefined) bytes += bytesOfText(member) + bytesOf(item) + 2;
  }
  return Math.max(bytes, 2);
};

/** Path of the first value that is not JSON, empty for the outermost one; `undefined` if all of it is JSON. */
const flawIn = (value: unknown): string | undefined => {
  if (!Number.isNaN(bytesOf(value))) return undefined;
  if (typeof value !== 'object' || value === null) return '';
  for (const [member, item] of Object.entries(value)) {
    const flaw = item === undefined && !Array.isArray(value) ? undefined : flawIn(item);
    if (flaw === undefined) continue;
    const place = Array.isArray(value) ? `[${member}]` : member;
    return place + (flaw === '' || flaw.startsWith('[') ? flaw : `.${flaw}`);
  }
  return '';
};
