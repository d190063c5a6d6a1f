import type { Json, JsonObject } from '#domain/shared/events.js';

const MIB = 1024 * 1024;

/** Limits of a project, which bound its lists, metrics and documents (docs/limits.md). Resources beyond them in an old log are kept. */
export const RESOURCE_LIMITS = {
  topicsPerProject: { value: 10_000, unit: 'topics' },
  subscriptionsPerProject: { value: 10_000, unit: 'subscriptions' },
  schemasPerProject: { value: 1_000, unit: 'schemas' },
  /** The displayed document of one schema. */
  schemaText: { value: 4 * MIB, unit: 'characters' },
  /** The displayed documents of all schemas of a project. */
  schemaTextPerProject: { value: 16 * MIB, unit: 'characters' },
  usersPerAcl: { value: 5_000, unit: 'users' },
  /** In the ACLs of all topics and subscriptions of a project. A user counts once for each. */
  aclUsersPerProject: { value: 200_000, unit: 'users' },
} as const;

const MARKUP = /[<>&\u2028\u2029]/g;

/** Length of a JSON string in a response, where each possible markup character is escaped with six characters. */
const shownLength = (text: string): number => JSON.stringify(text).length + 5 * (text.match(MARKUP)?.length ?? 0);

/** Characters of a document in a response, where each member is on its own line and indented by one blank per level. */
export const shownSize = (document: JsonObject): number => sizeAt(document, 1);

const sizeAt = (json: Json, level: number): number => {
  if (typeof json === 'string') return shownLength(json);
  if (typeof json !== 'object' || json === null) return String(json).length;
  let size = 2;
  let members = 0;
  const line = level + 3; // line end, indentation and comma
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
