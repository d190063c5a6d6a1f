import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { signedNote } from '#domain/integrity/checkpoint.js';
import { integrityCatalogues, LEAVES_STREAM, type LeavesChained, SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import { provesInclusion } from '#domain/integrity/proof.js';
import { type EventBatch, type EventStore, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import type { NewEvent, Position, RecordedEvent } from '#domain/shared/events.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { type LogServer, startLogServer } from '#test/support/eventstoredb/log-server.js';
import { eventually } from '#test/support/eventually.js';
import { provesConsistency } from '#test/support/integrity/proves-consistency.js';
import { Integrity } from './integrity.js';

type Node = Readonly<{ integrity: Integrity; events: EventStore; warnings: readonly string[]; close(): Promise<void> }>;

/** Opens nodes on one log with a common store of leases. Each has its own data directory unless one is given. */
const nodes = (openLog: (directory: string) => EventStore | Promise<EventStore>) => {
  const root = mkdtempSync(join(tmpdir(), 'logbook-integrity-'));
  const shared = openDocumentStore({ path: join(root, 'documents') });
  const open = async (
    name = 'one',
    options: Partial<ConstructorParameters<typeof Integrity>[1]> = {},
    timing?: ConstructorParameters<typeof Integrity>[0]['timing'],
    now: () => number = Date.now,
  ): Promise<Node> => {
    const events = await openLog(root);
    const store = await shared;
    await new LogIdentity(events).open();
    const keys = await SubjectKeys.open({ store: events, masterKey: Buffer.alloc(32, 7) });
    const processor = new StreamProcessor(events, new EventCodec(integrityCatalogues, keys));
    const warnings: string[] = [];
    const log = { ...createLogger('silent'), warn: (_facts: object, text: string) => void warnings.push(text) };
    const integrity = new Integrity(
      { events, store, processor, log, now, ...(timing && { timing }) },
      { dataDirectory: join(root, name), chains: true, isShared: false, ...options },
    );
    integrity.start();
    const close = async (): Promise<void> => {
      await integrity.stop();
      await processor.close();
      await events.close();
    };
    return { integrity, events, warnings, close };
  };
  const remove = async (): Promise<void> => {
    await (await shared).close();
    rmSync(root, { recursive: true, force: true });
  };
  return { root, open, remove };
};

const event = (number: number): NewEvent => {
  const context = systemContext('test', 'status', Date.parse('2024-01-01T00:00:00Z') + number, null);
  return { id: randomUUID(), type: 'Happened', data: { number, text: 'ä\ud800' }, metadata: { ...context, schemaVersion: 1 } };
};

const appendMany = async (events: EventStore, count: number, stream = 'test.things-1'): Promise<void> => {
  for (let at = 0; at < count; at += 500)
    await events.append(
      stream,
      Array.from({ length: Math.min(500, count - at) }, (_, index) => event(at + index)),
      'any',
    );
};

const context = () => systemContext('auditor', 'ops', Date.now(), null);

const chained = async (events: EventStore): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = [];
  for (let after = 0n; ; ) {
    const page = await events.readAll({ after, limit: 1_000 });
    found.push(...page.events.filter(({ stream }) => !/^(keys|integrity)\./.test(stream)));
    if (page.caughtUp) return found;
    after = page.position;
  }
};

const proves = (leaf: Parameters<typeof provesInclusion>[0], path: readonly Buffer[]): Promise<boolean> =>
  provesInclusion(
    leaf,
    path.map((one) => one.toString('hex')),
    { sha256: (bytes) => hash('sha256', bytes, 'buffer') },
  );

let server: LogServer;
beforeEach(async () => {
  server = await startLogServer();
});
afterEach(() => server.stop());

const suite = (name: string, openLog: (directory: string) => EventStore) =>
  describe(name, () => {
    it('chains every event once in log order, proves each, and goes on after a restart', async () => {
      const { open, remove, root } = nodes(openLog);
      writeFileSync(join(root, 'notes'), 'no directory: notes are written once there can be one');
      let node = await open('one', { anchorDirectory: join(root, 'notes') });
      await appendMany(node.events, 700);
      const first = await node.integrity.anchor(context());
      expect(first.isNew).toBe(true);
      expect(await node.integrity.anchor(context())).toMatchObject({ isNew: false, anchor: first.anchor });
      await appendMany(node.events, 40, 'test.things-2');
      await node.close();
      rmSync(join(root, 'notes'));

      node = await open('one', { anchorDirectory: join(root, 'notes') });
      const { anchor } = await node.integrity.anchor(context());
      const { chain } = node.integrity;
      const all = await chained(node.events);
      expect([chain.size, anchor.size, chain.position]).toEqual([all.length, all.length, all.at(-1)?.position]);
      expect(await chain.leaves(0, all.length)).toEqual(all.map(leafOf));
      for (const index of [0, 1, 255, 256, 511, 700, all.length - 1]) {
        const leaf = leafOf(all[index] as RecordedEvent);
        for (const { size, root: hex } of [first.anchor, anchor].filter((one) => one.size > index)) {
          expect(await proves({ leaf, index, size, root: hex }, await chain.inclusionPath(index, size))).toBe(true);
        }
        expect(await chain.eventAt(index)).toMatchObject({ index, id: all[index]?.id, hash: leaf.toString('hex') });
      }
      const head = ({ size, root: hex }: { size: number; root: string }) => ({ size, root: Buffer.from(hex, 'hex') });
      const path = await chain.consistencyPath(first.anchor.size, anchor.size);
      expect(provesConsistency(head(first.anchor), head(anchor), path)).toBe(true);
      const anchors = chain.anchors.list({ order: 'asc', limit: 10 });
      const [key] = await node.integrity.keys();
      expect(signedNote(anchor, key?.x ?? '').split('\n')).toHaveLength(8);
      await node.close();
      expect(readdirSync(join(root, 'notes')).sort()).toEqual(anchors.map(({ size }) => `${size}.note`).sort());
      await remove();
    });

    it('shows for how long the oldest event has waited for an anchor, until one covers it', async () => {
      const { open, remove } = nodes(openLog);
      const { integrity, events, close } = await open();
      await appendMany(events, 10);
      const { unanchoredSeconds } = await eventually(() => integrity.status()).until((status) => status.unanchoredSeconds > 0);
      await appendMany(events, 10, 'test.things-2');
      const later = await eventually(() => integrity.status()).until(({ size }) => size >= 20);
      expect(later.unanchoredSeconds).toBeGreaterThanOrEqual(unanchoredSeconds);
      await integrity.anchor(context());
      expect(await integrity.status()).toMatchObject({ unanchoredSeconds: 0 });
      await close();
      await remove();
    });

    it('has each event once when two nodes chain at once, and both know the same chain', async () => {
      const { open, remove } = nodes(openLog);
      const one = await open('one', { signingKey: Buffer.alloc(32, 1).toString('base64') });
      const two = await open('two', { signingKey: Buffer.alloc(32, 1).toString('base64') });
      await Promise.all([appendMany(one.events, 300, 'test.a-1'), appendMany(two.events, 300, 'test.b-1')]);
      const [here, there] = [await one.integrity.anchor(context()), await two.integrity.anchor(context())];
      expect(there.anchor).toEqual(here.anchor);
      await one.close();
      await appendMany(two.events, 10, 'test.b-1');
      const { anchor } = await two.integrity.anchor(context());
      const leaves = await two.events.readStream(LEAVES_STREAM, { limit: 1_000 });
      const runs = leaves.map(({ data }) => data as LeavesChained);
      expect(runs.reduce((size, { from, count }) => (from === size ? size + count : Number.NaN), 0)).toBe(anchor.size);
      expect(await two.integrity.chain.leaves(0, anchor.size)).toEqual((await chained(two.events)).map(leafOf));
      await two.close();
      await remove();
    });

    it('is continued at once by another node when the one that chains stops in order', async () => {
      const { open, remove } = nodes(openLog);
      const patient = { beatMs: 100, graceMs: 1_000_000, silenceMs: 1_000_000 };
      const signing = { signingKey: Buffer.alloc(32, 1).toString('base64'), isShared: true };
      const one = await open('one', signing, patient);
      await appendMany(one.events, 5);
      await one.integrity.anchor(context()); // it has the lease
      const two = await open('two', signing, patient);
      await one.close();
      await appendMany(two.events, 5);
      const { anchor } = await two.integrity.anchor(context());
      expect(anchor.size).toBe((await chained(two.events)).length);
      await two.close();
      await remove();
    });

    it('chains a long log that nobody has chained, and is known to a node without a tree, without searching the log for it', async () => {
      const { open, remove, root } = nodes(async (directory) => LongLog.of(await openLog(directory)));
      const log = await openLog(root);
      await appendMany(log, 10_100);
      const one = await open('one');
      const { anchor } = await one.integrity.anchor(context());
      await appendMany(one.events, 200);
      await one.close();
      await appendMany(log, 200);
      await log.close();

      for (const name of ['one', 'two']) {
        const { integrity, events, close } = await open(name);
        const { size } = (await integrity.anchor(context())).anchor;
        expect(await integrity.chain.leaves(size - 300, 300)).toEqual((await chained(events)).slice(-300).map(leafOf));
        const anchors = integrity.chain.anchors.list({ order: 'asc', limit: 9 }).map((one) => one.size);
        expect([anchors.slice(0, 3), anchors.at(-1)]).toEqual([[10_000, anchor.size, anchor.size + 200], size]);
        await close();
      }
      await remove();
    });

    it('replaces the signing key after a last anchor of the old one', async () => {
      const { open, remove } = nodes(openLog);
      const node = await open();
      await appendMany(node.events, 5);
      const { keyId } = await node.integrity.rotate(context());
      await appendMany(node.events, 5);
      const { anchor } = await node.integrity.anchor(context());
      const keys = await node.integrity.keys();
      const [last] = node.integrity.chain.anchors.list({ order: 'asc', limit: 1 });
      expect(keys.map(({ keyId: id, until }) => [id, until === null])).toEqual([
        [last?.keyId, false],
        [keyId, true],
      ]);
      expect(anchor.keyId).toBe(keyId);
      await node.close();
      await remove();
    });

    it('keeps the private key of a rotation whose outcome was unknown when the request is repeated', async () => {
      const { open, remove } = nodes(async (directory) => new LostAnswer(await openLog(directory), SIGNING_KEYS_STREAM));
      const node = await open();
      await appendMany(node.events, 5);
      await node.integrity.anchor(context());
      const request = { ...context(), idempotency: { key: 'once', body: 'a' } };
      (node.events as LostAnswer).isLosing = true;
      await expect(node.integrity.rotate(request)).rejects.toThrow('no answer');
      (node.events as LostAnswer).isLosing = false;
      const { keyId } = await node.integrity.rotate(request);
      await appendMany(node.events, 5);
      expect((await node.integrity.anchor(context())).anchor.keyId).toBe(keyId);
      await node.close();
      await remove();
    });

    it('says that its signing key is missing, or another one than before, when it goes on with a new one', async () => {
      const { open, remove, root } = nodes(openLog);
      const given = { signingKey: Buffer.alloc(32, 1).toString('base64') };
      const said: string[] = [];
      for (const [number, options] of [{}, {}, {}, given, given].entries()) {
        if (number === 2) rmSync(join(root, 'one', 'keys', 'signing.key'));
        const { events, integrity, warnings, close } = await open('one', options);
        await appendMany(events, 5);
        await integrity.anchor(context());
        said.push(warnings.join().replace(/:.*/, ''));
        await close();
      }
      expect(said).toEqual([
        '',
        '',
        'the signing key is missing (keys/signing.key)',
        'the signing key is not the one of this log (LOGBOOK_SIGNING_KEY)',
        '',
      ]);
      await remove();
    });
  });

/** Stores events of a stream, but does not say so. */
class LostAnswer extends DelegatingEventStore {
  isLosing = false;

  constructor(
    inner: EventStore,
    private readonly stream: string,
  ) {
    super(inner);
  }

  override async append(...call: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    const appended = await super.append(...call);
    if (this.isLosing && call[0] === this.stream) throw new EventStoreUnavailable('no answer');
    return appended;
  }
}

/** A log too long to be searched from its start. */
class LongLog extends DelegatingEventStore {
  private constructor(
    inner: EventStore,
    private readonly start: Position,
  ) {
    super(inner);
  }

  static async of(inner: EventStore): Promise<LongLog> {
    return new LongLog(inner, await inner.end());
  }

  override async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch> {
    if (options.categories && options.after < this.start) await once(options.signal, 'abort');
    else yield* this.inner.subscribeAll(options);
  }
}

/** Opens handles on the single appending opening of an embedded log. */
const handlesOnEmbedded = (): ((directory: string) => EventStore) => {
  let shared: Readonly<{ log: EmbeddedEventStore; handles: Set<EventStore> }> | undefined;
  return (directory) => {
    shared ??= { log: openEmbeddedEventStore({ path: join(directory, 'log') }), handles: new Set() };
    const { log, handles } = shared;
    const handle = new (class extends DelegatingEventStore {
      override async close(): Promise<void> {
        if (!handles.delete(handle) || handles.size > 0) return;
        shared = undefined;
        await log.close();
      }
    })(log);
    handles.add(handle);
    return handle;
  };
};

suite('The chain on the embedded log', handlesOnEmbedded());
suite('The chain on EventStoreDB', () => openEventStoreDb({ connectionString: server.connectionString }));

it('No event leaves the embedded log before it is chained; what is chained may, but for the block of the last leaf', async () => {
  const { open, remove, root } = nodes((directory) => openEmbeddedEventStore({ path: join(directory, 'log'), chained: true }));
  const expiring = 'messaging.messages-1';
  const unchained = openEmbeddedEventStore({ path: join(root, 'log'), chained: true });
  for (let number = 0; number < 6; number += 1) await unchained.append(expiring, [event(number)], 'any');
  await unchained.setRetention(expiring, { maxCount: 1 });
  expect(await unchained.sweep()).toBe(0);
  expect((await unchained.readAll({ limit: 100 })).events).toHaveLength(6);
  await unchained.close();
  const node = await open();
  const { anchor } = await node.integrity.anchor(context());
  expect(await (node.events as EmbeddedEventStore).sweep()).toBe(5);
  expect(await node.events.readStream(expiring, { limit: 10 })).toHaveLength(1);
  const [first, last] = [await node.integrity.chain.eventAt(0), await node.integrity.chain.eventAt(5)];
  expect(first).toEqual({ index: 0, hash: expect.any(String), expired: true });
  expect(last).toMatchObject({ index: 5, revision: 5 });
  const path = await node.integrity.chain.inclusionPath(0, anchor.size);
  expect(await proves({ leaf: Buffer.from(first.hash, 'hex'), index: 0, size: anchor.size, root: anchor.root }, path)).toBe(true);
  await node.close();
  remove();
});

it('A tree that comes from another log, or from a later copy of this one, is built anew', async () => {
  const { open, remove, root } = nodes((directory) => openEmbeddedEventStore({ path: join(directory, 'log') }));
  let node = await open();
  await appendMany(node.events, 20);
  const { anchor: kept } = await node.integrity.anchor(context());
  await node.close();
  cpSync(join(root, 'log'), join(root, 'copy'), { recursive: true });
  node = await open();
  await appendMany(node.events, 300);
  await node.integrity.anchor(context());
  await node.close();
  rmSync(join(root, 'log'), { recursive: true });
  renameSync(join(root, 'copy'), join(root, 'log'));
  node = await open();
  await appendMany(node.events, 5);
  const { anchor } = await node.integrity.anchor(context());
  const all = await chained(node.events);
  expect([anchor.size, await node.integrity.chain.leaves(0, all.length)]).toEqual([all.length, all.map(leafOf)]);
  expect((await node.integrity.chain.root(kept.size)).toString('hex')).toBe(kept.root);
  await node.close();
  remove();
});

it('Events wait for an anchor an hour at most after a clock that was ahead was set right, which shows', async () => {
  const { open, remove } = nodes((directory) => openEmbeddedEventStore({ path: join(directory, 'log') }));
  let wrongBy = 7_200_000;
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const { integrity, events, close } = await open('one', {}, undefined, () => Date.now() + wrongBy);
  const [check] = intervals.mock.calls.find(([, milliseconds]) => milliseconds === 30_000) ?? [];
  intervals.mockRestore();
  await appendMany(events, 5);
  const { anchor } = await integrity.anchor(context());
  wrongBy = -3_600_000;
  await appendMany(events, 5, 'test.things-2');
  const { size } = await eventually(() => integrity.status()).until((status) => status.size >= anchor.size + 5);
  const pass = stopClock();
  pass(3_600_000);
  expect((await integrity.status()).unanchoredSeconds).toBeGreaterThanOrEqual(3_600);
  check?.();
  await eventually(() => integrity.chain.anchors.newest()).until((newest) => newest?.size === size);
  await close();
  await remove();
});

it('An expired event costs 64 bytes at most, in batches as they come under load; anchors stand at multiples of 10,000', async () => {
  const { open, remove } = nodes((directory) => openEmbeddedEventStore({ path: join(directory, 'log') }));
  const node = await open();
  await appendMany(node.events, 12_000, 'messaging.messages-6f0c2f3e-0000-4000-8000-000000000001');
  const { anchor } = await node.integrity.anchor(context());
  const stats = await (node.events as EmbeddedEventStore).stats();
  const kept = stats.categories.find(({ category }) => category === 'integrity.leaves');
  expect((kept?.bytes ?? 0) / anchor.size).toBeLessThan(52);
  expect(node.integrity.chain.anchors.list({ order: 'asc', limit: 9 }).map(({ size }) => size)).toEqual([10_000, anchor.size]);
  const all = await chained(node.events);
  for (const index of [0, 255, 256, 4_095, 4_096, 9_999, 12_000]) {
    const path = await node.integrity.chain.inclusionPath(index, anchor.size);
    const leaf = leafOf(all[index] as RecordedEvent);
    expect(await proves({ leaf, index, size: anchor.size, root: anchor.root }, path)).toBe(true);
  }
  await node.close();
  remove();
});
