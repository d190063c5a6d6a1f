import * as errors from '#api/accounting/errors.js';
import type { Shape } from '#api/shared/bodies/body-shape.js';
import { type JsonTree, jsonTree, jsonTreeInSlices } from '#api/shared/json/json-tree.js';
import type { TimeSlice } from '#infra/scheduling/time-slice.js';
import { FieldValue, operands, type Stored, type Test, wantedOf } from './search-values.js';

/** The fields that can be searched, and where a record has them. */
export type Fields<T> = ReadonlyMap<string, (record: T) => Stored>;

/** One query. It says which query comes next, or that the search is decided. `slot`: the field's number among those of the search. */
type Step<T> = Readonly<{ field: string; slot: number; read: (record: T) => Stored; test: Test; yes: Place; no: Place }>;

/** Where a step stands among the steps; known once it stands there. */
type Place = { at: number };

/**
 * A search as a list of its queries, each with the one to go on with: filters are in the order of the steps alone, so that they may be nested
 * as deep as anybody likes.
 */
export type Search<T> = Readonly<{ steps: readonly Step<T>[] }>;

/** Queries in one search. */
const MOST_QUERIES = 100_000;

/** Beyond all steps. */
const FOUND: Readonly<Place> = { at: -1 };
const NOT_FOUND: Readonly<Place> = { at: -2 };

type Node = ReadonlyMap<string, JsonTree>;

/** The value of a request as an error names it. */
const shown = (value: JsonTree | undefined): string =>
  typeof value === 'string' ? `'${value.length > 100 ? `${value.slice(0, 100).toWellFormed()}…` : value}'` : 'a value that is no string';

/** The member in lower case if it is one of the words. @throws AccountingError 400 */
const wordIn = (node: Node, member: string, words: Readonly<{ has(word: string): boolean }>, missing?: string): string => {
  const value = node.get(member) ?? missing;
  if (value === undefined) throw errors.badSearch(`'${member}' is missing`);
  const word = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (word === undefined || !words.has(word)) throw errors.badSearch(`unknown ${member} ${shown(value)}`);
  return word;
};

/** @throws AccountingError 400 */
const typedNode = (tree: JsonTree): Readonly<{ node: Node; type: string }> => {
  if (!(tree instanceof Map)) throw errors.badSearch('a query or filter must be an object');
  const type: JsonTree | undefined = tree.get('type');
  if (type === undefined || type === null) throw errors.badSearch("'type' is missing");
  if (typeof type !== 'string') throw errors.badSearch(`unknown type ${shown(type)}`);
  return { node: tree, type };
};

const TYPES = new Set(['query', 'filter']);
const OPERATORS = new Set(['and', 'or']);

/** The criteria of a filter that count, and how they are combined: those of an unknown type are passed over (5.1). @throws AccountingError 400 */
const criteriaOf = (filter: Node): Readonly<{ operator: string; criteria: readonly JsonTree[] }> => {
  const given = filter.get('criteria');
  if (!Array.isArray(given) || given.length === 0) throw errors.badSearch("'criteria' must be an array with at least one query or filter");
  const criteria: readonly JsonTree[] = given.filter((tree: JsonTree) => TYPES.has(typedNode(tree).type));
  const operator = given.length === 1 ? 'and' : wordIn(filter, 'operator', OPERATORS);
  if (criteria.length === 0) throw errors.badSearch("'criteria' has no query and no filter");
  return { operator, criteria };
};

/** @throws AccountingError 400 */
const queryOf = (query: Node): Readonly<{ field: string; test: Test }> => {
  const field = query.get('field');
  if (typeof field !== 'string') throw errors.badSearch("'field' must be a string");
  const operand = operands.get(wordIn(query, 'operand', operands, 'eq'));
  const values = query.get('values');
  const wanted = values === undefined ? undefined : wantedOf(values);
  if (wanted === undefined || !operand) throw errors.badSearch("'values' must be one string, number, boolean or null");
  return { field, test: operand(wanted) };
};

const nothing = (): Stored => null;

/** A part of the search that is still to be read: where it starts, and what comes after it. */
type Part = Readonly<{ tree: JsonTree; start: Place; yes: Place; no: Place }>;

/** The parts of a filter, first to last: each but the last goes on with the next one where the filter is not decided by it. */
const partsOf = (filter: Node, { start, yes, no }: Part): readonly Part[] => {
  const { operator, criteria } = criteriaOf(filter);
  const starts = criteria.map((_, index) => (index === 0 ? start : { at: 0 }));
  return criteria.map((tree, index) => {
    const next = starts[index + 1];
    const undecided = operator === 'and' ? { yes: next ?? yes, no } : { yes, no: next ?? no };
    return { tree, start: starts[index] ?? start, ...undecided };
  });
};

/** A search while it is read, one query or filter at a time. */
class SearchReading<T> {
  private readonly steps: Step<T>[] = [];
  private readonly slots = new Map<string, number>();
  private readonly waiting: Part[];

  constructor(
    body: JsonTree,
    private readonly fields: Fields<T>,
  ) {
    this.waiting = [{ tree: body, start: { at: 0 }, yes: FOUND, no: NOT_FOUND }];
  }

  /** Reads the next query or filter; false when there is none. @throws AccountingError 400, naming what is wrong */
  next(): boolean {
    const part = this.waiting.pop();
    if (!part) return false;
    const { node, type } = typedNode(part.tree);
    if (type === 'filter') for (const inner of partsOf(node, part).toReversed()) this.waiting.push(inner);
    else if (type === 'query') this.add(queryOf(node), part);
    else throw errors.badSearch(`unknown type ${shown(type)}`);
    return true;
  }

  get search(): Search<T> {
    return { steps: this.steps };
  }

  private add({ field, test }: Readonly<{ field: string; test: Test }>, { start, yes, no }: Part): void {
    if (this.steps.length === MOST_QUERIES) throw errors.badSearch(`more than ${MOST_QUERIES} queries`);
    const slot = this.slots.get(field) ?? this.slots.size;
    this.slots.set(field, slot);
    start.at = this.steps.length;
    this.steps.push({ field, slot, read: this.fields.get(field) ?? nothing, test, yes, no });
  }
}

/** What a body asks for. A field that records do not have holds nothing. @throws AccountingError 400, naming what is wrong */
export const searchOf = <T>(body: JsonTree, fields: Fields<T>): Search<T> => {
  const reading = new SearchReading(body, fields);
  while (reading.next());
  return reading.search;
};

/** The same of a body that may hold many queries. @throws AccountingError 400 */
export const searchInSlices = async <T>(body: JsonTree, fields: Fields<T>, slice: TimeSlice): Promise<Search<T>> => {
  const reading = new SearchReading(body, fields);
  while (reading.next()) if (slice.isOver) await slice.next();
  return reading.search;
};

/** Queries of one search that are looked at, over all records. */
const MOST_LOOKS = 200_000_000;

/** How often the queries of a search were looked at. One caller's search must end while others wait for their turns. */
export class SearchEffort {
  private looks = 0;

  /** @throws AccountingError 400 when it is too often */
  add(looks: number): void {
    this.looks += looks;
    if (this.looks > MOST_LOOKS) throw errors.badSearch(`it takes more than ${MOST_LOOKS} looks at its queries`);
  }
}

/** A record while a search looks at it. Each field is read once, however many queries look at it. */
class Matching<T> {
  private readonly values: FieldValue[] = [];
  private place: Readonly<Place> = { at: 0 };

  constructor(
    private readonly search: Search<T>,
    private readonly record: T,
    private readonly effort: SearchEffort,
  ) {}

  /** Looks at so many more queries. Whether the record was searched for; nothing while that is open. @throws as `effort` does */
  go(most: number): boolean | undefined {
    const { steps } = this.search;
    let looks = 0;
    for (let step = steps[this.place.at]; step && looks < most; step = steps[this.place.at]) {
      this.values[step.slot] ??= new FieldValue(step.read(this.record));
      const value = this.values[step.slot];
      looks++;
      this.place = value && step.test(value) ? step.yes : step.no;
    }
    this.effort.add(looks);
    return steps[this.place.at] ? undefined : this.place === FOUND;
  }
}

/** Whether the record is one that was searched for. @throws as `effort` does */
export const matches = <T>(search: Search<T>, record: T, effort: SearchEffort): boolean =>
  new Matching(search, record, effort).go(Number.POSITIVE_INFINITY) ?? false;

/** Queries looked at in one go: those of long texts take 100 microseconds each. */
const LOOKS_AT_ONCE = 100;

/** The same in slices; at once for a search of a few queries. @throws as `effort` does */
export const matchesInSlices = <T>(search: Search<T>, record: T, effort: SearchEffort, slice: TimeSlice): boolean | Promise<boolean> => {
  const matching = new Matching(search, record, effort);
  return matching.go(LOOKS_AT_ONCE) ?? continuedInSlices(matching, slice);
};

const continuedInSlices = async <T>(matching: Matching<T>, slice: TimeSlice): Promise<boolean> => {
  for (;;) {
    if (slice.isOver) await slice.next();
    const found = matching.go(LOOKS_AT_ONCE);
    if (found !== undefined) return found;
  }
};

/** Whether a record can be one that was searched for when all that is known of it are some fields. @throws as `effort` does */
export const canMatch = <T>({ steps }: Search<T>, known: Readonly<Record<string, Stored | undefined>>, effort: SearchEffort): boolean => {
  effort.add(steps.length);
  const seen = new Uint8Array(steps.length);
  const waiting: Readonly<Place>[] = [{ at: 0 }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (place === FOUND) return true;
    const step = steps[place.at];
    if (!step || seen[place.at] === 1) continue;
    seen[place.at] = 1;
    const stored = Object.hasOwn(known, step.field) ? known[step.field] : undefined;
    if (stored === undefined) waiting.push(step.no, step.yes);
    else waiting.push(step.test(new FieldValue(stored)) ? step.yes : step.no);
  }
  return false;
};

/** The body of a search, of any structure: whether it is that of a search is looked at once the caller's permission is known. */
export const searchBody: Shape<JsonTree> = {
  zero: () => null,
  read: jsonTree,
  readInSlices: jsonTreeInSlices,
  schema: {
    type: 'object',
    properties: {
      type: { type: 'string' },
      field: { type: 'string' },
      values: { type: 'string' },
      operand: { type: 'string' },
      operator: { type: 'string' },
      criteria: { type: 'array', items: { type: 'object' } },
    },
  },
};
