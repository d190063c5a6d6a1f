import type { Json, JsonObject } from '#domain/shared/events.js';
import { setMember } from '#domain/shared/json/set-member.js';

/**
 * Data as the log returns them, without `undefined` members and with `0` for `-0`: the same object if already in this form, else a deep
 * copy.
 * @throws TypeError for values that are not JSON (dates, maps, bigints, functions, `NaN`); the message names the path
 */
export const loggedJson = (value: object): JsonObject => {
  if (!Array.isArray(value) && isLogged(value)) return value as JsonObject;
  try {
    return copyOfObject(value);
  } catch (error) {
    if (error !== NOT_JSON) throw error;
    throw new TypeError(`event data is not JSON at ${flawIn(value) || 'its top'}`);
  }
};

const isLogged = (value: unknown): boolean => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return areLogged(value);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const member in value) if (!isLogged(value[member as keyof typeof value])) return false;
  return true;
};

/** Unlike `every`, it visits missing items: they are not JSON. */
const areLogged = (items: readonly unknown[]): boolean => {
  for (const item of items) if (!isLogged(item)) return false;
  return true;
};

/** Thrown for a value that is not JSON. Only then is its path searched for. */
const NOT_JSON = new TypeError('not JSON');

const copyOfObject = (value: object): JsonObject => {
  // Compares the tag as well, because objects of another realm (workers, jest) have another prototype.
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.prototype.toString.call(value) !== '[object Object]') throw NOT_JSON;
  const result: Record<string, Json> = {};
  for (const member of Object.keys(value)) {
    const item: unknown = value[member as keyof typeof value];
    if (item !== undefined) setMember(result, member, copyOf(item));
  }
  return result;
};

const copyOf = (value: unknown): Json => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (typeof value !== 'object') throw NOT_JSON;
  return Array.isArray(value) ? copyOfArray(value) : copyOfObject(value);
};

const copyOfArray = (items: readonly unknown[]): Json[] => {
  const result: Json[] = [];
  for (const item of items) result.push(copyOf(item));
  return result;
};

const isJson = (value: unknown): boolean => {
  try {
    copyOf(value);
    return true;
  } catch {
    return false;
  }
};

/** Path of the first value that is not JSON, empty for the outermost one; `undefined` if the whole value is JSON. */
const flawIn = (value: unknown): string | undefined => {
  if (isJson(value)) return undefined;
  if (typeof value !== 'object' || value === null) return '';
  for (const [member, item] of Object.entries(value)) {
    const flaw = item === undefined && !Array.isArray(value) ? undefined : flawIn(item);
    if (flaw === undefined) continue;
    const place = Array.isArray(value) ? `[${member}]` : member;
    return place + (flaw === '' || flaw.startsWith('[') ? flaw : `.${flaw}`);
  }
  return '';
};
