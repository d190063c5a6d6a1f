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
