import * as errors from '#api/accounting/errors.js';
import type { JsonTree } from '#api/shared/json/json-tree.js';
import type { TimeSlice } from '#domain/shared/time-slice.js';
import { operands, type Scalar, type Test, wantedOf } from './search-values.js';

/** The searchable fields, with functions that read them from a record. */
export type Fields<T> = ReadonlyMap<string, (record: T) => Scalar>;

/** Index of a step, assigned when the step is placed. */
export type StepIndex = { at: number };

/** One query. Each outcome of its test leads to another query, or decides the search. `slot`: index of the field among all fields. */
type SearchStep<T> = Readonly<{
  field: string;
  slot: number;
  read: (record: T) => Scalar;
  test: Test;
  yes: Readonly<StepIndex>;
  no: Readonly<StepIndex>;
}>;

/** A search as a list of its queries. Filters appear only as the order of the steps, so they may be nested to any depth. */
export type Search<T> = Readonly<{ steps: readonly SearchStep<T>[] }>;

/** Beyond all steps: the record matches. */
export const FOUND: Readonly<StepIndex> = { at: -1 };
/** Beyond all steps: the record does not match. */
const NOT_FOUND: Readonly<StepIndex> = { at: -2 };

/** Maximum number of queries in one search. */
const MOST_QUERIES = 100_000;

type Node = ReadonlyMap<string, JsonTree>;

/** A value of the request in an error text. */
const shown = (value: JsonTree | undefined): string =>
  typeof value === 'string' ? `'${value.length > 100 ? `${value.slice(0, 100).toWellFormed()}…` : value}'` : 'a value that is no string';

/** The member in lower case. @throws AccountingError 400 unless it is one of the words */
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

/** The criteria of a filter and their operator. Criteria of an unknown type are ignored (accounting contract 5.1). @throws AccountingError 400 */
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

const unknownField = (): Scalar => null;

/** A part of the search that was not read yet: index of its first step, and the steps after it. */
type Part = Readonly<{ tree: JsonTree; start: StepIndex; yes: Readonly<StepIndex>; no: Readonly<StepIndex> }>;

/** The parts of a filter in order: each except the last continues with the next one unless it decides the filter. */
const partsOf = (filter: Node, { start, yes, no }: Part): readonly Part[] => {
  const { operator, criteria } = criteriaOf(filter);
  const starts = criteria.map((_, index) => (index === 0 ? start : { at: 0 }));
  return criteria.map((tree, index) => {
    const next = starts[index + 1];
    const undecided = operator === 'and' ? { yes: next ?? yes, no } : { yes, no: next ?? no };
    return { tree, start: starts[index] ?? start, ...undecided };
  });
};

/** Reads a search, one query or filter at a time. */
class SearchReading<T> {
  private readonly steps: SearchStep<T>[] = [];
  private readonly slots = new Map<string, number>();
  private readonly waiting: Part[];

  constructor(
    body: JsonTree,
    private readonly fields: Fields<T>,
  ) {
    this.waiting = [{ tree: body, start: { at: 0 }, yes: FOUND, no: NOT_FOUND }];
  }

  /** Reads the next query or filter; `false` if there is none left. @throws AccountingError 400, naming the problem */
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
    this.steps.push({ field, slot, read: this.fields.get(field) ?? unknownField, test, yes, no });
  }
}

/** Parses the search of a body. Unknown fields are `null` in every record. @throws AccountingError 400, naming the problem */
export const searchOf = <T>(body: JsonTree, fields: Fields<T>): Search<T> => {
  const reading = new SearchReading(body, fields);
  while (reading.next());
  return reading.search;
};

/** The same for a body with any number of queries. @throws AccountingError 400 */
export const searchInSlices = async <T>(body: JsonTree, fields: Fields<T>, slice: TimeSlice): Promise<Search<T>> => {
  const reading = new SearchReading(body, fields);
  while (reading.next()) if (slice.isOver) await slice.next();
  return reading.search;
};
