import { describe, expect, it } from '@jest/globals';
import { jsonText } from './layout.js';

describe('JSON texts', () => {
  const names = { 10: 'a', 9: '"5": <', b: [], a: { 2: {}, 10: null, '-': [1, { 1: true }] } };

  it('have the names of callers in the order of bytes, also if some are integers', () => {
    expect(jsonText({ z: names, a: 1 }, 0)).toBe(
      '{"z":{"10":"a","9":"\\"5\\": \\u003c","a":{"-":[1,{"1":true}],"10":null,"2":{}},"b":[]},"a":1}',
    );
  });

  it.each([0, 1, 3])('differ in nothing else, with %i spaces a level', (step) => {
    const text = jsonText({ z: names, a: [names, '"5":', undefined], no: undefined }, step);
    const inOrder = jsonText({ z: 1, a: [], no: undefined }, step);
    expect(JSON.parse(text)).toEqual({ z: names, a: [names, '"5":', null] });
    expect(Object.keys(JSON.parse(inOrder))).toEqual(['z', 'a']);
    expect(text.replace(/\s/g, '')).toBe(jsonText({ z: names, a: [names, '"5":', undefined], no: undefined }, 0).replace(/\s/g, ''));
    const lines = (json: string) =>
      json
        .split('\n')
        .map((line) => line.search(/\S/))
        .sort();
    expect(lines(text)).toEqual(lines(JSON.stringify(JSON.parse(text), null, step)));
  });

  it('of values without such names are those of JSON', () => {
    for (const value of [null, 1, 'x', [], {}, [[{}]], { a: { b: '"1":' } }])
      expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
  });
});
