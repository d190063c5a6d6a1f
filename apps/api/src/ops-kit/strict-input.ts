import { isUtf8 } from 'node:buffer';
import { Body, type PipeTransform, Query } from '@nestjs/common';
import { JsonReader } from '#api/shared/json/json-reader.js';
import { type MemberProblem, Problem } from './problem.js';
import { isInstant, membersIn, millisecondsOf, NO_LIST } from './strict-members.js';

/** A class of members, see `strict-members.ts`. */
type Members<T extends object> = new () => T;

/** Query of a call without parameters, or a body without members. */
export class NoParameters {}

/** Names that all JavaScript objects inherit: no member of a request has one. */
const isInherited = (name: string): boolean => name in Object.prototype;

/** Maximum number of named wrong members. */
const MOST_NAMED = 20;

/** @throws Problem 400 if there are problems; each member is named once */
const refuse = (problems: readonly MemberProblem[]): void => {
  if (problems.length === 0) return;
  const byMember = new Map(problems.map((problem) => [problem.member, problem]).reverse() as [string, MemberProblem][]);
  throw new Problem(400, 'the request is not as this call takes it', [...byMember.values()].reverse().slice(0, MOST_NAMED));
};

const UNKNOWN = 'there is no such member';

/** Longest shown name of a member, and of the path before it: a body may repeat a member at a path of a megabyte. */
const [LONGEST_NAME, LONGEST_PATH] = [200, 1_000];

const shortened = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

const memberBelow = (path: string, name: string): string => {
  if (path.length > LONGEST_PATH) return path;
  return path === '' ? shortened(name) : `${path}.${shortened(name)}`;
};

const elementBelow = (path: string, index: number | string): string => (path.length > LONGEST_PATH ? path : `${path}[${index}]`);

/** Place of a member or an element below a path: `anchors[0].size`. */
const below = (path: string, name: string): string => (/^\d{1,20}$/.test(name) ? elementBelow(path, name) : memberBelow(path, name));

/** Wrong members, including those of objects in lists. Unknown ones come first. */
const wrongMembers = (type: Members<object>, given: object, path = ''): readonly MemberProblem[] => {
  const members = membersIn(type);
  const values: Readonly<Record<string, unknown>> = { ...given };
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(members, name));
  return [
    ...unknown.map((name) => ({ member: below(path, name), detail: UNKNOWN })),
    ...Object.entries(members).flatMap(([name, { flaw, each }]): readonly MemberProblem[] => {
      const member = below(path, name);
      const value = values[name];
      const detail = flaw(value);
      if (detail !== undefined) return [{ member, detail }];
      return each && Array.isArray(value) ? value.flatMap((one, index) => wrongElements(each, one, below(member, String(index)))) : [];
    }),
  ];
};

const wrongElements = (type: Members<object>, element: unknown, member: string): readonly MemberProblem[] =>
  typeof element === 'object' && element !== null ? wrongMembers(type, element, member) : [{ member, detail: NO_LIST }];

/** A period, given by instants, must not end before it begins. */
const reversedPeriod = ({ from, to }: Readonly<Record<string, unknown>>): readonly MemberProblem[] =>
  isInstant(from) && isInstant(to) && millisecondsOf(from) > millisecondsOf(to)
    ? [{ member: 'from', detail: 'must not be after `to`' }]
    : [];

/** Values of query parameters that are absent. */
const usualValues = (type: Members<object>): object =>
  Object.fromEntries(Object.entries(membersIn(type)).flatMap(([member, { usual }]) => (usual === undefined ? [] : [[member, usual]])));

/** Query parameters as declared by the class. @throws Problem 400 that names each wrong parameter */
export const readQuery = <T extends object>(type: Members<T>, query: Readonly<Record<string, unknown>>): T => {
  const members = membersIn(type);
  const problems: MemberProblem[] = [];
  const given: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(query)) {
    const known = Object.hasOwn(members, member) ? members[member] : undefined;
    if (!known) problems.push({ member, detail: 'this call has no such parameter' });
    else if (known.isRepeatable) given[member] = [value].flat();
    else if (Array.isArray(value)) problems.push({ member, detail: 'is given twice' });
    else given[member] = known.parse ? known.parse(String(value)) : String(value);
  }
  refuse([...problems, ...wrongMembers(type, given), ...reversedPeriod(given)]);
  return { ...usualValues(type), ...given } as T;
};

/** Repeated members, and those whose name {@link isInherited}. */
type Names = Readonly<{ repeated: Set<string>; inherited: Set<string> }>;

const note = (members: Set<string>, member: string): void => {
  if (members.size < MOST_NAMED) members.add(member);
};

/** Adds repeated and inherited names in the next value, at all levels. */
const checkNames = (reader: JsonReader, path: string, problems: Names): void => {
  const kind = reader.kind();
  if (kind === 'object') checkMembers(reader, path, problems);
  else if (kind === 'array') {
    reader.open();
    for (let index = 0; !reader.closes(']'); index++) checkNames(reader, elementBelow(path, index), problems);
  } else reader.skipValue();
};

const checkMembers = (reader: JsonReader, path: string, problems: Names): void => {
  const names = new Set<string>();
  for (reader.open(); !reader.closes('}'); ) {
    const name = reader.key();
    const member = memberBelow(path, name);
    if (isInherited(name)) note(problems.inherited, member);
    else if (names.has(name)) note(problems.repeated, member);
    names.add(name);
    checkNames(reader, member, problems);
  }
};

const problemsOf = (members: ReadonlySet<string>, detail: string): readonly MemberProblem[] =>
  [...members].map((member) => ({ member, detail }));

/** The whole body is wrong: it appears in `errors` as the member `body`. */
const notThis = (what: string): Problem => new Problem(400, `the body is not ${what}`, [{ member: 'body', detail: `is not ${what}` }]);

/** @throws Problem 400 */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw notThis('JSON');
  }
};

/** A body as declared by the class; a missing body counts as `{}`. @throws Problem 400 that names each wrong member */
export const readBody = <T extends object>(type: Members<T>, body: unknown): T => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (!isUtf8(bytes)) throw notThis('UTF-8');
  const text = bytes.length === 0 ? '{}' : bytes.toString('utf8');
  const given = parsed(text);
  const reader = new JsonReader(text);
  if (reader.kind() !== 'object') throw notThis('a JSON object');
  const names: Names = { repeated: new Set(), inherited: new Set() };
  checkNames(reader, '', names);
  refuse(problemsOf(names.inherited, UNKNOWN)); // at any depth, before other problems
  refuse([...problemsOf(names.repeated, 'is given twice'), ...wrongMembers(type, given as object)]);
  return given as T;
};

class QueryPipe<T extends object> implements PipeTransform<Readonly<Record<string, unknown>>, T> {
  constructor(private readonly type: Members<T>) {}

  transform(query: Readonly<Record<string, unknown>>): T {
    return readQuery(this.type, query);
  }
}

class BodyPipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly type: Members<T>) {}

  transform(body: unknown): T {
    return readBody(this.type, body);
  }
}

/**
 * Parameter decorator for the query parameters of a handler, as the class declares them. Without a class the call has none, as every route
 * under `/ops` and `/audit` without such a parameter. Unknown, repeated and ill-typed parameters are 400, never ignored (operations
 * contract 0).
 */
export const StrictQuery = <T extends object>(type?: Members<T>): ParameterDecorator => Query(new QueryPipe<object>(type ?? NoParameters));

/** The same for the body of a POST, which is optional if every member is. Without a class it has no members. */
export const StrictBody = <T extends object>(type?: Members<T>): ParameterDecorator => Body(new BodyPipe<object>(type ?? NoParameters));
