import { describe, expect, it } from '@jest/globals';
import { BodyBudget, type Reservation } from './body-budget.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** 28 MiB for large bodies, of which one caller may have 7 MiB; 4 MiB for small ones, of which one caller may have 1 MiB. */
const budgetOf32 = () => new BodyBudget(32 * MIB);
/** Reserves as often as possible. */
const exhaust = (budget: BodyBudget, caller: string, bytes: number): readonly Reservation[] => {
  const taken: Reservation[] = [];
  for (let next = budget.reserve(caller, bytes); next; next = budget.reserve(caller, bytes)) taken.push(next);
  return taken;
};

describe('the budget of request bodies', () => {
  it('gives a caller at most a quarter of the bytes for large bodies, and all callers together at most all of them', () => {
    const budget = budgetOf32();
    const counts = ['a', 'b', 'c', 'd', 'e', 'f'].map((caller) => exhaust(budget, caller, MIB).length);
    expect(counts).toEqual([7, 7, 7, 7, 0, 0]);
    expect(budget.inUse).toBe(28 * MIB);
  });

  it('keeps bytes for small bodies when large ones have taken theirs, even of the same caller', () => {
    const budget = budgetOf32();
    for (const caller of ['a', 'b', 'c', 'd']) exhaust(budget, caller, MIB);
    expect(['a', 'e'].map((caller) => exhaust(budget, caller, 64 * KIB).length)).toEqual([16, 16]);
    expect(budget.reserve('f', 65 * KIB)).toBeUndefined();
  });

  it('gives a caller at most a quarter of the bytes for small bodies', () => {
    const counts = ['a', 'b', 'c', 'd', 'e'].map(function (this: BodyBudget, caller) {
      return exhaust(this, caller, 1 * KIB).length;
    }, budgetOf32());
    expect(counts).toEqual([1_024, 1_024, 1_024, 1_024, 0]);
  });

  it('accepts any body of a caller that has no other, as long as the total allows it', () => {
    const budget = budgetOf32();
    const first = budget.reserve('a', 20 * MIB);
    expect(first).toBeDefined();
    expect(budget.reserve('a', MIB)).toBeUndefined();
    expect(budget.reserve('b', 9 * MIB)).toBeUndefined();
    expect(budget.reserve('b', 8 * MIB)).toBeDefined();
  });

  it('accepts any body that is the only one', () => {
    const budget = budgetOf32();
    budget.reserve('other', 60 * KIB);
    const alone = budget.reserve('a', 500 * MIB);
    expect(alone?.grow(500 * MIB)).toBe(true);
    expect(budget.reserve('b', MIB)).toBeUndefined();
  });

  it('counts the growth of a body', () => {
    const budget = budgetOf32();
    const [a, b] = [budget.reserve('a', 0), budget.reserve('a', 3 * MIB)];
    expect([a?.grow(64 * KIB), a?.grow(3 * MIB), a?.grow(MIB)]).toEqual([true, true, false]);
    expect(budget.inUse).toBe(6 * MIB + 64 * KIB);
    b?.release();
    expect(a?.grow(MIB)).toBe(true);
    expect(budget.inUse).toBe(4 * MIB + 64 * KIB);
  });

  it('is empty again when all bodies are released, however often each was', () => {
    const budget = budgetOf32();
    for (let round = 0; round < 3; round++) {
      const taken = ['a', 'b', 'c', 'd'].flatMap((caller) => [...exhaust(budget, caller, MIB), ...exhaust(budget, caller, KIB)]);
      expect(taken).toHaveLength(4 * (7 + 1_024));
      for (const one of [...taken, ...taken]) one.release();
      expect(budget.inUse).toBe(0);
    }
  });

  it('gives no more bytes to a released body', () => {
    const budget = budgetOf32();
    const late = budget.reserve('a', KIB);
    late?.release();
    expect([late?.grow(KIB), budget.inUse]).toEqual([false, 0]);
  });
});
