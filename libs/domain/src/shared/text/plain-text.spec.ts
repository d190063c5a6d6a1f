import { expect, it } from '@jest/globals';
import { jsonText } from '#projections/shared/layout.js';
import { isPlainText } from './plain-text.js';

it('is a text whose JSON has one byte for each character, and quotation marks, whatever its length', () => {
  const codes = [...Array.from({ length: 0x180 }, (_, code) => code), 0x7ff, 0x800, 0x2028, 0x2029, 0xd800, 0xdc00, 0xffff];
  for (const code of codes)
    for (const before of [0, 1, 30, 31, 32, 33, 200])
      for (const after of [0, 1]) {
        const text = `${'x'.repeat(before)}${String.fromCharCode(code)}${'y'.repeat(after)}`;
        const plain =
          Buffer.byteLength(jsonText(text, 1)) === text.length + 2 && Buffer.byteLength(JSON.stringify(text)) === text.length + 2;
        expect([code, before, after, isPlainText(text)]).toEqual([code, before, after, plain]);
      }
  expect(isPlainText('')).toBe(true);
});
