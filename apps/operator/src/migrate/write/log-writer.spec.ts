import { expect, it } from '@jest/globals';
import { LogWriter } from './log-writer.js';
import { dryTarget, type MigratedEvent } from './target.js';

it('dates no event later than the start of the run, as log time would stand still until then', async () => {
  const appended: MigratedEvent[] = [];
  const append = async (_stream: string, events: readonly MigratedEvent[]) => BigInt(appended.push(...events));
  const writer = new LogWriter({ ...dryTarget(), append }, 'accounting', false);
  const take = (id: string, time: string) => {
    const event = { type: 'ResourceDeleted', data: { resourceId: id } } as const;
    return writer.record({ collection: 'Resource', id }, `s-${id}`, [{ event, time }]);
  };
  await take('past', '2021-01-01T00:00:00.000Z');
  await take('future', '9999-01-01T00:00:00.000Z');
  const [past, future] = appended.map(({ metadata }) => metadata.time);
  expect([past, Date.parse(future ?? '') <= Date.now()]).toEqual(['2021-01-01T00:00:00.000Z', true]);
  expect(['past', 'future'].map((id) => writer.isPostdated({ collection: 'Resource', id }))).toEqual([false, true]);
});

it('writes streams in the order of their first use, also if one of them has many events', async () => {
  const appended: string[] = [];
  const append = async (stream: string, events: readonly MigratedEvent[]) => BigInt(appended.push(...events.map(() => stream)));
  const writer = new LogWriter({ ...dryTarget(), append }, 'accounting', false);
  const decider = { initialState: () => 0, decide: () => [], evolve: (state: number) => state + 1 };
  const take = (stream: string, id: number) => {
    const event = { type: 'ResourceDeleted', data: { resourceId: `${id}` } } as const;
    const steps = [{ event, time: '2021-01-01T00:00:00.000Z' }];
    return writer.decide({ origin: { collection: 'Resource', id: `${stream} ${id}` }, stream, decider, steps });
  };
  await take('first', 0);
  for (let id = 0; id < 600; id++) await take('second', id);
  await writer.flush();
  expect(appended).toEqual(['first', ...Array.from({ length: 600 }, () => 'second')]);
});
