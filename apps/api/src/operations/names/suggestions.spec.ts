import { expect, it } from '@jest/globals';
import { lookedThrough } from './suggestions.js';

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
  for await (const page of lookedThrough(pages())) looked += page.length;
  expect([looked, turns > 5]).toEqual([40, true]);
});
