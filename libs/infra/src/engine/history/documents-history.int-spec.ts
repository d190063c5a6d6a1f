import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventBatch, type EventStore, EventStoreUnavailable, type ReadAllOptions } from '#domain/shared/event-store.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { type DocumentStoreOptions, openDocumentStore } from '#infra/stores/document-store/open.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/stores/read-store/sealed/sealed-read-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { History } from '#projections/shared/past.js';
import { type Projection, textCodec } from '#projections/shared/projection.js';
import { openRestorableLog } from '#test/support/event-stores/restorable-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { decodeTally, newTallyEvent, type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { PATIENT_TIMING } from '#test/support/projections/timing.js';
import { DocumentsHistory } from './documents-history.js';
import { isIrreplaceable } from './irreplaceable.js';

/** `expiring`: categories that lose events. `keepsPast`: default true. */
type Given = Readonly<{ log?: EventStore; expiring?: readonly string[]; keepsPast?: boolean }>;

/** A log that cannot be read after a position. */
class ReadUpTo extends DelegatingEventStore {
  isStuck = false;

  constructor(
    log: EventStore,
    private readonly last: bigint,
  ) {
    super(log);
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    this.isStuck ||= (options.after ?? 0n) >= this.last;
    if (this.isStuck) throw new EventStoreUnavailable('it is stuck');
    return super.readAll({ ...options, limit: 1 });
  }
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const opening = async (log: EventStore): Promise<EventStore> => {
  const events = new OpeningEventStore(log, async () => undefined);
  await events.open();
  return events;
};

describe('the past of documents', () => {
  let directory: string;
  let events: EventStore;
  let embedded: ReturnType<typeof openEmbeddedEventStore>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-past-'));
    embedded = openEmbeddedEventStore({ path: join(directory, 'log') });
    events = await opening(embedded);
  });
  afterEach(async () => {
    await events.close();
    await rm(directory, { recursive: true });
  });

  /** Starts the read models of a process that keeps their past. */
  const start = async (projections: readonly Projection[], { log = events, expiring = [], keepsPast = true }: Given = {}) => {
    const keys = await SubjectKeys.open({ store: events, masterKey: Buffer.alloc(32, 1) });
    const sealed = new SealedDocuments(keys, projections);
    const keepsBuild: DocumentStoreOptions['keepsBuild'] = (name, build) =>
      projections.some((projection) => projection.name === name && isIrreplaceable(projection, expiring, build));
    const path = join(directory, 'documents');
    const carriesPast = (name: string): boolean => projections.some((one) => one.name === name && one.past === 'in-documents');
    const keeps = (name: string): boolean => keepsPast && !carriesPast(name);
    const documents = await openDocumentStore({ path, report: () => undefined, keepsPast: keeps, carriesPast, keepsBuild });
    const store = new SealedReadStore(documents, sealed);
    const common = { events: log, decode: decodeTally, expiring, log: silent, now: Date.now, timing: PATIENT_TIMING };
    const readModels = new ReadModels({ ...common, store }, projections);
    const history = new DocumentsHistory({ store: documents, projections, sealed, readModels });
    readModels.start();
    const stop = async (): Promise<void> => {
      await readModels.stop();
      await documents.close();
    };
    return { history, readModels, documents, stop };
  };

  const append = async (given: readonly TallyEvent[], stream = 'test.tally-1') =>
    (await events.append(stream, given.map(newTallyEvent), 'any')).position;

  const totalsAt = async (history: History, position: bigint, projection = 'test.tally') => {
    expect(await history.reach(position, LONGEST_MS, projection)).toBe('reached');
    const found = await history.view(projection, position).range('totals', {});
    return Object.fromEntries(found.map(({ key, value }) => [key, JSON.parse(value.toString()).sum]));
  };

  const added = (name: string, by: number): TallyEvent => ({ type: 'Counted', data: { name, by } });

  it('goes on where it stopped, and shows every position before and after', async () => {
    const first = await append([added('a', 1), added('b', 2)]);
    const one = await start([tallyProjection()]);
    expect(await totalsAt(one.history, first)).toEqual({ a: 1, b: 2 });
    await one.stop();
    const second = await append([added('a', 3)]);
    const two = await start([tallyProjection()]);
    expect(await totalsAt(two.history, second)).toEqual({ a: 4, b: 2 });
    expect(await totalsAt(two.history, first)).toEqual({ a: 1, b: 2 });
    expect(await totalsAt(two.history, first - 1n)).toEqual({ a: 1 });
    await two.stop();
  });

  it('has what events remove and revive', async () => {
    const counted = await append([added('a/1', 1), added('a/2', 2), added('b', 3)]);
    const cleared = await append([{ type: 'Cleared', data: { prefix: 'a/' } }]);
    const again = await append([added('a/2', 5)]);
    const { history, stop } = await start([tallyProjection()]);
    expect(await totalsAt(history, again)).toEqual({ 'a/2': 5, b: 3 });
    expect(await totalsAt(history, cleared)).toEqual({ b: 3 });
    expect(await totalsAt(history, counted)).toEqual({ 'a/1': 1, 'a/2': 2, b: 3 });
    await stop();
  });

  it('has what is appended while it is kept', async () => {
    const { history, stop } = await start([tallyProjection()]);
    const positions: bigint[] = [];
    for (let count = 1; count <= 20; count++) positions.push(await append([added('a', 1)]));
    for (const [index, position] of positions.entries()) expect(await totalsAt(history, position)).toEqual({ a: index + 1 });
    await stop();
  });

  it('is built anew over another log', async () => {
    const position = await append([added('a', 1)]);
    const before = await start([tallyProjection()]);
    expect(await totalsAt(before.history, position)).toEqual({ a: 1 });
    await before.stop();
    await events.close();
    events = await opening(openEmbeddedEventStore({ path: join(directory, 'other-log') }));
    const other = await append([added('b', 7)]);
    const after = await start([tallyProjection()], { expiring: ['test.tally'] });
    expect(await totalsAt(after.history, await append([added('c', 1)]))).toEqual({ b: 7, c: 1 });
    expect(await totalsAt(after.history, other)).toEqual({ b: 7 });
    expect(after.documents.pastOf('test.tally')).toHaveLength(1);
    await after.stop();
  });

  it('is built anew as soon as a shorter copy of the log has come back, though nothing is appended to it', async () => {
    const remote = await openRestorableLog('EventStoreDB');
    await events.close();
    events = await opening(remote.store());
    const kept = await append([added('a', 1)]);
    const backup = await remote.backup();
    const lost = await append([added('a', 10)]);
    const { history, stop } = await start([tallyProjection()]);
    expect(await totalsAt(history, lost)).toEqual({ a: 11 });
    await remote.restore(backup);
    await until(async () => (await history.reach(lost)) === 'behind');
    expect(await totalsAt(history, kept)).toEqual({ a: 1 });
    await stop();
    await remote.dispose();
  });

  it('of a new version of a projection is built anew while the others stay', async () => {
    const other = tallyProjection({ name: 'test.other' });
    const first = await append([added('a', 1), added('a', 1)]);
    const before = await start([tallyProjection(), other]);
    expect(await totalsAt(before.history, first)).toEqual({ a: 2 });
    await before.stop();
    const after = await start([tallyProjection({ version: 2 }), other]);
    const last = await append([added('a', 1)]);
    expect(await totalsAt(after.history, last)).toEqual({ a: 3 });
    expect(await totalsAt(after.history, last, 'test.other')).toEqual({ a: 3 });
    expect(await totalsAt(after.history, first - 1n)).toEqual({ a: 1 });
    await after.stop();
  });

  describe('of a projection whose events leave the log', () => {
    const expiring = ['test.tally'];
    const version = (number: number, more: Partial<Projection> = {}): Projection => ({ ...tallyProjection({ version: number }), ...more });
    const expire = async (stream: string) => {
      await embedded.truncate(stream, 1n);
      await embedded.sweep();
      await events.close(); // it holds the newest events in memory
      embedded = openEmbeddedEventStore({ path: join(directory, 'log') });
      events = await opening(embedded);
    };
    /** Appends two events, of which the first leaves the log, then one more. */
    const expired = async (shown: Projection | null) => {
      const first = await append([added('a', 1)]);
      const second = await append([added('a', 10)]);
      if (shown) {
        const before = await start([shown], { expiring });
        expect(await totalsAt(before.history, second)).toEqual({ a: 11 });
        await before.stop();
      }
      await expire('test.tally-1');
      return { first, second, third: await append([added('b', 1)], 'test.tally-2') };
    };

    it('is what earlier versions have shown, and no positions that nobody has', async () => {
      const { first, second, third } = await expired(version(1));
      for (const number of [2, 3, 3]) {
        const { history, documents, stop } = await start([version(number)], { expiring });
        await until(async () => (await documents.served('test.tally'))?.version === number);
        expect(await totalsAt(history, third)).toEqual({ a: 10, b: 1 });
        expect(await totalsAt(history, first)).toEqual({ a: 1 });
        expect(history.status().from).toBe(0n);
        await stop();
      }
      const { history, stop } = await start([version(4, { readsFrom: 4 })], { expiring });
      expect(await totalsAt(history, third)).toEqual({ a: 10, b: 1 });
      expect(await totalsAt(history, second)).toEqual({ a: 10 });
      expect(await history.reach(first, 0, 'test.tally')).toBe('lost');
      expect(history.status().from).toBe(second);
      await stop();
    });

    it('stays what it was when the same version is rebuilt, now and after a restart', async () => {
      const { first, second, third } = await expired(version(1));
      const before = await start([version(1)], { expiring });
      expect(await totalsAt(before.history, third)).toEqual({ a: 11, b: 1 });
      await before.readModels.rebuild('test.tally');
      const check = async (history: History): Promise<void> => {
        expect(await totalsAt(history, first)).toEqual({ a: 1 });
        expect(await totalsAt(history, second)).toEqual({ a: 11 });
        expect(await totalsAt(history, third)).toEqual({ a: 11, b: 1 });
      };
      await check(before.history);
      const last = await append([added('b', 1)], 'test.tally-2');
      expect(await totalsAt(before.history, last)).toEqual({ a: 10, b: 2 });
      await before.stop();
      const after = await start([version(1)], { expiring });
      expect(await totalsAt(after.history, last)).toEqual({ a: 10, b: 2 });
      await check(after.history);
      await after.stop();
    });

    it('is what an earlier version has shown while the log is read anew, and the new one knows after a restart what is lost', async () => {
      const { first, second, third } = await expired(version(1));
      await append([added('b', 10)], 'test.tally-2');
      await expire('test.tally-2');
      const stuck = new ReadUpTo(events, second);
      const during = await start([version(2)], { expiring, log: stuck });
      await until(() => stuck.isStuck);
      expect(await totalsAt(during.history, first)).toEqual({ a: 1 });
      expect(await during.history.reach(third, 0, 'test.tally')).toBe('behind');
      await during.stop();
      const after = await start([version(2, { readsFrom: 2 })], { expiring });
      const last = await append([added('b', 100)], 'test.tally-2');
      expect(await totalsAt(after.history, last)).toEqual({ a: 10, b: 110 });
      expect(await after.history.reach(third, 0, 'test.tally')).toBe('lost');
      await after.stop();
    });

    it('is lost for that projection only', async () => {
      const other = tallyProjection({ name: 'test.other', categories: ['test.other'] });
      const early = await append([added('x', 1)], 'test.other-1');
      const { first, third } = await expired(null);
      const { history, stop } = await start([version(1), other], { expiring });
      expect(await totalsAt(history, third, 'test.other')).toEqual({ x: 1 });
      expect(await totalsAt(history, early, 'test.other')).toEqual({ x: 1 });
      expect(await history.reach(third, 10_000)).toBe('reached');
      expect(await history.reach(first, 0, 'test.tally')).toBe('lost');
      await stop();
    });

    it('is lost up to the event that shows that all events of a stream have left the log', async () => {
      const categories = ['test.tally', 'test.records'];
      const recorded: Projection = {
        ...tallyProjection({ categories }),
        reads: ({ data }) => [{ collection: 'totals', key: String(data.name) }],
        hasLost: ({ type, data }, read) => type === 'Dropped' && read('totals', String(data.name)) === undefined,
      };
      await append([added('a', 1)]);
      const before = await append([added('b', 1)], 'test.records-2');
      const record = await append([{ type: 'Dropped', data: { name: 'a' } }], 'test.records-1');
      await append([{ type: 'Dropped', data: { name: 'b' } }], 'test.records-2');
      const last = await append([added('c', 1)], 'test.records-2');
      await expire('test.tally-1');
      const { history, stop } = await start([recorded], { expiring });
      expect(await totalsAt(history, last)).toEqual({ c: 1 });
      expect(await totalsAt(history, record)).toEqual({ b: 1 });
      expect(await history.reach(before, 0, 'test.tally')).toBe('lost');
      expect(history.status().from).toBe(record);
      await stop();
    });

    it('stays while it is not kept, and is shown again when it is', async () => {
      const { first, third } = await expired(version(1));
      const without = await start([version(2)], { expiring, keepsPast: false });
      await until(async () => (await without.documents.served('test.tally'))?.version === 2);
      await without.stop();
      const again = await start([version(2)], { expiring });
      expect(await totalsAt(again.history, third)).toEqual({ a: 10, b: 1 });
      expect(await totalsAt(again.history, first)).toEqual({ a: 1 });
      await again.stop();
    });
  });

  it('is built when it is to be kept from now on, while reads of now show every write', async () => {
    const first = await append([added('a', 1)]);
    const before = await start([tallyProjection()], { keepsPast: false });
    const second = await append([added('a', 10)]);
    expect(await before.readModels.applied('test.tally', second, LONGEST_MS)).toBe(true);
    expect(before.documents.pastOf('test.tally')).toEqual([]);
    await before.stop();
    const stuck = new ReadUpTo(events, first);
    const during = await start([tallyProjection()], { log: stuck });
    await until(() => stuck.isStuck);
    const third = await append([added('a', 100)]);
    expect(await during.readModels.applied('test.tally', third, LONGEST_MS)).toBe(true);
    expect(await during.history.reach(first, 0, 'test.tally')).toBe('behind');
    await during.stop();
    const after = await start([tallyProjection()]);
    expect(await totalsAt(after.history, third)).toEqual({ a: 111 });
    expect(await totalsAt(after.history, second)).toEqual({ a: 11 });
    expect(await totalsAt(after.history, first)).toEqual({ a: 1 });
    await after.stop();
  });

  it('is dropped when it is not to be kept any more', async () => {
    await append([added('a', 1)]);
    const before = await start([tallyProjection()]);
    const second = await append([added('a', 10)]);
    expect(await totalsAt(before.history, second)).toEqual({ a: 11 });
    await before.stop();
    const after = await start([tallyProjection()], { keepsPast: false });
    await until(() => after.documents.pastOf('test.tally').length === 0);
    const last = await append([added('a', 100)]);
    expect(await after.readModels.applied('test.tally', last, LONGEST_MS)).toBe(true);
    expect(JSON.parse(String(await after.documents.view('test.tally').get('totals', 'a')))).toMatchObject({ sum: 111 });
    await after.stop();
  });

  describe('of a projection whose documents carry positions', () => {
    const notes = (version = 1): Projection => ({
      ...tallyProjection({ name: 'test.notes', version }),
      past: 'in-documents',
      codecs: { notes: textCodec },
      reads: () => [],
      apply: ({ position, data }) => [{ kind: 'append', collection: 'notes', key: String(data.name), piece: `${position} ${data.by};` }],
    });
    /** The newest texts, without what was added after the position of the view. */
    const notesAt = async (history: History, position: bigint): Promise<Record<string, string>> => {
      expect(await history.reach(position, LONGEST_MS, 'test.notes')).toBe('reached');
      const view = history.view('test.notes', position);
      const found = await view.range('notes', {});
      const shown = (text: string): string => {
        const lines = text.split(';').filter((line) => line !== '' && BigInt(line.split(' ')[0] ?? 0) <= (view.asOf ?? 0n));
        return lines.map((line) => line.split(' ')[1]).join();
      };
      return Object.fromEntries(found.map(({ key, value }) => [key, shown(value.toString())]).filter(([, text]) => text !== ''));
    };

    it('is read from the newest ones, also for positions before they were built', async () => {
      const first = await append([added('a', 1), added('b', 2)]);
      const one = await start([notes(), tallyProjection()]);
      const second = await append([added('a', 3)]);
      const check = async (history: History): Promise<void> => {
        expect(await notesAt(history, second)).toEqual({ a: '1,3', b: '2' });
        expect(await notesAt(history, first)).toEqual({ a: '1', b: '2' });
        expect(await notesAt(history, first - 1n)).toEqual({ a: '1' });
        expect(await totalsAt(history, first)).toEqual({ a: 1, b: 2 });
        expect(history.status()).toMatchObject({ from: 0n });
      };
      await check(one.history);
      expect(await one.history.reach(second + 1n, 0, 'test.notes')).toBe('behind');
      expect([one.documents.keepsPast('test.notes'), one.documents.keepsPast('test.tally')]).toEqual([false, true]);
      expect(one.documents.pastOf('test.notes')).toMatchObject([{ from: 0n, versions: 2, isServed: true }]);
      await one.readModels.rebuild('test.notes');
      await check(one.history);
      expect(one.documents.pastOf('test.notes')).toHaveLength(1);
      await one.stop();
      const two = await start([notes(2), tallyProjection()]);
      await until(async () => (await two.documents.served('test.notes'))?.version === 2);
      await check(two.history);
      await two.stop();
    });

    it('is not shown before its first build has applied all of the log', async () => {
      const first = await append([added('a', 1)]);
      const second = await append([added('a', 2)]);
      const before = await start([notes()]);
      expect(await notesAt(before.history, second)).toEqual({ a: '1,2' });
      await before.stop();
      const stuck = new ReadUpTo(events, first);
      const { history, stop } = await start([{ ...notes(2), readsFrom: 2 }], { log: stuck });
      await until(() => stuck.isStuck);
      expect(await history.reach(first, 0, 'test.notes')).toBe('behind');
      await stop();
    });
  });
});
