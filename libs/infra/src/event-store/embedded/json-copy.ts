import type { Json, JsonObject } from '#domain/shared/events.js';

/** Deep enough for any document; a cycle ends here. */
const MAX_DEPTH = 500;

/** The value is not JSON, or would not read back as it is; `where` is the path of the member. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
  constructor(where: string, what: string) {
    super(`${where} ${what}`);
  }
}

/**
 * Copies a JSON object and proves that it is one, in a single pass. `JSON.stringify` alone would silently drop or change `undefined`,
 * `NaN`, dates and maps. The copy belongs to the log: whoever appended may go on changing the original.
 * @throws NotJson
 */
export function copyJsonObject<T extends object>(value: T, where: string): T;
export function copyJsonObject(value: unknown, where: string): JsonObject {
  if (!isPlainObject(value)) throw new NotJson(where, 'is not a JSON object');
  return copyMembers(value, where, 0);
}

const copy = (value: unknown, where: string, depth: number): Json => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(where, `is ${value}`);
      return value + 0; // -0 has no form of its own in JSON
    case 'object':
      if (value === null) return null;
      if (depth > MAX_DEPTH) throw new NotJson(where, 'is nested too deeply');
      if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, `${where}[${index}]`, depth + 1));
      if (isPlainObject(value)) return copyMembers(value, where, depth);
      throw new NotJson(where, 'is an instance of a class');
    default:
      throw new NotJson(where, `is of type ${typeof value}`);
  }
};

const copyMembers = (value: Readonly<Record<string, unknown>>, where: string, depth: number): JsonObject => {
  const members: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const member = copy(value[name], `${where}.${name}`, depth + 1);
    if (name === '__proto__') Object.defineProperty(members, name, { value: member, enumerable: true, configurable: true, writable: true });
    else members[name] = member;
  }
  return members;
};

/** No prototype, or one that has none itself: also true of objects that come from another realm. */
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};
