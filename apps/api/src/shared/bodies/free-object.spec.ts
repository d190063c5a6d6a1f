import { describe, expect, it } from '@jest/globals';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { readBody, struct } from './body-shape.js';
import { freeObject } from './free-object.js';

const read = (json: string) => readBody(struct({ free: freeObject }), Buffer.from(`{"free":${json}}`)).free;
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('a free object', () => {
  it.each([
    ['{}', '{}'],
    ['null', '{}'],
    ['{ "b" : 1 , "a" : [ true , false, null, "x" ] }', '{"b":1,"a":[true,false,null,"x"]}'],
    ['{"2":1,"1":2,"__proto__":{"x":{}}}', '{"2":1,"1":2,"__proto__":{"x":{}}}'],
    ['{"n":[1.0,1e5,-0,12345678901234567890,0.10]}', '{"n":[1.0,1e5,-0,12345678901234567890,0.10]}'],
    ['{"a":1,"b":2,"a":{"c":3}}', '{"a":{"c":3},"b":2}'],
    ['{"A":1,"a":2}', '{"A":1,"a":2}'],
    ['{"\\u0061":"\\u00e9\\ud800\\n\\/"}', '{"a":"é\ufffd\\n/"}'],
    ['{"a":[[],{},[{}]]}', '{"a":[[],{},[{}]]}'],
  ])('keeps %s as %s', (json, text) => expect(read(json)).toBe(text));

  it.each(['[]', '"{}"', '5', 'true', nested(1_001)])('refuses %.20s', (json) => expect(() => read(json)).toThrow(MalformedJson));

  it('may be a thousand levels deep, and long', () => {
    expect(read(nested(1_000))).toBe(nested(1_000));
    const long = `{"a":"${'\\\\\\"'.repeat(100_000)}","b":[${'1,'.repeat(100_000)}1]}`;
    expect(read(long)).toBe(long);
    const both = `${'{"x":1,"a":'.repeat(999)}"${'y'.repeat(10_000_000)}"${'}'.repeat(999)}`;
    expect(read(both) === both).toBe(true);
  });
});
