import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#domain/shared/decider.js';
import { type Attributes, matches } from './filter.js';
import { parseFilter } from './parse-filter.js';

const passes = (expression: string, attributes?: Attributes): boolean => matches(parseFilter(expression), attributes);

const faultOf = (expression: string): unknown => {
  try {
    return parseFilter(expression);
  } catch (error) {
    return error instanceof DomainError && error.code === 'FILTER_INVALID' ? error.details.at : error;
  }
};

/** The examples of Google's documentation of filters, and the messages that match according to it. */
describe('a filter', () => {
  const [none, com, org]: readonly (Attributes | undefined)[] = [undefined, { domain: 'com' }, { domain: 'org', a: '1', b: '2', c: '3' }];

  it.each([
    ['attributes:domain', [false, true, true]],
    ['NOT attributes:domain', [true, false, false]],
    ['-attributes:domain', [true, false, false]],
    ['attributes.domain = "com"', [false, true, false]],
    ['attributes.domain="com"', [false, true, false]],
    ['attributes.domain != "com"', [true, false, true]],
    ['hasPrefix(attributes.domain, "co")', [false, true, false]],
    ['NOT hasPrefix ( attributes . domain , "co" )', [true, false, true]],
    ['hasPrefix(attributes.domain, "")', [false, true, true]],
    ['attributes:a AND attributes:b', [false, false, true]],
    ['attributes:a AND attributes:b AND attributes:none', [false, false, false]],
    ['attributes:none OR attributes.domain = "com"', [false, true, false]],
    ['attributes:a AND (attributes:none OR attributes:b)', [false, false, true]],
    ['(attributes:a AND attributes:b) OR attributes.domain="com"', [false, true, true]],
    ['NOT (attributes:a OR attributes:domain)', [true, false, false]],
    ['NOT attributes:a AND attributes:domain', [false, true, false]],
    ['NOT NOT - -attributes:a', [false, false, true]],
    ['attributes:"domain"', [false, true, true]],
    ['\tattributes:domain\r\n', [false, true, true]],
  ])('%s', (expression, expected) => expect([none, com, org].map((attributes) => passes(expression, attributes))).toEqual(expected));

  it.each<[string, Attributes]>([
    ['attributes:"iana.org/language_tag"', { 'iana.org/language_tag': 'en' }],
    ['attributes."iana.org/language_tag" = "en"', { 'iana.org/language_tag': 'en' }],
    ['attributes.event-type_2 = "x"', { 'event-type_2': 'x' }],
    ['attributes:NOT AND attributes:AND', { NOT: '', AND: '' }],
    ['attributes.attributes = "hasPrefix"', { attributes: 'hasPrefix' }],
    ['attributes:1', { 1: '' }],
    ['attributes:""', { '': 'x' }],
    ['attributes.k = "a\\"b\\\\c\\n\\x41\\101\\u00e9\\U0001F600"', { k: 'a"b\\c\nAAé😀' }],
    ['attributes."日本😀" = "été"', { '日本😀': 'été' }],
    ['attributes:"__proto__"', Object.fromEntries([['__proto__', 'x']])],
  ])('finds the attributes of %s', (expression, attributes) => {
    expect(passes(expression, attributes)).toBe(true);
    expect(passes(expression, { other: 'x' })).toBe(false);
  });

  it.each(['constructor', '__proto__', 'toString'])('does not read %s as an attribute', (key) =>
    expect([passes(`attributes:${key}`, {}), passes(`attributes:${key}`)]).toEqual([false, false]),
  );

  it('compares keys and values exactly, including letter case', () => {
    expect(passes('attributes:Domain', { domain: 'com' })).toBe(false);
    expect(passes('attributes.domain = "COM"', { domain: 'com' })).toBe(false);
  });
});

describe('an invalid expression', () => {
  it.each([
    ['attributes', 11],
    ['attributes:', 12],
    ['attributes.a', 13],
    ['attributes.a = b', 16],
    ['attributes.a == "b"', 15],
    ["attributes.a = 'b'", 16],
    ['attributes:iana.org', 16],
    ['attributes:a attributes:b', 14],
    ['attributes:a and attributes:b', 14],
    ['attributes:a AND attributes:b OR attributes:c', 31],
    ['attributes:a OR attributes:b AND attributes:c', 30],
    ['(attributes:a', 14],
    ['attributes:a)', 13],
    ['()', 2],
    ['AND attributes:a', 1],
    ['attributes:a AND', 17],
    ['NOT', 4],
    ['data = "x"', 1],
    ['hasPrefix(attributes.a)', 23],
    ['hasPrefix(attributes:a, "b")', 21],
    ['hasprefix(attributes.a, "b")', 1],
    ['attributes.a = "b', 16],
    ['attributes.a = "\\q"', 17],
    ['attributes.a = "\\U00110000"', 17],
    ['attributes:é', 12],
    ['😀', 1],
    ['attributes."😀" ~ "b"', 16],
    ['\u0000', 1],
    [' ', 2],
  ])('is refused, with the position of the error: %j', (expression, at) => expect(faultOf(expression)).toBe(at));

  it('is refused if it has more than 256 characters', () => {
    const long = (length: number, unit = 'x') => `attributes:"${unit.repeat(length - 13)}"`;
    expect([faultOf(long(257)), faultOf(long(257, '😀')), faultOf('('.repeat(1_000_000))]).toEqual([257, 257, 257]);
    for (const unit of ['x', '😀']) expect(passes(long(256, unit), { [unit.repeat(243)]: '' })).toBe(true);
  });

  it('may be nested as deeply as its length allows', () => {
    const deep = (levels: number) => `${'('.repeat(levels)}attributes:a${')'.repeat(levels)}`;
    expect(passes(deep(122), { a: '' })).toBe(true);
    expect(faultOf('('.repeat(256))).toBe(257);
    expect(passes(`${'-'.repeat(244)}attributes:a`, { a: '' })).toBe(true);
  });
});
