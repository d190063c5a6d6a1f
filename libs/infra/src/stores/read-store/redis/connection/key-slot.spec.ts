import { describe, expect, it } from '@jest/globals';
import { keySlot } from './key-slot.js';

describe('the slot of a key in a Redis Cluster', () => {
  // Values of CLUSTER KEYSLOT.
  it.each([
    ['123456789', 12_739],
    ['foo', 12_182],
    ['', 0],
    ['{user1000}.following', 3_443],
    ['{user1000}.followers', 3_443],
    ['foo{}{bar}', 8_363],
    ['foo{{bar}}zap', 4_015],
    ['foo{bar}{zap}', 5_061],
    ['logbook:{status.profiles}:meta', 62],
    ['é{é', 2_902],
  ])('of %j is %i', (key, slot) => expect(keySlot(key)).toBe(slot));
});
