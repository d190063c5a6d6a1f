import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventBatch, type EventStore, EventStoreUnavailable, type ReadAllOptions } from '#domain/shared/event-store.js';
import { SharedLog } from '#infra/engine/followers/shared-log.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { Projection } from '#projections/shared/projection.js';
import { openRestorableLog } from '#test/support/event-stores/restorable-log.js';
import { until } from '#test/support/projections/runner-lab.js';
import { decodeTally, newTallyEvent, type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { HistoryFiles } from './files.js';
import { RecordedHistory } from './recorded-history.js';
import { Recorder } from './recorder.js';

/** `expiring`: categories that lose events. */
type Log = Readonly<{ log?: EventStore; expiring?: readonly string[] }>;

/** A log that cannot be read behind a position. */
class ReadUpTo extends DelegatingEventStore {
  isStuck = false;

  constructor(
    log: EventStore,
    private readonly last: bigint,
  ) {
    super(log);
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    this.isStuck = (options.after ?? 0n) >= this.last;
    if (this.isStuck) throw new EventStoreUnavailable('it is stuck');
    return super.readAll({ ...options, limit: 1 });
  }
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('a recorder of history', () => {
  let directory: string;
  let events: EventStore;
  let embedded: ReturnType<typeof openEmbeddedEventStore>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-recorder-'));
    embedded = openEmbeddedEventStore({ path: join(directory, 'log') });
    events = embedded;
  });
  afterEach(async () => {
    await events.close();
    await rm(directory, { recursive: true });
  });

  /** A recorder and who reads what it records, as two processes would. */
  const record = async (projections: readonly Projection[], { log = events, expiring = [] }: Log = {}) => {
    const path = join(directory, 'history');
    const keys = await SubjectKeys.open({ store: events, masterKey: Buffer.alloc(32, 1) });
    const sealed = new SealedDocuments(keys, projections);
    const files = HistoryFiles.open({ path, report: () => undefined });
    const common = { decode: decodeTally, expiring, sealed, log: silent, now: Date.now, changed: () => undefined };
    const recorder = new Recorder({ ...common, events: new SharedLog(log), projections, files });
    const history = new RecordedHistory({ path, projections, sealed });
    recorder.start();
    const stop = async (): Promise<void> => {
      await recorder.stop();
      await history.close();
      await files.close();
    };
    return { history, stop, files };
  };

  const append = async (given: readonly TallyEvent[], stream = 'test.tally-1') =>
    (await events.append(stream, given.map(newTallyEvent), 'any')).position;

  const totalsAt = async (history: RecordedHistory, position: bigint, projection = 'test.tally') => {
    expect(await history.reach(position, 10_000, projection)).toBe('reached');
    const found = await history.view(projection, position).range('totals', {});
    return Object.fromEntries(found.map(({ key, value }) => [key, JSON.parse(value.toString()).sum]));
  };

  const added = (name: string, by: number): TallyEvent => ({ type: 'Counted', data: { name, by } });

  it('goes on where it stopped, and shows every position before and after', async () => {
    const first = await append([added('a', 1), added('b', 2)]);
    const one = await record([tallyProjection()]);
    expect(await totalsAt(one.history, first)).toEqual({ a: 1, b: 2 });
    await one.stop();
    const second = await append([added('a', 3)]);
    const two = await record([tallyProjection()]);
    expect(await totalsAt(two.history, second)).toEqual({ a: 4, b: 2 });
    expect(await totalsAt(two.history, first)).toEqual({ a: 1, b: 2 });
    expect(await totalsAt(two.history, first - 1n)).toEqual({ a: 1 });
    await two.stop();
  });

  it('removes and revives documents as events do', async () => {
    const counted = await append([added('a/1', 1), added('a/2', 2), added('b', 3)]);
    const cleared = await append([{ type: 'Cleared', data: { prefix: 'a/' } }]);
    const again = await append([added('a/2', 5)]);
    const { history, stop } = await record([tallyProjection()]);
    expect(await totalsAt(history, again)).toEqual({ 'a/2': 5, b: 3 });
    expect(await totalsAt(history, cleared)).toEqual({ b: 3 });
    expect(await totalsAt(history, counted)).toEqual({ 'a/1': 1, 'a/2': 2, b: 3 });
    await stop();
  });

  it('is recorded anew over another log', async () => {
    const position = await append([added('a', 1)]);
    const before = await record([tallyProjection()]);
    expect(await totalsAt(before.history, position)).toEqual({ a: 1 });
    await before.stop();
    await events.close();
    events = openEmbeddedEventStore({ path: join(directory, 'other-log') });
    const other = await append([added('b', 7)]);
    const after = await record([tallyProjection()]);
    expect(await after.history.reach(other, 10_000)).toBe('reached');
    await append([added('b', 1)]);
    expect(await totalsAt(after.history, await append([added('c', 1)]))).toEqual({ b: 8, c: 1 });
    expect(await totalsAt(after.history, other)).toEqual({ b: 7 });
    await after.stop();
  });

  it('is recorded anew as soon as a shorter copy of the log has come back, though nothing is appended to it', async () => {
    const remote = await openRestorableLog('EventStoreDB');
    await events.close();
    events = remote.store();
    const kept = await append([added('a', 1)]);
    const backup = await remote.backup();
    const lost = await append([added('a', 10)]);
    const { history, stop } = await record([tallyProjection()]);
    expect(await totalsAt(history, lost)).toEqual({ a: 11 });
    await remote.restore(backup);
    await until(async () => (await history.reach(lost)) === 'behind');
    expect(await totalsAt(history, kept)).toEqual({ a: 1 });
    await stop();
    await remote.dispose();
  });

  it('records a new version of a projection anew while the others stay', async () => {
    const other = tallyProjection({ name: 'test.other' });
    const first = await append([added('a', 1), added('a', 1)]);
    const before = await record([tallyProjection(), other]);
    expect(await totalsAt(before.history, first)).toEqual({ a: 2 });
    await before.stop();
    const after = await record([tallyProjection({ version: 2 }), other]);
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
    };
    /** Two events, of which the first has left the log; then one more. */
    const expired = async (recorded: Projection | null) => {
      const first = await append([added('a', 1)]);
      const second = await append([added('a', 10)]);
      if (recorded) {
        const before = await record([recorded], { expiring });
        expect(await totalsAt(before.history, second)).toEqual({ a: 11 });
        await before.stop();
      }
      await expire('test.tally-1');
      return { first, second, third: await append([added('b', 1)], 'test.tally-2') };
    };

    it('shows what an earlier version has recorded, and no positions that nobody has', async () => {
      const { first, second, third } = await expired(version(1));
      for (const number of [2, 3, 3]) {
        const { history, stop } = await record([version(number)], { expiring });
        expect(await totalsAt(history, third)).toEqual({ a: 10, b: 1 });
        expect(await totalsAt(history, first)).toEqual({ a: 1 });
        expect(history.status().from).toBe(0n);
        await stop();
      }
      const { history, stop } = await record([version(4, { readsFrom: 4 })], { expiring });
      expect(await totalsAt(history, third)).toEqual({ a: 10, b: 1 });
      expect(await totalsAt(history, second)).toEqual({ a: 10 });
      expect(await history.reach(first, 0, 'test.tally')).toBe('lost');
      expect(history.status().from).toBe(second);
      await stop();
    });

    it('shows what an earlier version has recorded while the log is read anew, and knows after a restart what is lost', async () => {
      const { first, second, third } = await expired(version(1));
      await append([added('b', 10)], 'test.tally-2');
      await expire('test.tally-2');
      const stuck = new ReadUpTo(events, second);
      const during = await record([version(2)], { expiring, log: stuck });
      await until(() => stuck.isStuck);
      expect(await totalsAt(during.history, first)).toEqual({ a: 1 });
      expect(await during.history.reach(third, 0, 'test.tally')).toBe('behind');
      await during.stop();
      const after = await record([version(2, { readsFrom: 2 })], { expiring });
      const last = await append([added('b', 100)], 'test.tally-2');
      expect(await totalsAt(after.history, last)).toEqual({ a: 10, b: 110 });
      expect(await after.history.reach(third, 0, 'test.tally')).toBe('lost');
      await after.stop();
    });

    it('is lost for that projection only', async () => {
      const other = tallyProjection({ name: 'test.other', categories: ['test.other'] });
      const early = await append([added('x', 1)], 'test.other-1');
      const { first, third } = await expired(null);
      const { history, stop } = await record([version(1), other], { expiring });
      expect(await totalsAt(history, third, 'test.other')).toEqual({ x: 1 });
      expect(await totalsAt(history, early, 'test.other')).toEqual({ x: 1 });
      expect(await history.reach(third, 10_000)).toBe('reached');
      expect(await history.reach(first, 0, 'test.tally')).toBe('lost');
      await stop();
    });
  });

  it('stops the projection that cannot apply an event, and no other', async () => {
    const good = tallyProjection();
    const apply: Projection['apply'] = (event, read) => {
      if (event.data.name === 'bad') throw new Error('cannot');
      return good.apply(event, read);
    };
    const failing: Projection = { ...tallyProjection({ name: 'test.failing' }), apply };
    const first = await append([added('a', 1)]);
    const bad = await append([added('bad', 1)]);
    const { history, stop } = await record([good, failing]);
    const last = await append([added('a', 1)]);
    expect(await totalsAt(history, last)).toEqual({ a: 2, bad: 1 });
    expect(await totalsAt(history, first, 'test.failing')).toEqual({ a: 1 });
    await expect(history.view('test.failing', last).get('totals', 'a')).rejects.toThrow('has stopped');
    expect(history.status().failures).toMatchObject([{ projection: 'test.failing', at: bad, message: 'cannot' }]);
    await stop();
  });

  it('stores what a batch does to all projections in one transaction, or nothing of it', async () => {
    const { history, stop, files } = await record([tallyProjection(), tallyProjection({ name: 'test.other' })]);
    const first = await append([added('a', 1)]);
    expect(await totalsAt(history, first)).toEqual({ a: 1 });
    const { write } = files;
    let writes = 0;
    files.write = async (work) => {
      writes += 1;
      return write.call(files, work) as Promise<ReturnType<typeof work>>;
    };
    const second = await append([added('a', 1), added('b', 1)]);
    for (const name of ['test.tally', 'test.other']) expect(await totalsAt(history, second, name)).toEqual({ a: 2, b: 1 });
    expect(writes).toBe(1);
    files.write = (work) =>
      write.call(files, () => {
        work();
        files.write = write;
        throw new Error('no room');
      }) as Promise<never>;
    const third = await append([added('a', 1)]);
    for (const name of ['test.tally', 'test.other']) {
      expect(await totalsAt(history, third, name)).toEqual({ a: 3, b: 1 });
      expect(await totalsAt(history, second, name)).toEqual({ a: 2, b: 1 });
    }
    await stop();
  });

  it('records what is appended while it runs', async () => {
    const { history, stop } = await record([tallyProjection()]);
    const positions: bigint[] = [];
    for (let count = 1; count <= 20; count++) positions.push(await append([added('a', 1)]));
    for (const [index, position] of positions.entries()) expect(await totalsAt(history, position)).toEqual({ a: index + 1 });
    await stop();
  });
});
