import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openRunnerLab, overEvents, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { behindHead } from './lag.js';

const LARGE = 2 ** 20;
const EMPTY = { name: 'tally', categories: ['test.tally'], position: 0n, shown: null, again: async () => 0n };

let lab: RunnerLab;
beforeEach(async () => {
  lab = await openRunnerLab('embedded');
});
afterEach(() => lab.dispose());

it('counts large events, too, which make short pages of the log', async () => {
  let last = 0n;
  for (let count = 0; count < 12; count++) last = await lab.append([{ type: 'Counted', data: { name: 'a'.repeat(LARGE), by: 1 } }]);
  const pages: boolean[] = [];
  const events = overEvents(lab.events, {
    readAll: async (options) => {
      const page = await lab.events.readAll(options);
      pages.push(page.caughtUp);
      return page;
    },
  });
  const { head, lag } = await behindHead(events, EMPTY, Date.now());
  expect([head, lag.events, pages[0], pages.at(-1)]).toEqual([last, 12, false, true]);
});

it('searches for the newest event for as long as a call waits', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const events = overEvents(lab.events, {
    head: async (_categories, signal) => {
      signals.push(signal);
      return 0n;
    },
  });
  await behindHead(events, EMPTY, Date.now());
  expect(signals).toEqual([expect.any(AbortSignal)]);
});
