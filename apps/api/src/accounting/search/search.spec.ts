import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { exactNumber } from '#domain/shared/json/exact-number.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { canMatch, matches, matchesInSlices, SearchEffort } from './matching.js';
import { type Fields, type Search, searchOf } from './search.js';
import { searchBody } from './search-body.js';
import { OPAQUE, type Scalar, SearchInstant } from './search-values.js';

type Sample = Readonly<Record<string, Scalar>>;

const NAMES = ['text', 'value', 'start', 'empty', 'id'];
const fields: Fields<Sample> = new Map(NAMES.map((name) => [name, (sample: Sample) => sample[name] ?? null]));

const sample: Sample = {
  text: 'Grid (a+b)*',
  value: exactNumber('1000.0'),
  start: new SearchInstant('2024-03-01T00:00:00.000Z'),
  empty: null,
  id: OPAQUE,
};

const parse = (body: unknown): Search<Sample> =>
  searchOf(readBody(searchBody, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))), fields);
const query = (field: string, operand: string, values: unknown) => ({ type: 'query', field, operand, values });
const finds = (body: unknown, record = sample): boolean => matches(parse(body), record, new SearchEffort());

describe('A query', () => {
  it.each<[string, unknown, readonly string[]]>([
    // Texts: eq compares whole texts in any letter case, the others exactly and by bytes.
    ['text', 'Grid (a+b)*', ['eq', 'lte', 'gte']],
    ['text', 'gRID (A+B)*', ['eq', 'neq', 'lt', 'lte']],
    ['text', 'Grid', ['neq', 'gt', 'gte']],
    ['text', 'Grid .*', ['neq', 'lt', 'lte']],
    ['text', '.*', ['neq', 'gt', 'gte']],
    ['text', 'Z', ['neq', 'lt', 'lte']],
    ['text', 'a', ['neq', 'lt', 'lte']],
    ['text', '', ['neq', 'gt', 'gte']],
    ['text', 1, ['neq']],
    ['text', true, ['neq']],
    ['text', '2024-03-01T00:00:00Z', ['neq']],
    // Numbers, integers or not, by value.
    ['value', 1000, ['eq', 'lte', 'gte']],
    ['value', 1000.5, ['neq', 'lt', 'lte']],
    ['value', -1, ['neq', 'gt', 'gte']],
    ['value', '1000.0', ['neq']],
    ['value', '2024-03-01T00:00:00Z', ['neq']],
    ['value', false, ['neq']],
    // Instants, only in this form.
    ['start', '2024-03-01T00:00:00Z', ['eq', 'lte', 'gte']],
    ['start', '2024-03-01T00:00:01Z', ['neq', 'lt', 'lte']],
    ['start', '2024-02-29T23:59:59Z', ['neq', 'gt', 'gte']],
    ['start', '2024-03-01T00:00:00.000Z', ['neq']],
    ['start', '2024-03-01t00:00:00z', ['neq']],
    ['start', '2024-03-01', ['neq']],
    ['start', '2024-02-30T00:00:00Z', ['neq']],
    ['start', 1709251200000, ['neq']],
    // Empty values, and values that cannot be compared.
    ['empty', null, ['eq']],
    ['nosuch', null, ['eq']],
    ['__proto__', null, ['eq']],
    ['text', null, ['neq']],
    ['id', null, ['neq']],
    ['empty', 'x', ['neq']],
    ['empty', 1, ['neq']],
    ['nosuch', 'x', ['neq']],
    ['id', 'x', ['neq']],
  ])('on %s with %j finds with the operands of the contract', (field, values, expected) => {
    const operands = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'];
    expect(operands.filter((operand) => finds(query(field, operand, values)))).toEqual(expected);
    expect(operands.filter((operand) => finds(query(field, operand.toUpperCase(), values)))).toEqual(expected);
    for (const operand of [undefined, null]) expect(finds({ type: 'query', field, values, operand })).toBe(expected.includes('eq'));
  });

  it.each<[string, string, boolean]>([
    ['9007199254740993', '9007199254740993', true],
    ['9007199254740992', '9007199254740993', false],
    ['0.1', '1e-1', true],
    ['5', '5.00', true],
    ['5', '5e0', true],
    ['1', '1e999999999', false],
    ['-0', '0', true],
  ])('tells numbers apart exactly: %s and %s', (stored, wanted, equal) => {
    const body = `{"type":"query","field":"value","operand":"eq","values":${wanted}}`;
    expect(finds(body, { value: exactNumber(stored) })).toBe(equal);
  });

  it('orders texts by their bytes', () => {
    expect(finds(query('text', 'gt', '\uffee'), { text: '😀' })).toBe(true);
    expect(finds(query('text', 'eq', 'ab'), { text: 'a\nb' })).toBe(false);
  });

  it.each<[string, string, boolean]>([
    ['ÉCOLE ΟΔΟΣ', 'école οδος', true],
    ['οδοσ', 'οδος', true],
    ['STRAẞE ΟΔΟΣ', 'straße οδος', true],
    ['STRASSE', 'straße', false],
    ['Straße', 'strasse', false],
    ['ﬁ', 'fi', false],
    ['𐐀', '𐐨', true],
  ])('folds the case of letters one by one: %s and %s', (wanted, text, equal) =>
    expect(finds(query('text', 'eq', wanted), { text })).toBe(equal),
  );
});

describe('A filter', () => {
  const [yes, no] = [query('value', 'gte', 1), query('value', 'lt', 1)];
  const filter = (operator: unknown, ...criteria: readonly unknown[]) => ({ type: 'filter', operator, criteria });

  it.each<[string, unknown, boolean]>([
    ['and', filter('AND', yes, yes), true],
    ['and, one not', filter('and', yes, no), false],
    ['or', filter('Or', no, yes), true],
    ['or, none', filter('OR', no, no), false],
    ['nested', filter('AND', filter('OR', no, yes), filter('or', filter('and', yes, no), yes)), true],
    ['a single criterion, whatever the operator', filter('nosuch', yes), true],
    ['a single criterion without operator', { type: 'filter', criteria: [no] }, false],
    ['criteria of unknown type', filter('and', yes, { type: 'other', criteria: 1 }), true],
    ['type in another case is unknown', filter('or', no, { ...yes, type: 'Query' }), false],
    ['unknown members', { ...yes, more: [{}] }, true],
  ])('%s', (_, body, expected) => expect(finds(body)).toBe(expected));

  it.each<[unknown, string]>([
    [[], 'a query or filter must be an object'],
    ['"text"', 'a query or filter must be an object'],
    [{}, "'type' is missing"],
    [{ type: null }, "'type' is missing"],
    [{ type: 'other' }, "unknown type 'other'"],
    [{ type: 1 }, 'unknown type a value that is no string'],
    [{ ...yes, operand: 'like' }, "unknown operand 'like'"],
    [{ ...yes, operand: 1 }, 'unknown operand a value that is no string'],
    [{ ...yes, field: undefined }, "'field' must be a string"],
    [{ ...yes, field: 1 }, "'field' must be a string"],
    [{ ...yes, values: undefined }, "'values' must be one string, number, boolean or null"],
    [{ ...yes, values: ['x'] }, "'values' must be one string, number, boolean or null"],
    [{ ...yes, values: {} }, "'values' must be one string, number, boolean or null"],
    [filter('xor', yes, yes), "unknown operator 'xor'"],
    [filter(undefined, yes, yes), "'operator' is missing"],
    [filter('and'), "'criteria' must be an array with at least one query or filter"],
    [{ type: 'filter', operator: 'and' }, "'criteria' must be an array with at least one query or filter"],
    [{ type: 'filter', operator: 'and', criteria: yes }, "'criteria' must be an array with at least one query or filter"],
    [filter('and', { type: 'x' }, { type: 'y' }), "'criteria' has no query and no filter"],
    [filter('and', yes, filter('or', yes, {})), "'type' is missing"],
    [filter('and', yes, 1), 'a query or filter must be an object'],
  ])('refuses %j', (body, problem) => expect(() => parse(body)).toThrow(`The search is not valid: ${problem}`));

  it.each([1, 2])('can be nested to any depth, with %d criteria on each level', (criteria) => {
    const depth = 50_000;
    const first = criteria === 2 ? `${JSON.stringify(yes)},` : '';
    const body = `${`{"type":"filter","operator":"and","criteria":[${first}`.repeat(depth)}${JSON.stringify(yes)}${']}'.repeat(depth)}`;
    expect(finds(body)).toBe(true);
    expect(finds(body, { value: 0 })).toBe(false);
    const values = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(() => parse(`{"type":"query","field":"value","values":${values}}`)).toThrow('The search is not valid');
  });

  it('reads a field once, however many queries test it', () => {
    let reads = 0;
    const countedText = ({ text }: Sample): Scalar => {
      reads++;
      return text ?? null;
    };
    const counted: Fields<Sample> = new Map([['text', countedText]]);
    const many = filter('or', ...Array.from({ length: 1_000 }, (_, index) => query('text', 'eq', `no ${index}`)));
    const search = searchOf(readBody(searchBody, Buffer.from(JSON.stringify(many))), counted);
    expect(matches(search, sample, new SearchEffort())).toBe(false);
    expect(reads).toBe(1);
  });

  it('with many queries is evaluated in slices, with the same outcome', async () => {
    const wanted = (index: number) => query('text', 'eq', index === 4_999 ? 'ALPHA' : `no ${index}`);
    for (const count of [99, 100, 101, 4_999, 5_000]) {
      const search = parse(filter('or', ...Array.from({ length: count }, (_, index) => wanted(index))));
      const record = { ...sample, text: 'alpha' };
      const slice = new TimeSlice(0);
      const next = jest.spyOn(slice, 'next');
      expect(await matchesInSlices(search, record, new SearchEffort(), slice)).toBe(count === 5_000);
      expect(next).toHaveBeenCalledTimes(Math.ceil(count / 100) - 1);
      expect(matches(search, record, new SearchEffort())).toBe(count === 5_000);
    }
  });

  it('ends with an error after too many tests of its queries', () => {
    const effort = new SearchEffort();
    expect(() => effort.add(200_000_000)).not.toThrow();
    expect(() => matches(parse(no), sample, effort)).toThrow('it takes more than 200000000 looks at its queries');
  });

  it('has at most 100,000 queries', () => {
    const many = (count: number) => filter('or', ...Array.from({ length: count }, () => no));
    expect(finds(many(100_000))).toBe(false);
    expect(() => parse(many(100_001))).toThrow('more than 100000 queries');
  });
});

describe('Any search', () => {
  type Tree =
    | Readonly<{ type: 'query'; field: string; values: number }>
    | Readonly<{ type: 'filter'; operator: string; criteria: readonly Tree[] }>;
  const FIELDS = ['a', 'b', 'c', 'd'];
  const own: Fields<Sample> = new Map(FIELDS.map((name) => [name, (record: Sample) => record[name] ?? null]));
  const records: readonly Sample[] = Array.from({ length: 16 }, (_, bits) =>
    Object.fromEntries(FIELDS.map((name, index) => [name, (bits >> index) & 1])),
  );
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.record({ type: fc.constant('query'), field: fc.constantFrom(...FIELDS), values: fc.constantFrom(0, 1) }),
      fc.record({
        type: fc.constant('filter'),
        operator: fc.constantFrom('AND', 'or'),
        criteria: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
      }),
    ),
  }));
  const naive = (node: Tree, record: Sample): boolean => {
    if (node.type === 'query') return record[node.field] === node.values;
    return node.operator === 'AND' ? node.criteria.every((one) => naive(one, record)) : node.criteria.some((one) => naive(one, record));
  };

  it('finds what a plain evaluation finds, and rules out nothing of it', () =>
    forAny(runs(500), tree, (plain) => {
      const search = searchOf(readBody(searchBody, Buffer.from(JSON.stringify(plain))), own);
      const found = records.filter((record) => matches(search, record, new SearchEffort()));
      expect(found).toEqual(records.filter((record) => naive(plain, record)));
      for (const { a, b } of found) {
        const parts: readonly Parameters<typeof canMatch>[1][] = [{}, { a }, { nosuch: 1, b }];
        expect(parts.map((known) => canMatch(search, known, new SearchEffort()))).toEqual([true, true, true]);
      }
      for (const record of records) expect(canMatch(search, record, new SearchEffort())).toBe(naive(plain, record));
    }));
});
