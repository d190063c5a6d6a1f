import type { Json, JsonObject } from '#domain/shared/events.js';
import { seal, unseal } from '../secrets/seal.js';
import { setMember } from './json.js';

/**
 * A sealed member as stored: `{ "$sealed": "<base64url>", "subject": "user-…" }`. The seal binds event type and member name.
 * A plain member that itself has a `$sealed` (data of clients may look like anything) is stored as `{ "$sealed": null, "plain": … }`,
 * so nobody can pass text off as sealed.
 */
const MARK = '$sealed';

/** The keys needed to open sealed members, by subject; `null` where the key is destroyed. */
export type OpenKeys = ReadonlyMap<string, Buffer | null>;

const marked = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && Object.hasOwn(value, MARK);

const contextOf = (type: string, member: string): string => `${type}\n${member}`;

/** Seals the members named, each of any JSON shape, and leaves the others as they are. */
export const sealMembers = (type: string, data: JsonObject, members: readonly string[], key: Buffer, subject: string): JsonObject => {
  const result: Record<string, Json> = {};
  for (const [member, value] of Object.entries(data)) {
    const sealed = members.includes(member) ? { [MARK]: seal(key, JSON.stringify(value), contextOf(type, member)), subject } : value;
    setMember(result, member, sealed);
  }
  return result;
};

/** Marks plain members that look sealed. The same object when there are none. */
export const escapeMembers = (data: JsonObject, sensitive: readonly string[]): JsonObject => {
  const looksSealed = (member: string): boolean => !sensitive.includes(member) && marked(data[member]);
  if (!Object.keys(data).some(looksSealed)) return data;
  return mapMembers(data, (member, value) => (looksSealed(member) ? { [MARK]: null, plain: value } : value));
};

/** The subjects whose keys are needed; undefined when nothing is marked. */
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

/** @throws SealBroken */
export const openMembers = (type: string, data: JsonObject, keys: OpenKeys): JsonObject =>
  mapMembers(data, (member, value) => {
    if (!marked(value)) return value;
    const { [MARK]: sealed, subject, plain } = value;
    if (typeof sealed !== 'string') return plain ?? null;
    const key = keys.get(String(subject));
    return key ? JSON.parse(unseal(key, sealed, contextOf(type, member)).toString()) : null;
  });

const mapMembers = (data: JsonObject, map: (member: string, value: Json) => Json): JsonObject => {
  const result: Record<string, Json> = {};
  for (const [member, value] of Object.entries(data)) setMember(result, member, map(member, value));
  return result;
};
