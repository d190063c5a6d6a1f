import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { jcs } from './jcs.js';

describe('The canonical text of JSON', () => {
  it('is that of the examples of RFC 8785', () => {
    const example = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(jcs(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('has members in the order of their UTF-16 units', () => {
    const members = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(jcs(members)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it('has numbers as in appendix B of RFC 8785', () => {
    const samples: readonly (readonly [string, string])[] = [
      ['0000000000000000', '0'],
      ['8000000000000000', '0'],
      ['0000000000000001', '5e-324'],
      ['7fefffffffffffff', '1.7976931348623157e+308'],
      ['4340000000000000', '9007199254740992'],
      ['4430000000000000', '295147905179352830000'],
      ['44b52d02c7e14af5', '9.999999999999997e+22'],
      ['444b1ae4d6e2ef50', '1e+21'],
      ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
      ['3eb0c6f7a0b5ed8d', '0.000001'],
      ['41b3de4355555553', '333333333.3333332'],
      ['becbf647612f3696', '-0.0000033333333333333333'],
      ['43143ff3c1cb0959', '1424953923781206.2'],
    ];
    for (const [bits, text] of samples) expect(jcs(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it('escapes lone surrogates as JSON.stringify does', () => {
    expect(jcs(['\ud800', 'x\udc00y', '\ud83d\ude00'])).toBe('["\\ud800","x\\udc00y","😀"]');
  });

  it('reads back as the same value, whatever the order of its members', async () => {
    await forAny(100, fc.jsonValue(), (value) => {
      const stored: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(jcs(value))).toEqual(stored);
      expect(jcs(stored)).toBe(jcs(value));
    });
  });

  it('keeps members that JavaScript treats in a special way', () => {
    expect(jcs(JSON.parse('{"b":1,"__proto__":{"x":1},"10":2,"9":3}'))).toBe('{"10":2,"9":3,"__proto__":{"x":1},"b":1}');
  });
});
