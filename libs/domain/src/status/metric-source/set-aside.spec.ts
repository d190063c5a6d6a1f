import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { countOutcomes, LETTER_OUTCOMES, type LetterOutcome, outcomeOf, replacedIn, runsOf } from './set-aside.js';

const messages = fc.uniqueArray(fc.record({ offset: fc.nat(60), fate: fc.constantFrom(...LETTER_OUTCOMES) }), {
  selector: ({ offset }) => offset,
});
const inOrder = (some: readonly Readonly<{ offset: number; fate: LetterOutcome }>[]) => [...some].sort((a, b) => a.offset - b.offset);

describe('messages that were set aside', () => {
  it('are kept as ranges, in which each message is found', () =>
    forAny(100, messages, (some) => {
      const runs = runsOf(inOrder(some));
      const fates = new Map(some.map(({ offset, fate }) => [offset, fate]));
      for (let offset = 0; offset <= 61; offset++) expect(outcomeOf(runs, offset)).toBe(fates.get(offset));
      expect(runs.length).toBeLessThanOrEqual(some.length);
    }));

  it('are replaced within a part of their batch, and unchanged outside it', () =>
    forAny(100, messages, messages, fc.nat(60), fc.nat(20), (earlier, later, from, length) => {
      const part = { from, to: from + length };
      const isInside = ({ offset }: { offset: number }) => offset >= part.from && offset < part.to;
      const replaced = replacedIn(runsOf(inOrder(earlier)), part, runsOf(inOrder(later.filter(isInside))));
      const expected = [...earlier.filter((one) => !isInside(one)), ...later.filter(isInside)];
      const found = replaced.flatMap(({ from: start, to, fate }) =>
        Array.from({ length: to - start }, (_, index) => ({ offset: start + index, fate })),
      );
      expect(found).toEqual(inOrder(expected));
    }));

  it('are counted by outcome', () =>
    expect(countOutcomes(['dropped', 'discarded', 'dropped'])).toEqual({ deadLettered: 0, discarded: 1, dropped: 2 }));
});
