import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { base64Fault } from './base64.js';

describe('base64', () => {
  it.each(['', 'BmFiYwI=', 'eyJpZCI6N30=', 'TQ==', 'TWE=', 'TWFu', 'TWFu\r\nTWFu\n', 'T\nQ=\n=\r\n', '++//', 'TR=='])(
    'accepts %j',
    (text) => expect(base64Fault(text)).toBeUndefined(),
  );

  /** Positions as counted by Go's decoder: of the invalid character, or of the start of the incomplete group. */
  it.each([
    ['BmFiYwI', 4],
    ['T', 0],
    ['TQ', 0],
    ['TWFuT', 4],
    ['=', 0],
    ['T===', 1],
    ['TQ=', 3],
    ['TQ=x', 2],
    ['TQ==x', 4],
    ['TWE=TWE=', 4],
    ['TWE==', 4],
    ['TWF$', 3],
    ['TW u', 2],
    ['-_-_', 0],
    ['TWFé', 3],
    ['msg 1', 3],
    ['not base64!', 3],
    ['TW\u0141u', 2], // its low byte equals that of an A
    [`${'TWFu'.repeat(20_000)}T`, 80_000],
  ])('refuses %j at byte %d', (text, place) => expect(base64Fault(text)).toBe(place));

  it('accepts the encoding of Node, and nothing shorter', () =>
    forAny(100, fc.uint8Array({ minLength: 1 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect([base64Fault(text), base64Fault(text.slice(0, -1)) === undefined]).toEqual([undefined, false]);
    }));

  it('refuses input that only lenient decoders accept', () =>
    forAny(100, fc.uint8Array(), fc.nat(), fc.constantFrom(...'A-_=\r\n \0\u0141\u00e9'), (bytes, place, character) => {
      const text = Buffer.from(bytes).toString('base64');
      const at = place % (text.length + 1);
      for (const changed of [text.slice(0, at) + character + text.slice(at), text.slice(0, at) + character + text.slice(at + 1)]) {
        const strict = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(changed.replace(/[\r\n]/g, ''));
        expect([changed, base64Fault(changed) === undefined]).toEqual([changed, strict]);
      }
    }));

  it('accepts long texts', () => expect(base64Fault('TWFu'.repeat(20_000))).toBeUndefined());
});
