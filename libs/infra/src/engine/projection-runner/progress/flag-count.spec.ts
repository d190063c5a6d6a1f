import { describe, expect, it } from '@jest/globals';
import { FlagCount } from './flag-count.js';
import { PositionGate } from './position-gate.js';

describe('A count of flags', () => {
  it('has any as long as one flag is set, however often it is set or cleared', () => {
    const count = new FlagCount();
    const [one, other] = [count.flag(), count.flag()];
    expect(count.any).toBe(false);
    one(true);
    one(true);
    other(true);
    one(false);
    expect(count.any).toBe(true);
    one(false);
    other(false);
    expect(count.any).toBe(false);
  });
});

describe('A gate', () => {
  it('reports whether it owes after each step that may change it', () => {
    const gate = new PositionGate();
    const count = new FlagCount();
    gate.onOwing(count.flag());
    const steps: readonly (readonly [() => void, boolean])[] = [
      [() => gate.advance(5n, 1), false],
      [() => gate.owe(5n), false],
      [() => gate.owe(9n), true],
      [() => gate.advance(8n, 2), true],
      [() => gate.advance(9n, 3), false],
      [() => gate.rewind(3n), true],
      [() => gate.forgive(9n), true],
      [() => gate.forgive(8n), false],
    ];
    for (const [step, owes] of steps) {
      step();
      expect([count.any, gate.isOwing]).toEqual([owes, owes]);
    }
  });
});
