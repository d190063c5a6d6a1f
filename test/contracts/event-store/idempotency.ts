import { expect } from '@jest/globals';
import type { ExpectedRevision } from '#domain/shared/event-store.js';
import { idsOf, newEvent, newEvents, type OpenEventStore, readWhole, storeTests } from './fixture.js';

export const idempotencyContract = (open: OpenEventStore): void => {
  const test = storeTests(open);
  const expectations: readonly ExpectedRevision[] = ['no-stream', 1n, { from: 1n, sentBefore: true }];

  for (const expected of expectations) {
    const title = typeof expected === 'object' ? 'from a revision' : expected;
    test(`answers a repeated append as the first time: ${title}`, async ({ store, stream, reopen }) => {
      const name = stream();
      const earlier = expected === 'no-stream' ? [] : newEvents(2);
      if (earlier.length > 0) await store.append(name, earlier, 'no-stream');
      const events = newEvents(3);
      const first = await store.append(name, events, expected);
      expect(await store.append(name, events, expected)).toEqual(first);
      const later = newEvents(60);
      await store.append(name, later, first.revision);
      expect(await store.append(name, events, expected)).toEqual(first);
      const reopened = await reopen();
      expect(await reopened.append(name, events, expected)).toEqual(first);
      expect(idsOf(await readWhole(reopened, name))).toEqual(idsOf([...earlier, ...events, ...later]));
    });
  }

  test('answers a repeated append although the data now differ', async ({ store, stream }) => {
    const name = stream();
    const event = newEvent({ n: 1 });
    const first = await store.append(name, [event], 'no-stream');
    expect(await store.append(name, [{ ...event, data: { n: 2 } }], 'no-stream')).toEqual(first);
    expect((await readWhole(store, name)).map(({ data }) => data)).toEqual([{ n: 1 }]);
  });

  test('answers the first part of an earlier append with the place of that part', async ({ store, stream }) => {
    const name = stream();
    const events = newEvents(3);
    await store.append(name, events, 'no-stream');
    const recorded = await readWhole(store, name);
    expect(await store.append(name, events.slice(0, 2), 'no-stream')).toEqual({ revision: 1n, position: recorded[1]?.position });
    expect(await readWhole(store, name)).toHaveLength(3);
  });

  test('refuses an append of which only a part is known, and one with other ids', async ({ store, stream }) => {
    const name = stream();
    const events = newEvents(2);
    await store.append(name, events, 'no-stream');
    const attempts = [[...events, newEvent()], [...events.slice(0, 1), newEvent()], [...events].reverse(), newEvents(2)];
    for (const attempt of attempts) {
      await expect(store.append(name, attempt, 'no-stream')).rejects.toMatchObject({ name: 'WrongExpectedRevision', actual: 1n });
    }
    expect(idsOf(await readWhole(store, name))).toEqual(idsOf(events));
  });

  test('takes an id that another stream holds for a new event', async ({ store, stream }) => {
    const [one, other] = [stream(), stream()];
    const events = newEvents(1);
    await store.append(one, events, 'no-stream');
    await store.append(other, events, 'no-stream');
    expect(idsOf(await readWhole(store, other))).toEqual(idsOf(events));
  });

  test('writes once when the same append is sent many times at once', async ({ store, secondProcess, stream }) => {
    const name = stream();
    const events = newEvents(2);
    const second = await secondProcess();
    const results = await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 ? store : second).append(name, events, 'no-stream')));
    for (const result of results) expect(result).toEqual(results[0]);
    expect(idsOf(await readWhole(store, name))).toEqual(idsOf(events));
  });
};
