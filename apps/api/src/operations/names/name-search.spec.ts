import { expect, it } from '@jest/globals';
import { rankOf } from './name-search.js';
import { lookedThrough } from './pages.js';

const { signal: unhurried } = new AbortController();

it('looks through records without holding the event loop, also where every page is there at once', async () => {
  const pages = async function* () {
    for (let page = 0; page < 20; page++) {
      for (const end = performance.now() + 5; performance.now() < end; );
      yield ['a', 'b'];
    }
  };
  let [turns, looked] = [0, 0];
  const turn = (): void => {
    turns++;
    if (looked < 40) setImmediate(turn);
  };
  setImmediate(turn);
  for await (const page of lookedThrough(pages(), unhurried)) looked += page.length;
  expect([looked, turns > 5]).toEqual([40, true]);
});

it('ends after so many slices of time, but not because it waits', async () => {
  const looked = async (pages: () => AsyncIterable<readonly string[]>): Promise<number> => {
    let count = 0;
    for await (const page of lookedThrough(pages(), unhurried, 5)) count += page.length;
    return count;
  };
  const busy = async function* () {
    for (;;) {
      for (const end = performance.now() + 10; performance.now() < end; );
      yield ['a'];
    }
  };
  const waiting = async function* () {
    for (let page = 0; page < 3; page++) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      yield ['a'];
    }
  };
  expect([await looked(busy), await looked(waiting)]).toEqual([5, 3]);
});

it('ends once nobody waits for what it finds', async () => {
  const gone = new AbortController();
  let looked = 0;
  const pages = async function* () {
    for (;;) yield [++looked];
  };
  for await (const _ of lookedThrough(pages(), gone.signal)) if (looked === 3) gone.abort();
  expect(looked).toBe(3);
});

it('an id is a better match than a name that is the same text', () => {
  const [id, text] = ['X1', 'X1'];
  expect(rankOf('mallory', id, text)).toBeLessThan(rankOf(text, 'decoy', text));
  expect(rankOf('x1', 'decoy', text)).toBe(rankOf('X1', 'decoy', text));
});
