import { beforeEach, describe, expect, it } from '@jest/globals';
import { PartitionSetAside, type ReadStore, type ReadView } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { ledgerProjection } from '#test/support/projections/ledger-projection.js';
import { PartitionedRead, partitionedView, readAcross, readings } from './partitioned-view.js';
import { SetAside } from './set-aside.js';
import { SetAsideTracker } from './set-aside-tracker.js';

const texts = {
  accounts: { a: '{"sum":1}', b: '{"sum":2}' },
  history: { 'a/1': '1', 'a/2': '2', 'b/1': '1' },
  names: { ann: '{"owner":"a"}', bob: '{"owner":"b"}', cy: '{"owner":"b"}' },
  sums: { 0: '7' },
};
const projection = ledgerProjection(() => true);
const aside = (...partitions: readonly string[]): SetAside =>
  new SetAside(
    partitions.map((id) => ({
      id,
      partitions: new Map([[id, 5n]]),
      failure: { position: 5n, eventId: 'e', type: 'Entered', message: 'm', at: 't' },
      resuming: false,
      after: 4n,
      waiting: 1,
    })),
  );

describe('a view of documents of which some partitions are set aside', () => {
  let tracker: SetAsideTracker;
  let view: ReadView;
  let notes: number;
  const reading = <T>(read: () => Promise<T>): Promise<T> =>
    readings.run(
      new PartitionedRead(() => {
        notes += 1;
      }),
      read,
    );
  const refused = async (read: Promise<unknown>): Promise<void> => {
    await expect(read).rejects.toBeInstanceOf(PartitionSetAside);
    await expect(read).rejects.toMatchObject({ projection: 'test.ledger', partition: 'owner:a' });
  };
  beforeEach(() => {
    notes = 0;
    tracker = new SetAsideTracker();
    tracker.take({ setAside: aside('owner:a'), token: 'm' });
    view = partitionedView({ store: {} as ReadStore, inner: memoryView(texts), projection, tracker });
  });

  it('refuses documents of a set-aside partition, whether the key or the document names it', async () => {
    await refused(view.get('accounts', 'a'));
    await refused(view.get('accounts', 'a/b'));
    await refused(view.get('names', 'ann'));
    await refused(view.range('history', { gte: 'a/', lt: 'a0' }));
    await refused(view.range('history', { gte: 'a/1', lte: 'a/7', reverse: true, limit: 1 }));
    await refused(view.ranges('history', [{ gte: 'a/', lt: 'a0' }]));
    await refused(view.count('history', { gt: 'a/', lt: 'a0' }));
    await refused(view.getMany('history', ['a/1', 'a/9']));
    expect(notes).toBe(0);
  });

  it('answers for all others as usual, and reports nothing', async () => {
    await reading(async () => {
      expect(String(await view.get('accounts', 'b'))).toBe('{"sum":2}');
      expect(await view.get('accounts', 'never')).toBeNull();
      expect(String(await view.get('names', 'bob'))).toBe('{"owner":"b"}');
      expect(await view.get('names', 'never')).toBeNull();
      expect(await view.range('history', { gte: 'b/', lt: 'b0' })).toHaveLength(1);
      expect(await view.count('history', { gte: 'b/', lt: 'b0' })).toBe(1);
      expect(await view.getMany('accounts', ['b', 'c'])).toHaveLength(2);
      expect(await view.range('names', { gte: 'bob', lte: 'cy' })).toHaveLength(2);
      expect(await view.ranges('history', [])).toEqual([]);
    });
    expect(notes).toBe(0);
  });

  it.each<readonly [string, (of: ReadView) => Promise<unknown>, number]>([
    ['all records', (of) => of.range('accounts', {}), 2],
    ['a page of them', (of) => of.range('accounts', { gt: 'a', limit: 1 }), 1],
    ['a page across two', (of) => of.range('history', { gte: 'a/2', lt: 'b0' }), 2],
    ['records found by their documents', (of) => of.range('names', {}), 3],
    [
      'some ranges that are not all of it',
      (of) =>
        of.ranges('history', [
          { gte: 'a/', lt: 'a0' },
          { gte: 'b/', lt: 'b0' },
        ]),
      2,
    ],
    ['parts that are not all of it', (of) => of.getMany('history', ['a/1', 'b/1']), 2],
    ['records that others refer to', (of) => of.getMany('accounts', ['a']), 1],
    ['the same by their documents', (of) => of.getMany('names', ['ann']), 1],
    ['what is shared', async (of) => [await of.get('sums', '0')], 1],
    ['a stretch with something of it', (of) => of.range('names', { gte: 'a', lte: 'b' }), 1],
  ])('shows it as it was among others, and says so: %s', async (_, read, count) => {
    expect(await reading(() => read(view))).toHaveLength(count);
    expect(notes).toBeGreaterThan(0);
    expect(await read(view)).toHaveLength(count);
  });

  it('counts across partitions', async () => {
    expect(await reading(() => view.count('accounts', {}))).toBe(2);
    expect(notes).toBeGreaterThan(0);
  });

  it('keeps showing the earlier state to an answer that has begun with several partitions', async () => {
    await reading(async () => {
      await view.range('accounts', {});
      expect(String(await view.get('accounts', 'a'))).toBe('{"sum":1}');
    });
    await reading(() => refused(view.get('accounts', 'a')));
  });

  it('shows the earlier state if a caller asks for several partitions in any state', async () => {
    expect(await readAcross(() => view.ranges('history', [{ gte: 'a/', lt: 'a0' }]))).toHaveLength(1);
    expect(await reading(() => readAcross(() => view.getMany('history', ['a/1'])))).toHaveLength(1);
    expect(notes).toBeGreaterThan(0);
    await expect(readAcross(() => Promise.reject(new Error('another')))).rejects.toThrow('another');
  });

  it('reports nothing once nothing is set aside any more', async () => {
    tracker.take({ setAside: SetAside.NONE, token: '' });
    expect(String(await reading(() => view.get('accounts', 'a')))).toBe('{"sum":1}');
    expect(await reading(() => view.range('accounts', {}))).toHaveLength(2);
    expect(notes).toBe(0);
  });
});
