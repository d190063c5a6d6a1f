import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ANCHORS_STREAM, type Anchor, LEAVES_STREAM, type LeavesChained } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import { Frontier } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { Json } from '#infra/engine/jobs/job.js';
import { openEnvironment } from '#infra/platform/lmdb/environment.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { Block, encodeBlock, eventText } from '#infra/stores/event-store/embedded/storage/block.js';
import { DATABASE_COUNT, type Databases, LOG_FORMAT, openDatabases } from '#infra/stores/event-store/embedded/storage/databases.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { appendTo, chain, eventAt, signedAnchor, signingKey } from '#test/support/integrity/chained-log.js';
import type { KeptAnchor } from './anchor-feed.js';
import { beginVerification, detailsOf, type VerificationState, walkBack } from './state.js';
import { LogVerification } from './verification.js';
import { LogVerificationKind } from './verification-kind.js';

const TENANTS = 'status.tenants-global';
const REPORTS = 'status.reports-t';
const MESSAGES = 'messaging.messages-m';

/** 12 events in blocks of their own, at positions 1 to 12. */
const STREAMS = [TENANTS, MESSAGES, MESSAGES, REPORTS, TENANTS, MESSAGES, REPORTS, REPORTS, MESSAGES, TENANTS, MESSAGES, TENANTS];

let directory: ReturnType<typeof temporaryDirectory>;
let copy: ReturnType<typeof temporaryDirectory>;
let anchors: readonly Anchor[];
let opened: EventStore[];

beforeEach(async () => {
  [directory, copy, opened] = [temporaryDirectory(), temporaryDirectory(), []];
  const store = openEmbeddedEventStore({ path: directory.path });
  await appendTo(store, STREAMS.slice(0, 7));
  const first = await chain(store, 3);
  await appendTo(store, STREAMS.slice(7));
  anchors = [first, await chain(store, 3)];
  await store.close();
  cpSync(directory.path, copy.path, { recursive: true });
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  directory.remove();
  copy.remove();
});

type Stored = Omit<RecordedEvent, 'position'>;

/** Changes the records of the copy with knowledge of their format. */
const tamper = async (work: (db: Databases, log: Blocks) => void): Promise<void> => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  const environment = openEnvironment({ path: copy.path, durability: 'durable', maxDbs: DATABASE_COUNT, format: LOG_FORMAT });
  const db = openDatabases(environment.root);
  await environment.root.transaction(() =>
    work(db, new Blocks(environment.root.openDB('blocks', { encoding: 'string', keyEncoding: 'uint32' }))),
  );
  await environment.close();
};

/** Events of a log by position, one in each block. */
class Blocks {
  constructor(
    private readonly blocks: { get(key: number): unknown; putSync(key: number, value: string): unknown; removeSync(key: number): unknown },
  ) {}

  event(position: number): RecordedEvent {
    const [event] = Block.decode(position, String(this.blocks.get(position))).events();
    if (!event) throw new Error('there is no such event');
    return event;
  }

  positionsOf(stream: string): readonly number[] {
    return Array.from({ length: 60 }, (_, at) => at + 1).filter(
      (at) => this.blocks.get(at) !== undefined && this.event(at).stream === stream,
    );
  }

  put(position: number, { stream, revision, recordedAt, ...event }: Stored): void {
    this.blocks.putSync(position, encodeBlock({ stream, revision: Number(revision), position, recordedAt }, [eventText(event)]).toString());
  }

  change(position: number, change: (event: RecordedEvent) => Partial<Stored>): void {
    const event = this.event(position);
    this.put(position, { ...event, ...change(event) });
  }

  remove(position: number): void {
    this.blocks.removeSync(position);
  }

  spoil(position: number): void {
    const record = String(this.blocks.get(position));
    this.blocks.putSync(position, `${record.slice(0, -4)}x${record.slice(-3)}`);
  }

  /** Makes room for one more event after a position. */
  shift(db: Databases, after: number): void {
    for (let at = 40; at > after; at--) {
      if (this.blocks.get(at) === undefined) continue;
      const event = this.event(at);
      this.put(at + 1, event);
      this.remove(at);
      db.streams.putSync([event.stream, Number(event.revision)], [at + 1, 1, event.recordedAt]);
    }
    db.log.put('head', { position: 41, recordedAt: 0 });
  }
}

const verifying = async (from = 0, kept: readonly KeptAnchor[] = [], resume?: VerificationState) => {
  const store = openEmbeddedEventStore({ path: copy.path, readOnly: true });
  opened.push(store);
  const state = resume ?? (await beginVerification(store, from));
  return new LogVerification({ store, keys: [signingKey], anchors: kept, state, signal: new AbortController().signal });
};

const verify = async (from = 0, kept: readonly KeptAnchor[] = []) => detailsOf(await (await verifying(from, kept)).run(), true);

const problemOf = async (kept: readonly KeptAnchor[] = []) => (await verify(0, kept)).problem;

/** Rebuilds the chain from the log as it is and signs it, as a forger with the signing key can. */
const forgeLeaves = (log: Blocks, signs: boolean): void => {
  const frontier = Frontier.empty();
  const roots = new Map<number, string>();
  for (const position of log.positionsOf(LEAVES_STREAM)) {
    const record = log.event(position).data as LeavesChained;
    const places = record.runs.flatMap((_, at) =>
      at % 3 === 0
        ? Array.from(
            { length: Number(record.runs[at + 2]) },
            (_, step) => `${record.streams[Number(record.runs[at])]} ${Number(record.runs[at + 1]) + step}`,
          )
        : [],
    );
    const events = Array.from({ length: 12 }, (_, at) => log.event(EVENTS[at] ?? 0));
    const leaves = places.map((place) => {
      const event = events.find(({ stream, revision }) => `${stream} ${revision}` === place);
      const leaf = leafOf(event as RecordedEvent);
      frontier.append(leaf);
      roots.set(frontier.size, frontier.root().toString('hex'));
      return leaf;
    });
    log.change(position, ({ data }) => ({
      data: { ...data, leaves: Buffer.concat(leaves).toString('base64'), frontier: frontier.encode() },
    }));
  }
  if (!signs) return;
  for (const at of log.positionsOf(ANCHORS_STREAM)) {
    const { size, time, position } = log.event(at).data as Anchor;
    log.change(at, () => ({ data: { ...signedAnchor(size, roots.get(size) ?? '', time, position) } }));
  }
};

/** Positions of the 12 events. After the first 7 come three records of leaves, a key and an anchor. */
const EVENTS = [1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 16, 17];

describe('The verification of an embedded log', () => {
  it('finds an untouched log intact, with the roots of its anchors', async () => {
    expect(anchors.map(({ size }) => size)).toEqual([7, 12]);
    const expected = { processed: 12, total: 12, verifiedTo: 12, root: anchors[1]?.root, expired: 0, intact: true, problem: null };
    expect(await verify()).toEqual(expected);
    expect(await verify(0, anchors)).toEqual(expected);
    expect(await verify(7, anchors.slice(1))).toEqual({ ...expected, processed: 5, total: 5 });
    const other = { size: 7, root: 'ab'.repeat(32) };
    expect(await problemOf([other])).toMatchObject({ index: 6, kind: 'anchor' });
  });

  it.each([
    ['data', (event: RecordedEvent) => ({ data: { ...event.data, text: 'another' } })],
    ['metadata', (event: RecordedEvent) => ({ metadata: { ...event.metadata, actor: { kind: 'key' as const, id: 'other' } } })],
    ['type', () => ({ type: 'Other' })],
    ['id', () => ({ id: randomUUID() })],
    ['stream', () => ({ stream: 'status.tenants-other', revision: 0n })],
  ])('names an event whose %s was altered', async (_, change) => {
    await tamper((_db, log) => log.change(5, change));
    expect(await problemOf()).toMatchObject({ index: 4, position: '5', kind: 'altered' });
  });

  it.each([
    ['leaf', (data: LeavesChained) => ({ leaves: `A${data.leaves[0] === 'A' ? 'B' : 'A'}${data.leaves.slice(2)}` }), 3],
    ['place', () => ({ streams: ['status.other', TENANTS, MESSAGES] }), 3],
    ['tree', (data: LeavesChained) => ({ frontier: data.frontier.replace(/^../, (two) => (two === 'AA' ? 'BB' : 'AA')) }), 3],
    ['time', () => ({ time: '2024-01-01T00:00:04.000Z' }), 3],
    ['count', () => ({ count: 2 }), 3],
  ])('names leaves whose %s was altered', async (_, change, index) => {
    await tamper((_db, log) => {
      const [, second = 0] = log.positionsOf(LEAVES_STREAM);
      log.change(second, ({ data }) => ({ data: { ...data, ...change(data as LeavesChained) } }));
    });
    expect(await problemOf()).toMatchObject({ index, kind: 'altered' });
  });

  it('names events that were removed, wherever they stood', async () => {
    for (const [index, position] of [
      [0, 1],
      [6, 7],
      [11, 17],
    ] as const) {
      cpSync(directory.path, copy.path, { recursive: true, force: true });
      await tamper((_db, log) => log.remove(position));
      expect(await problemOf()).toMatchObject({ index, position: null, kind: 'missing' });
    }
  });

  it('names an event that was inserted, and one that stands twice', async () => {
    await tamper((db, log) => {
      log.shift(db, 4);
      log.put(5, { ...eventAt(4, { text: 'inserted' }), stream: TENANTS, revision: 7n, recordedAt: 0 });
    });
    expect(await problemOf()).toMatchObject({ index: 4, position: '5', kind: 'inserted' });
    cpSync(directory.path, copy.path, { recursive: true, force: true });
    await tamper((db, log) => {
      log.shift(db, 4);
      log.put(5, log.event(1));
    });
    expect(await problemOf()).toMatchObject({ index: 4, position: '5', kind: 'inserted' });
  });

  it('names events that were swapped, also when their places in the streams were kept', async () => {
    await tamper((_db, log) => {
      const [one, other] = [log.event(4), log.event(7)];
      log.put(4, other);
      log.put(7, one);
    });
    expect(await problemOf()).toMatchObject({ index: 3, position: '4', kind: 'reordered' });
    cpSync(directory.path, copy.path, { recursive: true, force: true });
    await tamper((_db, log) => {
      const [one, other] = [log.event(1), log.event(5)];
      log.change(1, () => ({ id: other.id, data: other.data, metadata: other.metadata }));
      log.change(5, () => ({ id: one.id, data: one.data, metadata: one.metadata }));
    });
    expect(await problemOf()).toMatchObject({ index: 0, position: '1', kind: 'reordered' });
  });

  it('names a record that cannot be read, and verifies the rest all the same', async () => {
    await tamper((_db, log) => log.spoil(6));
    expect(await verify(0, anchors)).toEqual({
      ...{ processed: 12, total: 12, verifiedTo: 12, root: anchors[1]?.root, expired: 0, intact: false },
      problem: { index: 5, position: '6', kind: 'unreadable', detail: 'the record at position 6 cannot be read' },
    });
  });

  it('names leaves and anchors that cannot be read or are gone, and goes on behind them', async () => {
    const whole = { verifiedTo: 12, root: anchors[1]?.root, intact: false };
    await tamper((_db, log) => log.spoil(log.positionsOf(LEAVES_STREAM)[1] ?? 0));
    expect(await verify()).toMatchObject({ ...whole, problem: { index: 3, kind: 'unreadable' } });
    cpSync(directory.path, copy.path, { recursive: true, force: true });
    await tamper((_db, log) => log.spoil(log.positionsOf(ANCHORS_STREAM)[0] ?? 0));
    expect(await verify()).toMatchObject({ ...whole, problem: { kind: 'unreadable' } });
    cpSync(directory.path, copy.path, { recursive: true, force: true });
    await tamper((_db, log) => {
      const [first = 0, second = 0] = log.positionsOf(LEAVES_STREAM);
      const [one, other] = [log.event(first), log.event(second)];
      log.change(first, () => ({ data: other.data }));
      log.change(second, () => ({ data: one.data }));
    });
    expect(await verify()).toMatchObject({ problem: { index: 0, kind: 'reordered' } });
  });

  it('names an anchor whose signature or root is not right', async () => {
    const damages: readonly (readonly [(anchor: Anchor) => Partial<Anchor>, string])[] = [
      [({ signature }) => ({ signature: `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}` }), 'signature'],
      [({ text }) => ({ text: text.replace('logbook/test', 'logbook/tess') }), 'signature'],
      [() => ({ keyId: 'unknown' }), 'signature'],
      [({ time }) => ({ time: time.replace('2024', '2023') }), 'signature'],
      [() => ({ root: 'ab'.repeat(32) }), 'anchor'],
      [({ time, position }) => signedAnchor(7, 'ab'.repeat(32), time, position), 'anchor'],
    ];
    for (const [change, kind] of damages) {
      cpSync(directory.path, copy.path, { recursive: true, force: true });
      await tamper((_db, log) => {
        const [first = 0] = log.positionsOf(ANCHORS_STREAM);
        log.change(first, ({ data }) => ({ data: { ...data, ...change(data as Anchor) } }));
      });
      expect(await problemOf()).toMatchObject({ index: 6, kind });
    }
  });

  it('names the anchor when leaves were forged, and needs that of the auditor when the forger has the key', async () => {
    await tamper((_db, log) => {
      log.change(5, ({ data }) => ({ data: { ...data, text: 'forged' } }));
      forgeLeaves(log, false);
    });
    expect(await problemOf()).toMatchObject({ index: 6, kind: 'anchor' });
    await tamper((_db, log) => forgeLeaves(log, true));
    expect(await problemOf()).toBeNull();
    expect(await problemOf(anchors)).toMatchObject({ index: 6, kind: 'anchor' });
  });

  it('finds a truncated tail by an anchor of the log, or by that of the auditor when the log has lost it as well', async () => {
    await tamper((_db, log) => {
      for (let position = 13; position <= 40; position++) if (log.positionsOf(ANCHORS_STREAM).at(-1) !== position) log.remove(position);
    });
    expect(await problemOf()).toMatchObject({ index: 7, kind: 'missing' });
    cpSync(directory.path, copy.path, { recursive: true, force: true });
    expect(await problemOf([{ size: 13, root: 'ab'.repeat(32) }])).toMatchObject({ index: 12, kind: 'missing' });
  });

  it('counts what retention has removed, from the start of a stream only', async () => {
    const store = openEmbeddedEventStore({ path: copy.path });
    await store.truncate(MESSAGES, 2n);
    await store.sweep();
    await store.close();
    expect(await verify()).toMatchObject({ processed: 12, expired: 2, intact: true, root: anchors[1]?.root });
    await tamper((_db, log) => log.remove(14));
    expect(await problemOf()).toMatchObject({ index: 8, kind: 'missing' });
  });

  it('begins at an anchor although the log still contains expired events from before it', async () => {
    const store = openEmbeddedEventStore({ path: copy.path });
    await store.append(TENANTS, [eventAt(20, { text: 'before' })], 'any');
    await store.append(MESSAGES, [eventAt(21, { text: 'expired' })], 'any');
    const { size } = await chain(store, 3);
    await appendTo(store, [REPORTS, MESSAGES]);
    await chain(store, 3);
    await store.truncate(MESSAGES, 6n);
    await store.close();
    expect(size).toBe(14);
    expect(await verify(size)).toMatchObject({ processed: 2, expired: 0, intact: true, problem: null });
    await tamper((db, log) => {
      const [reports = 0] = log.positionsOf(REPORTS).slice(-1);
      log.shift(db, reports);
      log.put(reports + 1, { ...log.event(reports), stream: MESSAGES, revision: 3n, id: randomUUID() });
    });
    expect((await verify(size)).problem).toMatchObject({ index: 15, kind: 'inserted' });
  });

  it('walks back over expired events once, reads their leaves in pages, and can be cancelled meanwhile', async () => {
    const written = openEmbeddedEventStore({ path: copy.path });
    for (let day = 0; day < 20; day++) {
      await written.append(MESSAGES, [eventAt(20 + day, { text: 'expired' })], 'any');
      await chain(written, 3);
    }
    await written.truncate(MESSAGES, 25n);
    await written.close();
    const store = openEmbeddedEventStore({ path: copy.path, readOnly: true });
    opened.push(store);
    const read = jest.spyOn(store, 'readStream');
    const readBackwards = () => read.mock.calls.filter(([, { direction, limit }]) => direction === 'backwards' && limit > 1).length;
    const back = walkBack();
    const state = await beginVerification(store, 32, back);
    expect([back.gone, BigInt(state.after) > 0n]).toEqual([new Map([[MESSAGES, 24]]), true]);
    const pages = readBackwards();
    expect(pages).toBeLessThan(5);
    const { signal } = back;
    await new LogVerification({ store, keys: [signingKey], anchors: [], state, gone: back.gone, signal }).run();
    expect(readBackwards()).toBe(pages);
    await new LogVerification({ store, keys: [signingKey], anchors: [], state, signal }).run();
    expect(readBackwards()).toBe(2 * pages);
    await expect(beginVerification(store, 32, walkBack(AbortSignal.abort(new Error('cancelled'))))).rejects.toThrow('cancelled');
  });

  it('names an event behind an anchor that only seems to be of an earlier leaf', async () => {
    await tamper((db, log) => {
      db.streams.removeSync([REPORTS, 1]);
      log.shift(db, 13);
      log.put(14, { ...log.event(13), stream: TENANTS, revision: 0n, id: randomUUID() });
    });
    expect((await verify(7)).problem).toMatchObject({ kind: 'inserted' });
  });

  it('goes on from where it was, with the same result', async () => {
    const states: VerificationState[] = [];
    await tamper((_db, log) => log.spoil(6));
    const whole = await verifying();
    const step = Reflect.get(whole, 'step').bind(whole);
    Reflect.set(whole, 'step', async (...leaves: unknown[]) => {
      states.push(JSON.parse(JSON.stringify(whole.state)));
      await step(...leaves);
    });
    const expected = detailsOf(await whole.run(), true);
    expect(states).toHaveLength(12);
    for (const state of states) expect(detailsOf(await (await verifying(0, [], state)).run(), true)).toEqual(expected);
  });

  it('goes on as a job in the same log only, not in one that was restored meanwhile', async () => {
    const open = (): EventStore => {
      const store = openEmbeddedEventStore({ path: copy.path });
      opened.push(store);
      return store;
    };
    /** Runs the job from a resume point. Returns its result, and the last point from which another process could continue. */
    const run = async (store: EventStore, resume: Json) => {
      const kind = new LogVerificationKind(store);
      const input = { from: 0, anchors: [], total: 12 };
      const details = kind.initial(input);
      let result: Readonly<{ details: typeof details; resume: Json | undefined }> = { details, resume };
      await kind.run(
        { id: '1', kind: kind.name, state: 'running', startedAt: '', endedAt: null, failure: null, input, details, resume },
        {
          signal: new AbortController().signal,
          isCancelled: () => false,
          report: (now, point) => {
            result = { details: now, resume: point };
          },
        },
      );
      return result;
    };
    const log = open();
    await new LogIdentity(log).open();
    const { resume = null } = await run(log, null);
    await new LogIdentity(log).open();
    expect((await run(log, resume)).details).toMatchObject({ verifiedTo: 12, intact: true });

    await Promise.all(opened.splice(0).map((store) => store.close()));
    cpSync(directory.path, copy.path, { recursive: true, force: true });
    const restored = open();
    const failure = { name: 'JobFailed', message: 'the log was replaced: verify once more' };
    await expect(run(restored, resume)).rejects.toMatchObject(failure);
    await new LogIdentity(restored).open();
    await expect(run(restored, resume)).rejects.toMatchObject(failure);
    await expect(run(restored, null)).resolves.toMatchObject({ details: { intact: true } });
  });
});
