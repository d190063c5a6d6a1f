import { expect, it } from '@jest/globals';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { RefreshedValue } from './refreshed.js';

it('a figure is looked for by one look at a time, and stays while a look fails', async () => {
  let looks = 0;
  const figure = new RefreshedValue(async () => {
    looks += 1;
    if (looks > 1) throw new Error('the store is away');
    return looks;
  }, 0);
  expect(await Promise.all([figure.newest(), figure.newest()])).toEqual([1, 1]);
  expect(looks).toBe(1);
  for (let again = 0; again < 100 && looks < 2; again += 1) expect(await figure.newest()).toBe(1);
  expect(await figure.newest()).toBe(1);
});

it('a figure that nobody has found is not known', async () => {
  const figure = new RefreshedValue(() => Promise.reject(new Error('never')), 60_000);
  expect(await figure.newest()).toBeNull();
});

it('a figure that nobody has requested for a while is found anew before it is returned', async () => {
  const goOn = stopClock();
  let looks = 0;
  const figure = new RefreshedValue(async () => ++looks, 0);
  expect(await figure.newest()).toBe(1);
  goOn(60_000);
  expect(await figure.newest()).toBe(2);
});
