import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { topologyServiceTypesKind } from '#api/status/topology/service-types.js';
import { streamOfDay } from '#domain/status/day-lists/day-lists.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import { type TopologyServiceType, topologyServiceTypes } from '#domain/status/topology/topology.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import type { DayListQueries } from '#projections/status/day-lists/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import type { SentItems } from './commands.js';
import { dayListQueriesOf } from './providers.js';

const { write: WriteTopologyServiceTypes, delete: DeleteTopologyServiceTypes } = topologyServiceTypesKind.commands;

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const named = (name: string): TopologyServiceType => ({ name, title: '', description: '' });

/** These items, each at its place in a body; `undefined` stands for one that cannot be parsed. */
const sent = (items: readonly (TopologyServiceType | undefined)[]) => (): SentItems<TopologyServiceType> => ({
  places: () => items.map((_item, start) => ({ start, end: start + 1 })),
  read: ({ start }) => {
    const item = items[start];
    if (!item) throw new MalformedJson('no item');
    return item;
  },
});

const write = (tenantId: string, items: readonly (TopologyServiceType | undefined)[]) =>
  application.execute(new WriteTopologyServiceTypes(contextFor('status'), { tenantId, date: '2024-01-01', items: sent(items) }));
const remove = (tenantId: string) =>
  application.execute(new DeleteTopologyServiceTypes(contextFor('status'), { tenantId, date: '2024-01-01' }));

const namesOn = async (tenantId: string, date = '2024-01-01'): Promise<readonly string[] | undefined> => {
  const list = await application.get<DayListQueries>(dayListQueriesOf(topologyServiceTypes)).of(tenantId, date);
  if (!list) return undefined;
  const names: string[] = [];
  for await (const { items } of list.items<TopologyServiceType>()) names.push(...items.map(({ item }) => item.name));
  return names;
};

const keyedFor = (tenantId: string, body = 'b') => ({ ...contextFor('status'), idempotency: { key: tenantId, body } });

/** A call without a date under a key, on this day. */
const writeUndated = (tenantId: string, date: string) =>
  application.execute(new WriteTopologyServiceTypes(keyedFor(tenantId), { tenantId, date, items: sent([named('a')]), undated: true }));

describe('Writing a day list', () => {
  it('appends a long list in several steps, and shows all of it in the order of names', async () => {
    const names = Array.from({ length: 20_000 }, (_item, n) => `${n} ${'x'.repeat(50)}`);
    expect(await write('t-2', names.map(named))).toMatchObject({ count: 20_000, readable: true });
    expect(await namesOn('t-2')).toEqual(names.toSorted());
  });

  describe('of several steps under an idempotency key', () => {
    const [before, after] = [5_000_000, 20_000]; // items are read when they are written, not kept
    const names = Array.from({ length: after }, (_item, n) => `${n} ${'x'.repeat(50)}`);

    /** The call under the key, whose items cannot be read any more from this read on. */
    const writeLong = (tenantId: string, lastRead = Number.POSITIVE_INFINITY, date = '2024-01-01') => {
      let reads = 0;
      const items = (): SentItems<TopologyServiceType> => ({
        places: () => names.map((_name, n) => ({ start: before + n, end: before + n + 1 })),
        read: ({ start }) => {
          if (++reads > lastRead) throw new Error('the process ended');
          return named(names[start - before] ?? '');
        },
      });
      return application.execute(new WriteTopologyServiceTypes(keyedFor(tenantId), { tenantId, date, items, undated: true }));
    };

    it('is decided anew if it had not been completed', async () => {
      await expect(writeLong('t-8', 2 * after - 1)).rejects.toThrow('the process ended');
      await write('t-8', [named('a')]);
      await expect(writeLong('t-8')).rejects.toMatchObject({ code: 'DAY_TAKEN' });
      await remove('t-8');
      expect(await writeLong('t-8')).toMatchObject({ count: after, readable: true });
      expect(await namesOn('t-8')).toEqual(names.toSorted());
    });

    it('is completed for the day on which it began', async () => {
      await expect(writeLong('t-12', 2 * after - 1)).rejects.toThrow('the process ended');
      expect(await writeLong('t-12', undefined, '2024-01-02')).toMatchObject({ date: '2024-01-01', count: after });
      expect(await namesOn('t-12')).toEqual(names.toSorted());
      expect(await namesOn('t-12', '2024-01-02')).toBeUndefined();
    });

    it('is not repeated once it was completed', async () => {
      const first = await writeLong('t-9');
      expect(await writeLong('t-9')).toEqual(first);
      await remove('t-9');
      expect(await writeLong('t-9')).toEqual(first);
      expect(await namesOn('t-9')).toBeUndefined();
    });
  });

  it('of a call without a date is not repeated under its key after midnight', async () => {
    const first = await writeUndated('t-10', '2024-02-28');
    for (const later of ['2024-02-29', '2024-03-01']) {
      expect([later, await writeUndated('t-10', later)]).toEqual([later, first]);
      expect(await namesOn('t-10', later)).toBeUndefined();
    }
    expect(first.date).toBe('2024-02-28');
  });

  it('of a call without a date is not repeated under its key on a node whose clock has not reached midnight', async () => {
    const first = await writeUndated('t-11', '2024-02-28');
    expect(await writeUndated('t-11', '2024-02-27')).toEqual(first);
    expect(await namesOn('t-11', '2024-02-27')).toBeUndefined();
  });

  it('of a call without a date that was refused is decided anew for the day of the first call', async () => {
    await write('t-14', [named('a')]);
    const refused = { code: 'DAY_TAKEN', details: { date: '2024-01-01' } };
    for (const day of ['2024-01-01', '2024-01-02']) await expect(writeUndated('t-14', day)).rejects.toMatchObject(refused);
    await remove('t-14');
    expect(await writeUndated('t-14', '2024-01-02')).toMatchObject({ date: '2024-01-01' });
  });

  it('of a call of release 1.0.0, whose key only its day has, is not repeated', async () => {
    const date = '2024-02-28';
    const command = { type: 'ListDay', tenantId: 't-15', date, upload: 'u', count: 1, parts: 1, first: 0, items: [[named('a')]] } as const;
    const stream = streamOfDay(topologyServiceTypes, 't-15', date);
    await application.get(StreamProcessor).execute({ stream, decider: topologyServiceTypes.decider, context: keyedFor('t-15'), command });
    for (const later of ['2024-02-29', '2024-03-01', '2024-02-29']) {
      expect(await writeUndated('t-15', later)).toMatchObject({ date, count: 1 });
      expect(await namesOn('t-15', later)).toBeUndefined();
    }
  });

  it('under the key of a call for another day is refused', async () => {
    const writeOn = (date: string) =>
      application.execute(new WriteTopologyServiceTypes(keyedFor('t-13', date), { tenantId: 't-13', date, items: sent([named('a')]) }));
    await writeOn('2024-02-28');
    await expect(writeOn('2024-02-29')).rejects.toMatchObject({ name: 'IdempotencyKeyReused' });
    expect(await namesOn('t-13', '2024-02-29')).toBeUndefined();
  });

  it('is refused for a day that has a list, also when the items are malformed or over a limit', async () => {
    await write('t-3', [named('a')]);
    await expect(write('t-3', [named('b')])).rejects.toMatchObject({ code: 'DAY_TAKEN' });
    await expect(write('t-3', [undefined])).rejects.toMatchObject({ code: 'DAY_TAKEN' });
    const long = [named('x'.repeat(STATUS_LIMITS.itemSize.value))];
    await expect(write('t-3', long)).rejects.toMatchObject({ code: 'DAY_TAKEN' });
    await expect(write('t-7', long)).rejects.toMatchObject({ code: 'OVER_LIMIT' });
    expect(await namesOn('t-3')).toEqual(['a']);
  });

  it('writes nothing when one item is malformed', async () => {
    await expect(write('t-4', [named('a'), undefined])).rejects.toThrow(MalformedJson);
    expect(await namesOn('t-4')).toBeUndefined();
  });
});
