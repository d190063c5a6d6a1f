import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projections } from '#api/runtime/vocabulary.js';
import { EXPIRING, mayExpire } from '#domain/integrity/expiring.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { Projection } from '#projections/shared/projection.js';
import { documentsOf, type Texts } from '#test/support/as-of/documents.js';
import { isErasure } from '#test/support/as-of/erased.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { Replay, type Snapshot, textsOf } from '#test/support/as-of/replay.js';
import { World } from '#test/support/as-of/world.js';
import { type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { memoryView } from '#test/support/memory-view.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { isFullRun, runs, SEED } from '#test/support/test-runs.js';

/** Messages stay, but for those that the test removes. */
const RETENTION = { LOGBOOK_MESSAGING_RETENTION: '36500d' };
/** Calls that are made at once, so that what follows from them is one batch. */
const CROWD = 6;

const expires = ({ categories }: Projection): boolean => categories.some((category) => EXPIRING.includes(category));

describe(`every document as of the past (seed ${SEED})`, () => {
  let deployment: Deployment;
  let lab: PastLab;
  let replay: Replay;
  let world: World;
  beforeEach(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment, RETENTION);
    replay = new Replay(projections);
    world = new World(() => lab.http, SEED);
  });
  afterEach(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  const restart = async (): Promise<void> => {
    await lab.close();
    lab = await openPastLab(deployment, RETENTION);
  };

  /** The replay reads events as soon as they are there: later they may have left the log. Every fourth is a place to look at. */
  const follow = (): Promise<void> => {
    const decode = async (event: RecordedEvent) => (await lab.runtime.decode([event]))[0] ?? event;
    return replay.follow(lab.runtime.eventStore, decode, () => replay.events.length % 4 === SEED % 4);
  };

  const change = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made++) {
      lab.advance(1 + ((made * 7_919) % 40_000_000));
      await Promise.all(Array.from({ length: made % 3 === 0 ? CROWD : 1 }, () => world.change()));
      await follow();
    }
    await lab.settled();
    await follow();
  };

  /** Served documents are those of the replay. */
  const expectServed = async (which: readonly Projection[] = projections): Promise<void> => {
    const { documents } = replay.snapshots.at(-1) as Snapshot;
    for (const { name } of which) {
      const expected = textsOf(documents.get(name) ?? new Map());
      const found = await documentsOf(lab.runtime.readStore.view(name), Object.keys(expected));
      expect([name, found]).toEqual([name, expected]);
      const served = await lab.runtime.readStore.served(name);
      const collections = served ? await lab.runtime.readStore.collections(served) : [];
      const others = collections.filter((one) => !one.startsWith('$') && !(one in expected));
      expect([name, await documentsOf(lab.runtime.readStore.view(name), others)]).toEqual([name, {}]);
    }
  };

  /** What is erased by now is the only difference. */
  const expectSame = (where: readonly unknown[], { sealed = {} }: Projection, then: Texts, now: Texts): void => {
    const erased: Record<string, Record<string, string>> = {};
    for (const [name, texts] of Object.entries(then)) {
      const members = sealed[name];
      erased[name] = { ...texts };
      for (const [key, text] of Object.entries(texts)) {
        const found = now[name]?.[key];
        if (members && found !== undefined && found !== text && isErasure(text, found, members)) erased[name][key] = found;
      }
    }
    expect([...where, now]).toEqual([...where, erased]);
  };

  /**
   * The past of every projection at every place is what it was.
   * @param which all of whose past must be there; what others have lost with expired events is left out
   */
  const expectPast = async (which = projections): Promise<void> => {
    const { past, sealing } = lab.runtime;
    if (!past) throw new Error('there is no history');
    for (const { position, documents } of replay.snapshots) {
      // Documents that carry their past are compared through their queries: `reads-of-points`.
      for (const projection of projections.filter(({ past: carried }) => carried === undefined)) {
        const { name } = projection;
        const reach = await past.history.reach(position, 30_000, name);
        if (reach === 'lost' && !which.includes(projection)) continue;
        expect([name, position, reach]).toEqual([name, position, 'reached']);
        const known = replay.snapshots.flatMap((one) => [...(one.documents.get(name)?.keys() ?? [])]);
        const { now } = await eventually(async () => {
          const now = await documentsOf(past.history.view(name, position), [...new Set(known)].sort());
          return { erased: world.erased.filter((text) => JSON.stringify(now).includes(text)), now };
        }).until(({ erased }) => erased.length === 0); // keys are destroyed soon after the event that erases
        const texts = textsOf(documents.get(name) ?? new Map());
        const then = await documentsOf(sealing.opened(memoryView(texts), name, 'concealed'), Object.keys(texts));
        expectSame([name, position], projection, then, now);
      }
    }
  };

  /** Messages, and places of cursors and deliveries, leave the log as they do with time. */
  const expire = async (): Promise<void> => {
    const newest = new Map(replay.events.filter(({ stream }) => mayExpire(stream)).map(({ stream, revision }) => [stream, revision]));
    expect(newest.size).toBeGreaterThan(0);
    for (const [stream, revision] of newest) await lab.runtime.eventStore.truncate(stream, revision);
    const { log } = lab.runtime;
    if ('sweep' in log) await (log.sweep as () => Promise<number>)();
  };

  const lasting = projections.filter((projection) => !expires(projection));

  const rebuild = async (): Promise<void> => {
    lab.runtime.jobs.start();
    for (const { name } of projections) {
      const { status, json } = await lab.http.post(`/ops/projections/${name}/rebuild`, { key: OPERATOR, body: {} });
      expect([name, status]).toEqual([name, 202]);
      const { href } = json as { href: string };
      const done = await eventually(async () => (await lab.http.get(href, { key: OPERATOR })).json as { state: string }).until(
        ({ state }) => state !== 'running' && state !== 'waiting',
      );
      expect([name, done.state]).toEqual([name, 'done']);
    }
  };

  /** Every projection as the next release may have it. */
  const withNextVersions = async (work: () => Promise<void>): Promise<void> => {
    const raise = (by: number): void => {
      for (const one of projections) Object.assign(one, { version: one.version + by });
    };
    raise(1);
    try {
      await work();
    } finally {
      raise(-1);
    }
  };

  it('is what it was then, in the midst of batches too, over restarts, with expired and erased data', async () => {
    await world.begin();
    await change(runs(6, 3));
    await expectServed();
    for (let round = 1; round <= runs(4, 1); round++) {
      await change(runs(20, 6));
      await expectServed();
      await expire();
      await restart();
      await change(4);
      await expectServed();
    }
    await expectPast();
    if (!isFullRun) return;
    await rebuild();
    await lab.settled();
    await expectPast();
    await expectServed(lasting);
  });

  (isFullRun ? it : it.skip)('is what it was then in a new version, in a backup and in an import', async () => {
    await world.begin();
    await change(30);
    await expire();
    await lab.settled();
    await follow();
    await lab.close();
    const root = await mkdtemp(join(tmpdir(), 'logbook-every-document-'));
    const original = deployment;
    const logbook = async (directory: string, ...words: readonly string[]): Promise<void> => {
      const { code, stderr } = await runLogbook(words, { ...original.environment, ...RETENTION, LOGBOOK_DATA_DIR: directory });
      expect([words, code, code === 0 ? '' : stderr]).toEqual([words, 0, '']);
    };
    /** In another directory, with the keys of the first. */
    const opened = async (name: string, ...words: readonly string[]): Promise<void> => {
      const dataDirectory = join(root, name);
      await cp(join(original.dataDirectory, 'keys'), join(dataDirectory, 'keys'), { recursive: true });
      await logbook(dataDirectory, ...words);
      deployment = { ...original, dataDirectory, environment: { ...original.environment, LOGBOOK_DATA_DIR: dataDirectory } };
      lab = await openPastLab(deployment, RETENTION);
      await lab.settled();
    };
    try {
      await logbook(original.dataDirectory, 'backup', join(root, 'backup'));
      await logbook(original.dataDirectory, 'export', join(root, 'export.ndjson.gz'));
      await withNextVersions(async () => {
        lab = await openPastLab(deployment, RETENTION);
        await lab.settled();
        await expectPast();
        await expectServed(lasting);
        await lab.close();
      });

      await opened('restored', 'restore', join(root, 'backup'));
      await expectPast(lasting);
      await expectServed(lasting);
      await lab.close();

      await opened('imported', 'import', join(root, 'export.ndjson.gz'), '--unverified', '--with-keys');
      // Documents name positions of events, which are others there: they are compared with a replay of that log.
      replay = new Replay(projections);
      await follow();
      await expectPast(lasting);
      await expectServed(lasting);
    } finally {
      deployment = original;
      await lab.close();
      await rm(root, { recursive: true, force: true });
      lab = await openPastLab(deployment, RETENTION);
    }
  });
});
