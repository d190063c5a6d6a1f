import type { Json, JsonObject } from '#domain/shared/events.js';

const MIB = 1024 * 1024;

/** What a project may hold, so that its lists, metrics and documents are bounded (docs/limits.md). Resources of an old log beyond that stay. */
export const RESOURCE_LIMITS = {
  topicsPerProject: { value: 10_000, unit: 'topics' },
  subscriptionsPerProject: { value: 10_000, unit: 'subscriptions' },
  schemasPerProject: { value: 1_000, unit: 'schemas' },
  /** Of the document of one schema, as it is shown. */
  schemaText: { value: 4 * MIB, unit: 'characters' },
  /** The same of all schemas of a project. */
  schemaTextPerProject: { value: 16 * MIB, unit: 'characters' },
  usersPerAcl: { value: 5_000, unit: 'users' },
  /** In the ACLs of all its topics and subscriptions: a user counts once for each. */
  aclUsersPerProject: { value: 200_000, unit: 'users' },
} as const;

const MARKUP = /[<>&\u2028\u2029]/g;

/** Characters that could be markup are escaped with six characters. */
const shownLength = (text: string): number => JSON.stringify(text).length + 5 * (text.match(MARKUP)?.length ?? 0);

/** Characters of a document in a response, where each member has a line of its own, indented by one blank per level. */
export const shownSize = (document: JsonObject): number => sizeAt(document, 1);

const sizeAt = (json: Json, level: number): number => {
  if (typeof json === 'string') return shownLength(json);
  if (typeof json !== 'object' || json === null) return String(json).length;
  let size = 2;
  let members = 0;
  const line = level + 3; // its end, its blanks, and a comma
  if (Array.isArray(json)) {
    for (const element of json) size += line + sizeAt(element, level + 1);
    members = json.length;
  } else {
    for (const [key, member] of Object.entries(json)) {
      size += line + shownLength(key) + 2 + sizeAt(member, level + 1);
      members++;
    }
  }
  return members === 0 ? size : size + level;
};
