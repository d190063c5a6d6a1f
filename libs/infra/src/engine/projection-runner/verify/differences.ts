import { isErased } from '#projections/shared/erased.js';

/** Difference between a served document and that of a separate build. Contains no values, because documents hold personal data. */
export type Difference = Readonly<{
  collection: string;
  key: string;
  /** `missing`: not served; `extra`: only served. */
  kind: 'missing' | 'extra' | 'different';
  /** JSON Pointers (RFC 6901) of the first 10 differing members; empty if one of the documents is missing. */
  members: readonly string[];
}>;

const MOST_MEMBERS = 10;

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of the members of two objects, or indices of two lists; `undefined` if the values cannot be compared member by member. */
const namesOf = (one: unknown, other: unknown): readonly string[] | undefined => {
  if (Array.isArray(one) && Array.isArray(other))
    return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => `${index}`);
  if (isObject(one) && isObject(other)) return [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return undefined;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** Documents of earlier releases do not record what was erased before they were made: that is no difference. */
const collect = (one: unknown, other: unknown, path: string, members: string[]): void => {
  if (members.length === MOST_MEMBERS || Object.is(one, other) || isErased(one) || isErased(other)) return;
  const names = namesOf(one, other);
  if (!names) members.push(path);
  else for (const name of names) collect(memberOf(one, name), memberOf(other, name), `${path}/${escaped(name)}`, members);
};

/** Parses a document as JSON; some collections store the items of a list without its brackets. */
const parsed = (text: Buffer): unknown => {
  const json = text.toString('utf8');
  try {
    return JSON.parse(json);
  } catch {
    try {
      return JSON.parse(`[${json}]`);
    } catch {
      return text.toString('latin1'); // keeps all bytes
    }
  }
};

/** JSON Pointers of the first 10 differing members; empty if the texts are equivalent. */
export const differingMembers = (one: Buffer, other: Buffer): readonly string[] => {
  const members: string[] = [];
  if (!one.equals(other)) collect(parsed(one), parsed(other), '', members);
  return members;
};
