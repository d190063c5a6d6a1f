import { describe, expect, it } from '@jest/globals';
import { NumberText } from '#domain/shared/text/number-text.js';
import { exactJson, exactText } from './exact-json.js';

describe('exact JSON', () => {
  it.each([
    '[12345678901234567890]',
    '{"a":12300000000000001.0,"b":[0.12345678901234567890,-9007199254740993]}',
    '{"a":1e400,"b":-1e-400,"c":1E+400}',
    '[123456789012345678901234567890.5e-3]',
  ])('keeps all digits: %s', (text) => expect(exactText(exactJson(text))).toBe(text));

  it.each(['null', '1', '"a"', '[]', '{}', '[1,-0.5,true,{"a":{"b":[null,"x"]}}]', '{"__proto__":{"a":1},"b\\"":"é\\n"}', '{"a":1,"a":2}'])(
    'is plain JSON without long numbers: %s',
    (text) => {
      expect(exactJson(text)).toEqual(JSON.parse(text));
      const withLong = `[${text}, 12345678901234567890]`;
      expect(exactText(exactJson(withLong))).toBe(`[${JSON.stringify(JSON.parse(text))},12345678901234567890]`);
    },
  );

  it('has numbers where these hold the value, whatever its spelling', () => {
    const text = '{ "a" : [ 50.0 , 1e2, 12300000000000000.0, 1.10000000000000000000 ] , "b": 99999999999999999 }';
    expect(exactJson(text)).toEqual({ a: [50, 100, 12300000000000000, 1.1], b: new NumberText('99999999999999999') });
  });

  it.each([0, 2])('is written as JSON is, with %i spaces a level', (step) => {
    const value = { a: [], b: {}, c: [{ d: null }, ['<']], no: undefined };
    expect(exactText(value, step)).toBe(JSON.stringify(value, null, step));
  });

  it('is refused where JSON is', () => expect(() => exactJson('[1,')).toThrow(SyntaxError));
});
