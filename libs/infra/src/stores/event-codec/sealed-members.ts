import type { Json, JsonObject } from '#domain/shared/events.js';
import { setMember } from '#domain/shared/json/set-member.js';
import type { OpenKeys } from '#infra/stores/secrets/open-keys.js';
import { seal, unseal } from '#infra/stores/secrets/seal.js';
import { isNested, mapAt, memberPath } from './member-paths.js';

/**
 * Mark of a sealed member, which is stored as `{ "$sealed": "<base64url>", "subject": "user-…" }`. The seal is bound to the event type and
 * the member's name. A plain member that itself has a `$sealed` (client data can have any form) is stored as `{ "$sealed": null, "plain": …
 * }`, so that no client can pass off a text as sealed.
 *
 * Nested values of one path are sealed together, as a list in document order, in a top-level member named after the path; the mark replaces
 * each of them.
 */
const MARK = '$sealed';

const marked = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && Object.hasOwn(value, MARK);

const contextOf = (type: string, member: string): string => `${type}\n${member}`;

/** Seals the values at the paths and leaves the rest unchanged. The values may be any JSON except `null`. */
export const sealMembers = (type: string, data: JsonObject, paths: readonly string[], key: Buffer, subject: string): JsonObject => {
  const sealed = (path: string, value: Json): JsonObject => ({ [MARK]: seal(key, JSON.stringify(value), contextOf(type, path)), subject });
  const nested = paths.filter(isNested);
  const gathered = nested.map((): Json[] => []);
  const emptied = nested.reduce<Json>((rest, path, index) => mapAt(rest, memberPath(path), (found) => moved(found, gathered[index])), data);
  const result: Record<string, Json> = {};
  for (const [member, value] of Object.entries(emptied as JsonObject))
    setMember(result, member, paths.includes(member) ? sealed(member, value) : value);
  for (const [index, path] of nested.entries()) result[path] = sealed(path, gathered[index] ?? []);
  return result;
};

/** Collects a value and returns its replacement. */
const moved = (value: Json, into: Json[] | undefined): string => {
  into?.push(value);
  return MARK;
};

/** Escapes plain members that look sealed. Returns the same object if there are none. */
export const escapeMembers = (data: JsonObject, sensitive: readonly string[]): JsonObject => {
  const looksSealed = (member: string): boolean => !sensitive.includes(member) && marked(data[member]);
  if (!Object.keys(data).some(looksSealed)) return data;
  return mapMembers(data, (member, value) => (looksSealed(member) ? { [MARK]: null, plain: value } : value));
};

/** The subjects whose keys are needed; `undefined` if nothing is marked. */
export const subjectsOf = (data: JsonObject): readonly string[] | undefined => {
  let subjects: string[] | undefined;
  for (const member in data) {
    const value = data[member];
    if (!marked(value)) continue;
    subjects ??= [];
    if (typeof value.subject === 'string') subjects.push(value.subject);
  }
  return subjects;
};

/** Placeholder of a sealed member whose key is destroyed. `empty`: the sealed value was an empty text, list or object. */
export type Erased = (member: string, empty: boolean) => Json;
const NULL: Erased = () => null;

/** Length of the seal of two bytes, such as `""` and `[]`: IV, text and tag in base64url. */
const EMPTY_SEAL = 40;

/** @throws SealBroken */
export const openMembers = (type: string, data: JsonObject, keys: OpenKeys, erased = NULL): JsonObject => {
  const opened = mapMembers(data, (member, value) => {
    if (!marked(value)) return value;
    const { [MARK]: sealed, subject, plain } = value;
    if (typeof sealed !== 'string') return plain ?? null;
    const key = keys.get(String(subject));
    return key ? JSON.parse(unseal(key, sealed, contextOf(type, member)).toString()) : erased(member, sealed.length === EMPTY_SEAL);
  });
  return Object.keys(data).reduce((rest, member) => (isNested(member) && marked(data[member]) ? putBack(rest, member) : rest), opened);
};

/** Puts the values of a path back into their places. If the key is destroyed, puts the placeholder into each of them. */
const putBack = (data: JsonObject, path: string): JsonObject => {
  const { [path]: found, ...rest } = data;
  const values = Array.isArray(found) ? found.values() : undefined;
  return mapAt(rest, memberPath(path), () => (values ? (values.next().value ?? null) : (found ?? null))) as JsonObject;
};

const mapMembers = (data: JsonObject, map: (member: string, value: Json) => Json): JsonObject => {
  const result: Record<string, Json> = {};
  for (const [member, value] of Object.entries(data)) setMember(result, member, map(member, value));
  return result;
};
