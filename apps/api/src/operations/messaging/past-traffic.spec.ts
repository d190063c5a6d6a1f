import { expect, it } from '@jest/globals';
import type { PastApplication } from '#api/as-of/past-application.js';
import { PastTraffic } from './past-traffic.js';

const NOW = Date.parse('2026-03-01T12:04:00Z');

it('counts again when the audit index begins anew, because the log is another one', async () => {
  let total = 600;
  const index = { build: 'one' };
  const over = async (_: unknown, read: (store: never) => Promise<unknown>) => read({ view: () => undefined } as never);
  const traffic = new PastTraffic({ over } as unknown as PastApplication, () => NOW, { index });
  const inLastBin = async (now: number) =>
    (await traffic.lastHour({ published: { id: 'a', now, read: async () => total } })).published?.at(-1);
  expect(await inLastBin(605)).toBe(5);
  total = 7;
  index.build = 'another';
  expect(await inLastBin(9)).toBe(2);
});
