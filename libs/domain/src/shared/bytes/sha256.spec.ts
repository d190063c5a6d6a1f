import { describe, expect, it } from '@jest/globals';
import { sha256 } from './sha256.js';

describe('SHA-256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['é 日本 🎉', '8c0b40c2b79af90b5a4a4adc8579f04662f0082fc3c110a3c9927f4493e55316'],
  ])('of %j never changes, because stored names depend on it', (text, hash) => expect(sha256(text)).toBe(hash));
});
