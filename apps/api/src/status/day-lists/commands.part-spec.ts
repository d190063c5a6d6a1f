import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { topologyServiceTypesKind } from '#api/status/topology/service-types.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import { type TopologyServiceType, topologyServiceTypes } from '#domain/status/topology/topology.js';
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

describe('Writing a day list', () => {
  it('appends a long list in several steps, and shows all of it in the order of names', async () => {
    const names = Array.from({ length: 20_000 }, (_item, n) => `${n} ${'x'.repeat(50)}`);
    expect(await write('t-2', names.map(named))).toMatchObject({ count: 20_000, readable: true });
    expect(await namesOn('t-2')).toEqual(names.toSorted());
  });

  describe('of several steps under an idempotency key', () => {
    const keyed = { ...contextFor('status'), idempotency: { key: 'long', body: 'b' } };
    const [before, after] = [5_000_000, 20_000]; // items are read when they are written, not kept
    const names = Array.from({ length: after }, (_item, n) => `${n} ${'x'.repeat(50)}`);

    /** The call under the key, whose items cannot be read any more from this read on. */
    const writeLong = (tenantId: string, lastRead = Number.POSITIVE_INFINITY) => {
      let reads = 0;
      const items = (): SentItems<TopologyServiceType> => ({
        places: () => names.map((_name, n) => ({ start: before + n, end: before + n + 1 })),
        read: ({ start }) => {
          if (++reads > lastRead) throw new Error('the process ended');
          return named(names[start - before] ?? '');
        },
      });
      return application.execute(new WriteTopologyServiceTypes(keyed, { tenantId, date: '2024-01-01', items }));
    };

    it('is decided anew if it had not been completed', async () => {
      await expect(writeLong('t-8', 2 * after - 1)).rejects.toThrow('the process ended');
      await write('t-8', [named('a')]);
      await expect(writeLong('t-8')).rejects.toMatchObject({ code: 'DAY_TAKEN' });
      await remove('t-8');
      expect(await writeLong('t-8')).toMatchObject({ count: after, readable: true });
      expect(await namesOn('t-8')).toEqual(names.toSorted());
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
    const keyed = { ...contextFor('status'), idempotency: { key: 'undated', body: 'b' } };
    const writeOn = (date: string, undated: boolean) =>
      application.execute(new WriteTopologyServiceTypes(keyed, { tenantId: 't-10', date, items: sent([named('a')]), undated }));
    const first = await writeOn('2024-02-28', true);
    for (const later of ['2024-02-29', '2024-03-01']) {
      expect([later, await writeOn(later, true)]).toEqual([later, first]);
      expect(await namesOn('t-10', later)).toBeUndefined();
    }
    expect(first.date).toBe('2024-02-28');
    expect(await writeOn('2024-02-29', false)).toEqual({ ...first, date: '2024-02-29' }); // asks for another day
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
