import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sha256 } from './sha256.js';

describe('SHA-256', () => {
  it.each(['', 'abc', 'é 日本 🎉', ...[55, 56, 63, 64, 65, 119, 120, 1_000].map((length) => 'a'.repeat(length))])(
    'of %j is what everybody gets',
    (text) => expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex')),
  );
});
