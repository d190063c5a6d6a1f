import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from '@jest/globals';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { removeKeys, startRedis } from '#test/support/redis/redis.js';
import { decodeTally, newTallyEvent, type TallyEvent, type Total } from './tally-projection.js';
import { PATIENT_TIMING } from './timing.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An empty event log and empty read models, and what runners need to work on them. */
export type RunnerLab = Readonly<{
  events: EventStore;
  store: ReadStore;
  /** The read models as another process has them: on Redis over connections of its own; embedded ones, which one process at a time writes, as they are. */
  openStore(): Promise<ReadStore>;
  /** The read models as a process has them that only reads: likewise; embedded ones in an opening for reading only. */
  openReader(): Promise<ReadStore>;
  dependencies: RunnerDependencies;
  /** Deletes everything in Redis while it is in use, as FLUSHALL does. */
  loseEverything(): Promise<void>;
  /** Appends all at once to `test.tally-1` (or another stream); the position of the last one. */
  append(events: readonly TallyEvent[], stream?: string): Promise<Position>;
  totals(projection?: string): Promise<Record<string, Total>>;
  /** Every document served: `collection/key` → text. */
  documents(projection?: string): Promise<Record<string, string>>;
  dispose(): Promise<void>;
}>;

/** Declares a test of several processes that write, which embedded documents do not have. */
export const ofSeveralWriters = (kind: 'embedded' | 'redis'): ((name: string, test: () => Promise<void>) => void) =>
  kind === 'redis' ? it : () => undefined;

/** `embedded`: documents with their past. */
export const openRunnerLab = async (kind: 'embedded' | 'redis'): Promise<RunnerLab> => {
  const directory = mkdtempSync(join(tmpdir(), 'logbook-runner-'));
  const events = openEmbeddedEventStore({ path: join(directory, 'log') });
  const redis = kind === 'redis' ? await startRedis() : null;
  const opened: ReadStore[] = [];
  const open = async (readOnly = false): Promise<ReadStore> => {
    const path = join(directory, 'documents');
    const store = redis
      ? await openRedisReadStore({ ...redis, timeLimitMs: LONGEST_MS })
      : await openDocumentStore({ path, readOnly, keepsPast: () => true });
    opened.push(store);
    return store;
  };
  const store = await open();
  const openStore = async (): Promise<ReadStore> => (redis ? open() : store);
  const openReader = (): Promise<ReadStore> => open(true);
  const append: RunnerLab['append'] = async (given, stream = 'test.tally-1') =>
    (await events.append(stream, given.map(newTallyEvent), 'any')).position;
  const documents = async (projection = 'test.tally'): Promise<Record<string, string>> => {
    const view = store.view(projection);
    const read = async (collection: string) =>
      (await view.range(collection, {})).map(({ key, value }): [string, string] => [`${collection}/${key}`, value.toString()]);
    return Object.fromEntries([...(await read('totals')), ...(await read('history'))]);
  };
  const totals = async (projection?: string): Promise<Record<string, Total>> => {
    const texts = Object.entries(await documents(projection)).filter(([key]) => key.startsWith('totals/'));
    return Object.fromEntries(texts.map(([key, text]) => [key.slice('totals/'.length), JSON.parse(text)]));
  };
  const dispose = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()));
    await events.close();
    await redis?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const dependencies: RunnerDependencies = {
    events,
    store,
    decode: decodeTally,
    expiring: ['test.fading'],
    log: silent,
    now: Date.now,
    timing: PATIENT_TIMING,
  };
  const loseEverything = async (): Promise<void> => {
    if (redis) await removeKeys(redis.url, redis.keyPrefix);
  };
  return { events, store, openStore, openReader, loseEverything, dependencies, append, totals, documents, dispose };
};

/** Methods of the read store, replaced. `committing`: every commit, at once or soon, which `commit` makes. */
export type StoreOverrides = Partial<Pick<ReadStore, 'serve' | 'checkpoint' | 'progress' | 'documents' | 'prepare' | 'served'>> &
  Readonly<{ committing?: (commit: () => Promise<void>, ...args: Parameters<ReadStore['commit']>) => Promise<void> }>;

/** The real store with some methods replaced, to make it fail when a test wants it to. */
export const overStore = (store: ReadStore, { committing = (commit) => commit(), ...overrides }: StoreOverrides): ReadStore => {
  const commit: ReadStore['commit'] = (...args) => committing(() => store.commit(...args), ...args);
  const commitSoon: ReadStore['commitSoon'] = (...args) => committing(() => store.commitSoon(...args), ...args);
  return Object.assign(new DelegatingReadStore(store), { commit, commitSoon, ...overrides });
};

/** The real log with some methods replaced. */
export const overEvents = (events: EventStore, overrides: Partial<EventStore>): EventStore =>
  Object.assign(new DelegatingEventStore(events), overrides);
