import { describe, expect, it } from '@jest/globals';
import { keyOf, keyPart, keysUnder } from './key-part.js';

describe('parts of keys', () => {
  it.each([
    ['', ''],
    ['host-1.example.org', 'host-1.example.org'],
    ['a/b', 'a%2Fb'],
    ['a%2Fb', 'a%252Fb'],
    ['%-', '%25-'],
    ['é 日本 🎉', 'é 日本 🎉'],
    ['a'.repeat(200), 'a'.repeat(200)],
  ])('%j is %j', (text, part) => expect(keyPart(text)).toBe(part));

  it.each(['a'.repeat(201), '/'.repeat(100), '日'.repeat(67), '🎉'.repeat(51), 'a'.repeat(1_000_000)])(
    'of texts with too many bytes are hashes',
    (text) => {
      expect(keyPart(text)).toMatch(/^%-[0-9a-f]{64}$/);
      expect(keyPart(`${text}a`)).not.toBe(keyPart(text));
    },
  );

  it('form a key, and the range of all keys below it', () => {
    expect(keyOf('t', 'a/b', '')).toBe('t/a%2Fb/');
    expect(keysUnder('t', 'a')).toEqual({ gte: 't/a/', lt: 't/a0' });
  });
});
