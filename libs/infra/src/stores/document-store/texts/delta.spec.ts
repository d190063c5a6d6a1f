import { describe, expect, it } from '@jest/globals';
import { applyDelta, deltaOf } from './delta.js';

/** Numbers derived from a seed. */
const randomOf = (seed: number) => {
  let state = seed;
  return (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
};

const roundTrip = (base: string, text: string): number => {
  const delta = deltaOf(Buffer.from(base), Buffer.from(text));
  expect(applyDelta(Buffer.from(base), delta).toString()).toBe(text);
  return delta.length;
};

describe('delta', () => {
  it('gives back the text, whatever the texts have in common', () => {
    for (const [base, text] of [
      ['', ''],
      ['', 'a'],
      ['a', ''],
      ['abc', 'abc'],
      ['aaaa', 'aaaaaaaa'],
      ['äöü€', 'äö€ü'],
    ] as const)
      roundTrip(base, text);
  });

  it('gives back texts after any edits', () => {
    const random = randomOf(7);
    const word = () => `"${random(1e9).toString(36)}":${random(1e6)},`;
    for (let round = 0; round < 300; round++) {
      const base = Array.from({ length: random(40) }, word);
      const text = [...base];
      for (let edit = random(6); edit > 0; edit--)
        text.splice(random(text.length + 1), random(3), ...Array.from({ length: random(3) }, word));
      roundTrip(base.join(''), text.join(''));
    }
  });

  it('gives back texts with more changes than it looks for', () => {
    const counts = (from: number) =>
      JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ name: `item-${index}`, count: from + index })));
    for (const [base, text] of [
      [counts(1_000), counts(99_000)],
      [counts(0), '7'.repeat(5_000)],
    ] as const)
      for (const [one, other] of [
        [base, text],
        [text, base],
      ] as const)
        roundTrip(one, other);
  });

  it('is short where a number changes and an item is added', () => {
    const items = Array.from({ length: 500 }, (_, index) => `"2024-01-${index}":{"count":${index},"sum":"12.5"}`);
    const base = `{"total":499,"items":{${items.join(',')}}}`;
    const text = `{"total":500,"items":{${[...items, '"2024-02-01":{"count":1,"sum":"1"}'].join(',')}}}`;
    expect(roundTrip(base, text)).toBeLessThan(60);
    expect(roundTrip(text, base)).toBeLessThan(30);
  });

  it('is short where many small numbers change', () => {
    const counters = (count: number) =>
      JSON.stringify({ a: count, b: count * 7, c: `x${count}`, rate: count / 3, open: { d: count, e: [count] } });
    for (let count = 1; count < 300; count++) expect(roundTrip(counters(count + 1), counters(count))).toBeLessThan(90);
  });

  it('refuses a base that it was not made of', () => {
    const delta = deltaOf(Buffer.from('a long text that both have in common'), Buffer.from('a long text that both have in common!'));
    expect(() => applyDelta(Buffer.from('short'), delta)).toThrow(RangeError);
  });
});
