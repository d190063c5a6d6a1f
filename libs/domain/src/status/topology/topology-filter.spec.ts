import { describe, expect, it } from '@jest/globals';
import { reportFilters } from './report-topology.js';
import { conditionOf, passes } from './topology-filter.js';

const item = (members: object, tags: Readonly<Record<string, string>> | null = null) => ({ ...members, tags });
const holds = (values: readonly string[], value: string | undefined): boolean => conditionOf(values)(value);

describe('a condition of a topology filter', () => {
  it.each([
    ['text', 'text', true],
    ['text', 'Text', false],
    ['text', 'texts', false],
    ['te*xt', 'text', true],
    ['te*xt', 'te---xt', true],
    ['te*xt', 'text!', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*', '', true],
    ['**', 'anything', true],
    ['*b*c*', 'abc', true],
    ['*b*c*', 'acb', false],
    ['ab*bc', 'abc', false],
    ['a*bc*bc', 'abcbc', true],
    ['a*bc*bc', 'abc', false],
    ['a.c', 'abc', false],
    ['a.c', 'a.c', true],
    ['(a+)*[', '(a+)x[', true],
    ['~text', 'text', false],
    ['~text', 'other', true],
    ['~te*', 'text', false],
    ['~te*', 'other', true],
    ['a\nb*', 'a\nbc', true],
  ])('%j matches %j: %s', (pattern, value, expected) => expect(holds([pattern], value)).toBe(expected));

  it('treats several values as alternatives, without negation', () => {
    expect(holds(['a', 'b*'], 'bc')).toBe(true);
    expect(holds(['a', 'b*'], 'c')).toBe(false);
    expect(holds(['~a', 'b'], 'c')).toBe(false);
    expect(holds(['~a', 'b'], '~a')).toBe(true);
  });

  it('is passed by a missing value only if it is negated', () => {
    expect(holds(['a'], undefined)).toBe(false);
    expect(holds(['*'], undefined)).toBe(false);
    expect(holds(['~a'], undefined)).toBe(true);
  });

  it('takes time proportional to the value: otherwise this would not end', () => {
    const condition = conditionOf([`*${'a*'.repeat(500)}b`]);
    expect(condition('a'.repeat(1_000_000))).toBe(false);
    expect(condition(`${'a'.repeat(1_000_000)}b`)).toBe(true);
  });
});

describe('the filters of a report', () => {
  const tag = (context: string, name: string, value: string) => ({ context, name, value });
  const filters = (...filter_tags: readonly ReturnType<typeof tag>[]) => reportFilters({ types: ['PROJECT', 'SITES'], filter_tags });

  it('require the types of the schema, unless tags have another one', () => {
    const { groups, endpoints } = filters();
    expect([passes(item({ type: 'PROJECT' }), groups), passes(item({ type: 'SITES' }), groups)]).toEqual([true, false]);
    expect([passes(item({ type: 'PROJECT' }), endpoints), passes(item({ type: 'SITES' }), endpoints)]).toEqual([false, true]);
    const other = filters(tag('argo.group.filter.fields', 'type', 'X'));
    expect([passes(item({ type: 'X' }), other.groups), passes(item({ type: 'PROJECT' }), other.groups)]).toEqual([true, false]);
    expect(passes(item({ type: 'SITES' }), other.endpoints)).toBe(true);
  });

  it('treat several tags of one name as alternatives, and use only known names and contexts', () => {
    const { groups } = filters(
      tag('argo.group.filter.fields', 'subgroup', 'A*'),
      tag('argo.group.filter.fields', 'subgroup', 'B'),
      tag('argo.group.filter.fields', 'hostname', 'nowhere'),
      tag('argo.endpoint.filter.fields', 'group', 'nowhere'),
      tag('', 'group', 'nowhere'),
    );
    const passing = (subgroup: string) => passes(item({ type: 'PROJECT', subgroup }), groups);
    expect(['A1', 'B', 'B1', 'C'].map(passing)).toEqual([true, true, false, false]);
  });

  it('search for the elements of an array within tag values', () => {
    const { endpoints } = filters(
      tag('argo.endpoint.filter.tags', 'scope', 'EGI'),
      tag('argo.endpoint.filter.tags.array', 'list', ' one , two,'),
    );
    const passing = (tags: Readonly<Record<string, string>>) => passes(item({ type: 'SITES' }, tags), endpoints);
    expect(passing({ scope: 'EGI', list: 'zero, two' })).toBe(true);
    expect(passing({ scope: 'EGI', list: 'someone' })).toBe(true);
    expect(passing({ scope: 'EGI', list: 'three' })).toBe(false);
    expect(passing({ scope: 'EGIX', list: 'one' })).toBe(false);
  });
});
