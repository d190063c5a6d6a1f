import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projections } from '#api/runtime/vocabulary.js';
import { EXPIRING } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { isIrreplaceable } from '#infra/engine/history/irreplaceable.js';
import { hasEarlierHistory, TakeOver, type TakeOverOptions } from '#infra/engine/history/take-over.js';
import type { KeptVersions } from '#infra/stores/document-store/builds/build-import.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { changeLetter } from '#test/support/event-stores/damage.js';
import { unpackData } from '#test/support/releases.js';

type Import = PastStore['importBuild'];

const timing = { firstRetryMs: 1, longestRetryMs: 5 };

let directory: string;
let events: EventStore;
let logged: string[];
let stores: PastStore[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logbook-take-over-'));
  logged = [];
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await events.close();
  rmSync(directory, { recursive: true, force: true });
});

const at = (...names: readonly string[]): string => join(directory, ...names);

const unpack = async (release: string): Promise<void> => {
  await unpackData(release, directory);
  events = openEmbeddedEventStore({ path: at('log') });
};

const open = async (name = 'documents'): Promise<PastStore> => {
  const store = await openDocumentStore({
    path: at(name),
    keepsPast: () => true,
    keepsBuild: (projection, build) => projections.some((one) => one.name === projection && isIrreplaceable(one, EXPIRING, build)),
  });
  stores.push(store);
  return store;
};

const note = (_: unknown, message = ''): void => {
  logged.push(message);
};

const takeOver = (past: Pick<PastStore, 'importBuild'> | undefined, built: TakeOverOptions['built'] = async () => {}): TakeOver =>
  new TakeOver({
    ...{ dataDirectory: directory, events, projections, expiring: EXPIRING, timing, built, ...(past && { past }) },
    log: { info: note, warn: note, error: note },
  });

/** The documents of all builds that are kept, as of all their positions: what they should be is read from the changes themselves. */
const expectKept = async (store: PastStore, imports: readonly (readonly [string, KeptVersions & { changes: readonly Change[] }])[]) => {
  expect(imports.length).toBeGreaterThan(0);
  for (const [projection, { from, checkpoint, version, changes }] of imports) {
    expect(store.pastOf(projection)).toMatchObject([{ from, checkpoint, version, isServed: false }]);
    const documents = new Map<string, string>();
    const collections = new Set(changes.map(({ collection }) => collection));
    const sorted = changes.toSorted((one, other) => Number((one.position ?? 0n) - (other.position ?? 0n)));
    for (const [index, change] of sorted.entries()) {
      const { position = 0n } = change;
      if (change.kind === 'put') documents.set(`${change.collection}/${change.key}`, String(change.value));
      else if (change.kind === 'delete') documents.delete(`${change.collection}/${change.key}`);
      if (position < from || sorted[index + 1]?.position === position) continue;
      const shown: string[][] = [];
      for (const collection of collections)
        for (const { key, value } of await store.past(projection, position).range(collection, {}))
          shown.push([`${collection}/${key}`, value.toString()]);
      expect([position, new Map(shown as [string, string][])]).toEqual([position, documents]);
    }
  }
};

/** Imports, with what they were given. */
const recording = (store: PastStore) => {
  const imports: [string, KeptVersions & { changes: readonly Change[] }][] = [];
  const importBuild: Import = async (projection, versions) => {
    const changes = [...versions.changes];
    imports.push([projection, { ...versions, changes }]);
    await store.importBuild(projection, { ...versions, changes });
  };
  return { imports, importBuild };
};

/** Those that kept read models and history apart. */
const EARLIER = ['1.0.0', 'eaa823e2'];

describe.each(EARLIER)('the history of %s', (release) => {
  it('becomes kept builds, with every version of every document', async () => {
    await unpack(release);
    let store = await open();
    const { imports, importBuild } = recording(store);
    await takeOver({ importBuild }).start();
    expect(imports.map(([projection]) => projection)).toContain('messaging.counters');
    await expectKept(store, imports);
    await store.close();
    store = await open();
    await expectKept(store, imports);
    expect(readdirSync(directory)).not.toContain('history');
    expect(readdirSync(directory)).not.toContain('read-models');
  });
});

/** Both meta pages of a record, as of an earlier flush without documents. */
const earlier = (text: string): string => {
  const metaPages = Buffer.from(text, 'base64');
  for (const [page, start] of [0, 160].entries())
    metaPages.fill(0xff, start + 136, start + 144).writeBigUInt64LE(BigInt(2 + page), start + 152);
  return metaPages.toString('base64');
};

describe.each(EARLIER)('the history of %s, if the machine stopped while that had it open,', (release) => {
  it.each(['one process', 'two processes', 'a later release'])('is taken over from its last flush (%s)', async (kind) => {
    await unpack(release);
    const data = at('history', 'data.mdb');
    const [, , , metaPages = ''] = readFileSync(at('history', 'opener.spare'), 'utf8').split(' ');
    const write = (name: string, ...words: readonly (string | number)[]): void =>
      writeFileSync(at('history', name), ['another-boot', ...words].join(' '));
    const { ino } = statSync(data);
    if (kind === 'a later release') write('restore-point', ino, metaPages);
    else write('open.999998', 1, ino, metaPages);
    if (kind === 'two processes') for (const name of ['open.999997', 'open.999999']) write(name, 1, ino, earlier(metaPages));
    const bytes = readFileSync(data);
    for (const page of [bytes.readUInt32LE(48), 0]) bytes.fill(0, page, page + 160); // written by later commits
    writeFileSync(data, bytes);
    const store = await open();
    const { imports, importBuild } = recording(store);
    await takeOver({ importBuild }).start();
    expect(logged).toContain(`${at('history')} was not closed before the machine stopped: goes on from what was on disk`);
    expect(imports.map(([projection]) => projection)).toContain('messaging.counters');
    await expectKept(store, imports);
  });
});

describe('a history that is taken over', () => {
  beforeEach(() => unpack('eaa823e2'));

  it('goes on where a process was killed, wherever that was', async () => {
    const whole = recording(await open('whole'));
    cpSync(at('history'), at('kept-history'), { recursive: true });
    await takeOver({ importBuild: whole.importBuild }).start();
    for (const after of [0, 1, whole.imports.length - 1]) {
      cpSync(at('kept-history'), at('history'), { recursive: true });
      const name = `documents-${after}`;
      const store = await open(name);
      let count = 0;
      const kill = (): void => cpSync(at(name), at(`${name}-killed`), { recursive: true, filter: (path) => !/lock|opener/.test(path) });
      const importBuild: Import = (projection, { changes, ...versions }) => {
        const isLast = count++ === after;
        function* killed(): Generator<Change> {
          yield* changes;
          if (isLast) kill();
        }
        return store.importBuild(projection, { ...versions, changes: killed() });
      };
      await takeOver({ importBuild }).start();
      expect(hasEarlierHistory(directory)).toBe(false);
      cpSync(at('kept-history'), at('history'), { recursive: true });
      const next = await open(`${name}-killed`);
      expect(projections.filter((projection) => next.pastOf(projection.name).length > 0)).toHaveLength(after);
      await takeOver(next).start();
      await expectKept(next, whole.imports);
    }
  });

  it('is not added twice, when a process was killed before it was removed', async () => {
    const store = await open();
    cpSync(at('history'), at('history-again'), { recursive: true });
    const { imports, importBuild } = recording(store);
    await takeOver({ importBuild }).start();
    const files = readdirSync(at('documents'));
    cpSync(at('history-again'), at('history'), { recursive: true });
    cpSync(at('history-again'), at('history.removed'), { recursive: true });
    await takeOver(store).start();
    expect(readdirSync(at('documents'))).toEqual(files);
    expect(readdirSync(directory).filter((name) => /^history(?!-again)/.test(name))).toEqual([]);
    await expectKept(store, imports);
  });

  it('stays until the store can take it', async () => {
    const store = await open();
    let failures = 3;
    const { imports, importBuild } = recording(store);
    const failing: Import = async (...args) => {
      expect(hasEarlierHistory(directory)).toBe(true);
      if (failures-- > 0) throw new Error('no room');
      await importBuild(...args);
    };
    await takeOver({ importBuild: failing }).start();
    expect(logged).toContain('what an earlier release has kept cannot be taken over now');
    await expectKept(store, imports);
  });

  it('stays, with the read models, when the process ends before they are taken over or built', async () => {
    const store = await open();
    let stopped: Promise<void> | undefined;
    const importBuild: Import = (projection, versions) => {
      if (projection === 'messaging.counters') stopped = one.stop();
      return store.importBuild(projection, versions);
    };
    const one = takeOver({ importBuild });
    await one.start();
    await stopped;
    expect(store.pastOf('messaging.counters')).toEqual([]);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['history', 'read-models']));
    const building = takeOver(store, () => new Promise(() => {}));
    const done = building.start();
    while (hasEarlierHistory(directory)) await new Promise((resolve) => setTimeout(resolve, 5));
    await building.stop();
    await done;
    expect(existsSync(at('read-models'))).toBe(true);
  });

  it('is left where it is by a node that shows no past', async () => {
    await takeOver(undefined).start();
    expect(hasEarlierHistory(directory)).toBe(true);
    expect(existsSync(at('read-models'))).toBe(false);
  });

  it('is moved aside if it is damaged, and what could be read of it is shown', async () => {
    changeLetter(at('history', 'data.mdb'), '"lastPublish"');
    const store = await open();
    await takeOver(store).start();
    const isTaken = ({ name }: Projection): boolean => store.pastOf(name).length > 0;
    const wanted = projections.filter((one) => isIrreplaceable(one, EXPIRING, { version: one.version, checkpoint: 0n }));
    // The second has another name in the releases that kept a history; it is built from the log, where nothing of it expires.
    expect(wanted.filter((one) => !isTaken(one)).map(({ name }) => name)).toEqual(['messaging.counters', 'accounting.metrics']);
    expect(readdirSync(at('documents')).filter((name) => name.endsWith('.docs'))).toHaveLength(projections.filter(isTaken).length);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['history.damaged']));
    expect(hasEarlierHistory(directory)).toBe(false);
  });

  it('is removed if it comes from another log', async () => {
    await events.close();
    events = openEmbeddedEventStore({ path: at('other-log') });
    const store = await open();
    await takeOver(store).start();
    expect(projections.filter(({ name }) => store.pastOf(name).length > 0)).toEqual([]);
    expect(hasEarlierHistory(directory)).toBe(false);
    expect(logged).toContain('the history of an earlier release comes from another log, and is not taken over');
  });
});
