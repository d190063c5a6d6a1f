import { describe, expect, it } from '@jest/globals';
import { firstJsonValue } from './first-json-value.js';

describe('the first JSON value', () => {
  it.each([
    ['{}', '{}'],
    [' \n{"a":[1,{"b":"}"}]} {"c":1}', ' \n{"a":[1,{"b":"}"}]}'],
    ['{"a":"\\"}\\\\"}x', '{"a":"\\"}\\\\"}'],
    ['[1,[2]] 3', '[1,[2]]'],
    ['"a\\"b" c', '"a\\"b"'],
    ['null garbage', 'null'],
    ['-1.5e3,2', '-1.5e3'],
    ['true', 'true'],
    ['', ''],
    ['  ', '  '],
  ])('of %j is %j', (text, first) => expect(firstJsonValue(text)).toBe(first));

  it.each(['{"a":', '{"a":"x', '[[', '{"a":"\\', ',{}', '}', ']', ':', 'nullx', '{]'])('of %j is no JSON', (text) => {
    expect(() => JSON.parse(firstJsonValue(text))).toThrow(SyntaxError);
  });

  it('is found in linear time', () => {
    const deep = '['.repeat(1_000_000);
    expect(firstJsonValue(deep + ']'.repeat(1_000_000)).length).toBe(2_000_000);
    expect(firstJsonValue(deep).length).toBe(1_000_000);
    expect(firstJsonValue(`"${'\\"'.repeat(2_000_000)}`).length).toBe(4_000_001);
  });
});
