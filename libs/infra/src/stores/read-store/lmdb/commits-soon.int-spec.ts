import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { openEnvironment, seeNewest } from '#infra/platform/lmdb/environment.js';
import { DiskFull } from '#infra/platform/lmdb/free-space.js';
import {
  type Change,
  CheckpointConflict,
  HOLD,
  MarksConflict,
  type Namespace,
  NamespaceGone,
  ReadModelsUnavailable,
  type ReadStore,
  ReadStoreUnavailable,
} from '#projections/shared/read-store.js';
import {
  COLLECTION,
  keysOf,
  listed,
  PROJECTION,
  put,
  remove,
  removePrefix,
  serveDocuments,
  textOf,
} from '#test/contracts/read-store/fixture.js';
import { type EmbeddedProcesses, prepareEmbeddedProcesses } from '#test/support/event-stores/embedded-process.js';
import { reaching } from '#test/support/read-stores.js';
import { runs } from '#test/support/test-runs.js';
import { BuildWriter } from './build-writer.js';
import { Condition } from './condition.js';
import { Databases, MAX_DATABASES } from './databases.js';
import { openLmdbReadStore } from './lmdb-read-store.js';
import { Namespaces } from './namespaces.js';
import { LmdbView } from './view.js';

let path: string;
let opened: { close(): Promise<void> }[];
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'logbook-read-store-'));
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(path, { recursive: true, force: true });
});

const open = (): ReadStore => {
  const store = openLmdbReadStore({ path });
  opened.push(store);
  return store;
};

/** Commits `value` to the position in every document of a set, soon. */
const KEYS = Array.from({ length: 20 }, (_, n) => `k${n}`);
const all = (value: bigint): readonly Change[] => KEYS.map((key) => put(key, `${value}`));

/** A served build at position 1 with these documents, of which the store keeps commits in memory from now on. */
const serveKept = async (store: ReadStore, changes: readonly Change[]): Promise<Namespace> => {
  const namespace = await serveDocuments(store, changes);
  await store.commitSoon(namespace, [], 1n, 1n);
  return namespace;
};

/** Repeats a question until the answer is as expected: another process learns in a while. */
const eventually = async (ask: () => Promise<unknown>, expected: unknown): Promise<void> => {
  for (let tries = 0; tries < 500; tries++) {
    if (JSON.stringify(await ask()) === JSON.stringify(expected)) return;
    await delay(10);
  }
  expect(await ask()).toEqual(expected);
};

describe('commits in memory', () => {
  it('are read here at once, and by another process soon, documents and checkpoint together', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    const reached = reaching(other, PROJECTION, 2n);
    await store.commitSoon(namespace, [...all(2n), remove('k3')], 1n, 2n, 'origin');
    expect(await store.progress(namespace)).toEqual({ checkpoint: 2n, origin: 'origin' });
    expect((await store.standing(PROJECTION))?.checkpoint).toBe(2n);
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'k2'))).toBe('2');
    await reached;
    expect(await other.progress(namespace)).toEqual({ checkpoint: 2n, origin: 'origin' });
    expect(await listed(other.view(PROJECTION))).toEqual(await listed(store.view(PROJECTION)));
    await store.commitSoon(namespace, [], 2n, 3n);
    await store.flush();
    expect(await other.checkpoint(namespace)).toBe(3n);
  });

  it('are on disk where the store says so, and known at once to another process that looks', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    await store.flush();
    const told: Position[] = [];
    other.onCommit(PROJECTION, (checkpoint) => told.push(checkpoint));
    for (let position = 1n; position < 20n; position++) {
      await store.commitSoon(namespace, all(position + 1n), position, position + 1n);
      expect(store.isFlushed).toBe(false);
      await store.flush();
      expect(store.isFlushed).toBe(true);
      other.look?.();
      expect(told.at(-1)).toBe(position + 1n);
      expect(textOf(await other.view(PROJECTION).get(COLLECTION, 'k0'))).toBe(`${position + 1n}`);
    }
  });

  it('are never seen in part by another process, while they go on', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    const view = other.view(PROJECTION);
    const seen = new Set<string>();
    for (let position = 1n; seen.size < 4; position++) {
      await store.commitSoon(namespace, all(position + 1n), position, position + 1n);
      const values = new Set((await view.getMany(COLLECTION, KEYS)).map(textOf));
      expect(values.size).toBe(1);
      for (const value of values) seen.add(String(value));
      await nextTurn();
    }
  });

  it('are written when the store is closed', async () => {
    const store = open();
    const namespace = await serveKept(store, []);
    await store.commitSoon(namespace, all(2n), 1n, 2n);
    await store.close();
    await expect(store.commitSoon(namespace, [], 2n, 3n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    const again = open();
    expect(await again.checkpoint(namespace)).toBe(2n);
    expect(await keysOf(again.view(PROJECTION))).toHaveLength(KEYS.length);
  });

  it('come before a commit that is stored at once, and no reader sees anything in between', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    let position = 1n;
    let isReading = true;
    const states = new Set<number>();
    const reading = (async () => {
      while (isReading) {
        states.add(new Set((await store.view(PROJECTION).getMany(COLLECTION, KEYS)).map(textOf)).size);
        await nextTurn();
      }
    })();
    for (let round = 0; round < 20; round++) {
      await store.commitSoon(namespace, all(position + 1n), position, ++position);
      const marks = { from: await store.marks(namespace), to: `marks ${round}` };
      await store.commit(namespace, all(position + 1n), position, ++position, undefined, marks);
      seeNewest(); // as in another process
      expect(await other.checkpoint(namespace)).toBe(position);
      expect(textOf(await other.view(PROJECTION).get(COLLECTION, 'k7'))).toBe(`${position}`);
    }
    isReading = false;
    await reading;
    expect([...states]).toEqual([1]);
  });

  it('remove documents by prefix, few or many, on disk or not', async () => {
    const store = open();
    const many = Array.from({ length: 1_500 }, (_, n) => put(`many/${n}`, '1'));
    const namespace = await serveKept(store, [...many, put('few/1', '1'), put('few/2', '1'), put('z', '1')]);
    await store.commitSoon(namespace, [put('few/3', '2'), put('many/x', '2')], 1n, 2n);
    await store.commitSoon(namespace, [put('few/4', '3'), removePrefix('few/'), put('few/5', '3')], 2n, 3n);
    const view = store.view(PROJECTION);
    expect(await keysOf(view, { lt: 'm' })).toEqual(['few/5']);
    await store.commitSoon(namespace, [removePrefix('many/'), put('many/y', '4')], 3n, 4n);
    expect(await keysOf(view)).toEqual(['few/5', 'many/y', 'z']);
    expect(await view.count(COLLECTION, {})).toBe(3);
    expect((await store.size(PROJECTION)).documents).toBe(3);
  });

  it('count for nothing once another process has committed: the next one is refused, and readers do not go back', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    await store.commitSoon(namespace, all(9n), 1n, 9n);
    await other.commit(namespace, all(2n), 1n, 2n);
    await eventually(async () => String(await store.checkpoint(namespace)), '2');
    await expect(store.commitSoon(namespace, all(10n), 9n, 10n)).rejects.toEqual(new CheckpointConflict(PROJECTION, 9n, 2n));
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'k2'))).toBe('2');
    const shown = store.view(PROJECTION, () => 9n);
    await expect(shown.get(COLLECTION, 'k2')).rejects.toBeInstanceOf(ReadModelsUnavailable);
    await store.commitSoon(namespace, all(9n), 2n, 9n);
    expect(textOf(await shown.get(COLLECTION, 'k2'))).toBe('9');
    await eventually(async () => textOf(await other.view(PROJECTION).get(COLLECTION, 'k2')), '9');
  });

  it('count for nothing once another process has committed at the same checkpoint', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    await store.commitSoon(namespace, all(9n), 1n, 9n);
    await other.commit(namespace, [put('k1', 'mended')], 1n, 1n);
    await eventually(async () => String(await store.checkpoint(namespace)), '1');
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'k1'))).toBe('mended');
  });

  it('wait for the end of a hold, are refused meanwhile, and stay readable', async () => {
    const [store, other] = [open(), open()];
    const namespace = await serveKept(store, all(1n));
    await store.commitSoon(namespace, all(2n), 1n, 2n, undefined, '');
    await other.mark(namespace, [], { from: '', to: `${HOLD}1` });
    await eventually(() => store.marks(namespace), `${HOLD}1`);
    const refused = store.commitSoon(namespace, all(3n), 2n, 3n, undefined, '');
    await expect(refused).rejects.toEqual(new MarksConflict(PROJECTION, '', `${HOLD}1`));
    await expect(store.commit(namespace, [], 2n, 3n, undefined, { from: '', to: 'new' })).rejects.toBeInstanceOf(MarksConflict);
    await store.flush();
    expect([await store.checkpoint(namespace), await other.checkpoint(namespace)]).toEqual([2n, 1n]);
    expect(await store.marks(namespace)).toBe(`${HOLD}1`);
    expect(textOf(await store.view(PROJECTION, () => 2n).get(COLLECTION, 'k2'))).toBe('2');
    await other.mark(namespace, [], { from: `${HOLD}1`, to: 'new' });
    await eventually(async () => String(await other.checkpoint(namespace)), '2');
    await store.commitSoon(namespace, all(3n), 2n, 3n, undefined, 'new');
    expect(await store.marks(namespace)).toBe('new');
  });

  it('are written before another process replaces the build: nothing that was read is missing from what it serves', async () => {
    const [store, other] = [open(), open()];
    const listening = store.onCommit(PROJECTION, () => undefined);
    let namespace = await serveKept(store, all(1n));
    let position = 1n;
    for (let round = 0; round < 10; round++) {
      const next = await other.prepare(PROJECTION, 1);
      await other.commit(next, all(position), 0n, position);
      await store.commitSoon(namespace, all(position + 1n), position, ++position);
      await expect(other.serve(next)).rejects.toEqual(new CheckpointConflict(PROJECTION, position - 1n, position));
      await other.commit(next, all(position), position - 1n, position);
      await other.serve(next);
      await eventually(async () => (await store.served(PROJECTION))?.generation, next.generation);
      expect((await store.standing(PROJECTION))?.checkpoint).toBe(position);
      await expect(store.commitSoon(namespace, [], position, position)).rejects.toBeInstanceOf(NamespaceGone);
      namespace = next;
      await store.commitSoon(namespace, [], position, position);
      await store.commitSoon(namespace, all(position + 1n), position, ++position); // at once, for a while
    }
    listening();
  });

  it('of a process that is gone are not waited for: another one replaces the build within two seconds', async () => {
    const [store, other] = [open(), open()];
    await serveKept(store, all(1n)); // and does not listen any more
    const next = await other.prepare(PROJECTION, 1);
    await other.commit(next, all(1n), 0n, 1n);
    const started = performance.now();
    await other.serve(next);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('leave the event loop to others, and memory bounded, however many come', async () => {
    const store = open();
    const namespace = await serveKept(store, []);
    let turns = 0;
    let isGoing = true;
    const counting = (async () => {
      for (; isGoing; turns++) await nextTurn();
    })();
    const value = 'x'.repeat(1_000);
    for (let position = 1n; position < 300n; position++) {
      const changes = Array.from({ length: 200 }, (_, n) => put(`${position}/${n}`, value));
      await store.commitSoon(namespace, changes, position, position + 1n);
    }
    isGoing = false;
    await counting;
    expect(turns).toBeGreaterThan(3);
    expect(await store.view(PROJECTION).count(COLLECTION, {})).toBe(299 * 200);
  });
});

describe('commits in memory on a disk without room', () => {
  it('are kept and read; further ones are refused until what there is has been written', async () => {
    const environment = openEnvironment({ path, durability: 'replayable', maxDbs: MAX_DATABASES, report: () => {} });
    opened.push(environment);
    let [isFull, writes] = [false, 0];
    const requireRoom = (): void => {
      if (isFull) throw new DiskFull();
      writes++;
    };
    const databases = new Databases(environment.root);
    const namespaces = new Namespaces(databases.meta);
    const condition = new Condition(
      () => 1,
      () => {},
    );
    const writer = new BuildWriter({ environment: { ...environment, requireRoom }, databases, namespaces, condition });
    const view = ({ projection, slot }: Namespace) =>
      new LmdbView(databases, projection, condition, () => ({ slot, layer: writer.pending.of(projection, slot)?.layer }));
    const commit = (namespace: Namespace, value: Position) =>
      writer.commitSoon(namespace, all(value), { from: value - 1n, to: value, origin: undefined }, '');
    const [one, two] = [await writer.prepare('one', 1), await writer.prepare('two', 1)];
    for (const value of [1n, 2n]) for (const namespace of [one, two]) await commit(namespace, value);
    writes = 0;
    await writer.pending.flush();
    expect(writes).toBe(1); // for both

    isFull = true;
    await commit(one, 3n);
    await expect(writer.pending.flush()).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await expect(commit(one, 4n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await expect(commit(two, 3n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect([writer.pending.buildOf(one)?.checkpoint, writer.pending.buildOf(two)?.checkpoint]).toEqual([3n, 2n]);
    expect(textOf(await view(one).get(COLLECTION, 'k1'))).toBe('3');
    expect(namespaces.build('one', one.slot)?.checkpoint).toBe(2n);

    isFull = false;
    await commit(one, 4n);
    expect(namespaces.build('one', one.slot)?.checkpoint).toBe(3n);
    expect(textOf(await view(one).get(COLLECTION, 'k1'))).toBe('4');
    await writer.pending.close();
    expect(namespaces.build('one', one.slot)?.checkpoint).toBe(4n);
  });
});

describe('commits in memory of a process that is killed', () => {
  let processes: EmbeddedProcesses;
  beforeAll(() => {
    processes = prepareEmbeddedProcesses();
  });
  afterAll(() => processes.remove());

  // As in test/support/event-stores/churn.mjs.
  const changesOf = (number: number): readonly (readonly [string, string | undefined])[] =>
    Array.from({ length: 30 }, (_, index) => {
      const text = `${number} ${'x'.repeat((number * 37 + index * 1_013) % 6_000)}`;
      return [`document ${(number * 7_919 + index * 104_729) % 900}`, (number + index) % 5 === 0 ? undefined : text];
    });

  it('are lost from some point on, all or none of each, and made again', async () => {
    let before = 0n;
    for (let kill = 0; kill < runs(4, 2); kill++) {
      const writer = processes.start('commit-soon', [path]);
      await writer.printed(100);
      await delay(Math.random() * 300);
      writer.child.kill('SIGKILL');
      expect(await writer.ended).toBe('SIGKILL');
      const store = open();
      const { namespace, checkpoint = 0n } = (await store.standing(PROJECTION)) ?? {};
      expect(namespace).toBeDefined();
      expect(checkpoint).toBeGreaterThanOrEqual(before);
      expect(checkpoint).toBeLessThanOrEqual(BigInt(Number(writer.lines.at(-1)) + 1));
      before = checkpoint;
      const expected = new Map<string, string>();
      for (let number = 1; number <= Number(checkpoint); number++)
        for (const [key, text] of changesOf(number)) {
          if (text === undefined) expected.delete(key);
          else expected.set(key, text);
        }
      const found = await store.view(PROJECTION).range('documents', {});
      expect(new Map(found.map(({ key, value }) => [key, value.toString()]))).toEqual(expected);
      await store.close();
    }
    expect(before).toBeGreaterThan(0n);
  }, 60_000);
});
