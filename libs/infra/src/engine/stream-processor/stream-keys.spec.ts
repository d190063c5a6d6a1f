import { expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { contextAt } from '#test/support/projections/guest-list.js';
import { inTurns } from '#test/support/turns.js';
import { StreamKeys } from './stream-keys.js';

it('the keys of many events are learned in turns', async () => {
  const pass = stopClock();
  const time = '2024-05-01T10:00:00.000Z';
  const newestFirst = Array.from({ length: 500 }, (_, n) => {
    const idempotency = { key: `key ${499 - n}`, body: 'b' };
    return { revision: BigInt(499 - n), metadata: { ...contextAt(time, idempotency), schemaVersion: 1 } } as RecordedEvent;
  });
  const keys = new StreamKeys(() => ({
    pageBefore: async () => newestFirst,
    currentMetadata: (metadata) =>
      Object.defineProperty({ ...metadata }, 'time', {
        get: () => {
          pass(1);
          return time;
        },
      }),
    stored: async () => undefined,
    use: async () => undefined,
  }));
  const turns = await inTurns(async (turn) => {
    await keys.load([], time, 499n);
    return turn();
  });
  expect(turns).toBeGreaterThan(10);
  expect(keys.find('key 17', time)).toMatchObject({ first: 17n, count: 1 });
});
