import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { parseJson } from './json-text.js';
import { canonicalText, jsonValueOf } from './json-value.js';

describe('JSON text', () => {
  it('reads what JSON.stringify writes', () =>
    forAny(100, fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent).toWellFormed();
      expect(canonicalText(parseJson(text))).toBe(canonicalText(jsonValueOf(JSON.parse(text))));
    }));

  it.each([
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"__proto__":{"a":[]},"b":"\\u00e9\\n"}', '{"__proto__":{"a":[]},"b":"é\\n"}'],
    [' [ 1.0 , -0, 12345678901234567890, 1e400, 1E2 ] ', '[1,0,1234567890123456789e1,1e400,100]'],
    ['"\\ud800x"', '"\ufffdx"'],
  ])('reads %s', (text, canonical) => expect(canonicalText(parseJson(text))).toBe(canonical));

  it.each([
    ['', 'EOF'],
    [' \n', 'EOF'],
    ['{"id":', 'unexpected EOF'],
    ['{', 'unexpected EOF'],
    ['{"a":1', 'unexpected EOF'],
    ['[1,', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['"a\\', 'unexpected EOF'],
    ['"\\u12', 'unexpected EOF'],
    ['tru', 'unexpected EOF'],
    ['-', 'unexpected EOF'],
    ['1.', 'unexpected EOF'],
    ['1e', 'unexpected EOF'],
    ['hello', "invalid character 'h' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['}', "invalid character '}' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['nul ', "invalid character ' ' in literal null (expecting 'l')"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\u0001"', "invalid character '\\x01' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    [`${'['.repeat(1_001)}${']'.repeat(1_001)}`, 'exceeded max depth'],
  ])('refuses %j: %s', (text, message) => expect(() => parseJson(text)).toThrow(new Error(message)));
});
