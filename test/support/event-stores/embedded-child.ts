import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { NewEvent } from '#domain/shared/events.js';
import { openEnvironment } from '#infra/platform/lmdb/environment.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { changesOf } from './churn.js';
import type { Task } from './embedded-process.js';

// Another process on embedded stores: `node embedded-child.js <task> <path>…`. Prints one JSON value per line.
const [, , task = '', ...paths] = process.argv;
const print = (value: unknown): void => void writeSync(1, `${JSON.stringify(value)}\n`);
const [path = ''] = paths;
const metadata = {
  time: '2024-02-29T12:00:00.000Z',
  actor: { kind: 'system', id: 'test' },
  service: 'ops',
  requestId: 'r',
  correlationId: 'c',
  causationId: 'r',
  schemaVersion: 1,
} as const;
const newBatch = (size: number, text: string): readonly NewEvent[] => {
  const batch = randomUUID();
  return Array.from({ length: size }, (_, index) => ({ id: randomUUID(), type: 'Noted', data: { batch, size, index, text }, metadata }));
};

const problemOf = (error: unknown): Readonly<{ name: string; message: string }> => {
  if (!(error instanceof Error)) throw error;
  return { name: error.name, message: error.message };
};

/** Appends without end, 16 at a time; prints what was acknowledged, after it was. */
const write = async (): Promise<void> => {
  const store = openEmbeddedEventStore({ path });
  const worker = async (number: number) => {
    for (let round = number; ; round += 1) {
      const stream = `notes-${round % 5}`;
      const events = newBatch(1 + (round % 4), 'x'.repeat((round * 37) % 3000));
      const { revision } = await store.append(stream, events, 'any');
      print({ stream, revision: Number(revision), ids: events.map(({ id }) => id) });
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, number) => worker(number)));
};

/** Appends until the disk refuses, then tries once more, reads, and closes. */
const fill = async (): Promise<void> => {
  const store = openEmbeddedEventStore({ path });
  const errors: string[] = [];
  let acknowledged = 0;
  while (errors.length < 2) {
    try {
      await store.append('notes-1', newBatch(1, 'x'.repeat(100_000)), 'any');
      acknowledged += 1;
    } catch (error) {
      errors.push(problemOf(error).name);
    }
  }
  const trouble = await store.trouble();
  const readable = (await store.readStream('notes-1', { limit: 10_000 })).length;
  await store.close();
  print({ acknowledged, errors, trouble, readable });
};

/** Opens each log and reads it to the end; prints how many events or the error. */
const read = async (): Promise<void> => {
  for (const log of paths) {
    try {
      const store = openEmbeddedEventStore({ path: log });
      const { events } = await store.readAll({ limit: 1000 });
      await store.close();
      print({ events: events.length });
    } catch (error) {
      print(problemOf(error));
    }
  }
};

/** Reads a log in every way and passes what it finds to `note`. */
const noteAll = async (store: EmbeddedEventStore, note: (found: unknown) => void): Promise<void> => {
  const streams = new Set<string>();
  for (const categories of [undefined, ['notes'], ['letters']]) {
    const { events } = await store.readAll({ limit: 100_000, ...(categories && { categories }) });
    for (const { stream } of events) streams.add(stream);
    note(events);
  }
  for (const stream of streams)
    for (const direction of ['forwards', 'backwards'] as const) note(await store.readStream(stream, { limit: 10_000, direction }));
  note({ ...(await store.stats()), fileBytes: 0 });
};

/** Opens each log, reads it in every way, and appends to it; prints a digest of all that it read, or the error. */
const digest = async (): Promise<void> => {
  for (const log of paths) {
    try {
      const store = openEmbeddedEventStore({ path: log });
      const hash = createHash('sha256');
      const note = (value: unknown) =>
        hash.update(JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}` : member)));
      await noteAll(store, note);
      for (const stream of ['notes-0', 'new-1']) note(await store.append(stream, newBatch(3, 'x'.repeat(9_000)), 'any'));
      await store.sweep();
      await store.close();
      print({ digest: hash.digest('hex') });
    } catch (error) {
      print(problemOf(error));
    }
  }
};

/** Follows the log read-only and prints the ids of events. */
const tail = async (): Promise<void> => {
  const store = openEmbeddedEventStore({ path, readOnly: true });
  for (let after = 0n; ; await pause(20)) {
    const { events, position } = await store.readAll({ after, limit: 100 });
    for (const { id } of events) print(id);
    after = position;
  }
};

/**
 * Commands without end, 16 at a time, each with an idempotency key of its own, over a log and read models that keep snapshots. Prints what was
 * answered, after it was.
 */
const count = async (): Promise<void> => {
  const [log = '', documents = ''] = paths;
  const { openDocumentStore } = await import('#infra/stores/document-store/open.js');
  const { EventCodec } = await import('#infra/stores/event-codec/event-codec.js');
  const { SubjectKeys } = await import('#infra/stores/secrets/subject-keys.js');
  const { Snapshots } = await import('#infra/engine/stream-processor/snapshots/snapshots.js');
  const { StreamProcessor } = await import('#infra/engine/stream-processor/stream-processor.js');
  const { COUNTER, counter, counterEvents, counterKey: masterKey } = await import('./counter.js');
  const store = openEmbeddedEventStore({ path: log });
  const keys = await SubjectKeys.open({ store, masterKey });
  const now = () => Date.parse(metadata.time);
  const snapshots = new Snapshots({ store: await openDocumentStore({ path: documents }), masterKey, keys, log: console, now });
  const processor = new StreamProcessor(store, new EventCodec({ 'test.counter': counterEvents }, keys), { snapshots });
  const { schemaVersion: _, ...context } = metadata;
  const worker = async () => {
    for (;;) {
      const key = randomUUID();
      const command = { stream: COUNTER, decider: counter, command: {}, context: { ...context, idempotency: { key, body: 'b' } } };
      const { events } = await processor.execute(command);
      print({ key, revision: Number(events[0]?.revision), total: events[0]?.data.total });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
};

/** Locks a directory, and keeps it; prints how the last writer left it, or why it cannot be locked. */
const lock = async (): Promise<void> => {
  const { lockDirectory } = await import('#infra/platform/lmdb/lock.js');
  try {
    print({ found: lockDirectory(path).found });
    await pause(2 ** 30);
  } catch (error) {
    print({ error: problemOf(error).message });
  }
};

/** Time between two printed numbers: a reader that stands still for a while must not make the writer wait. */
const PRINT_MS = 20;

/** Commits to an environment without end, from the last number on; prints the numbers of some commits. */
const churn = async (): Promise<void> => {
  const { root } = openEnvironment({ path, durability: 'replayable', maxDbs: 4 });
  const documents = root.openDB<string, string>('documents', { encoding: 'string' });
  let printed = 0;
  for (let number = Number(documents.get('last') ?? 0) + 1; ; number += 1) {
    await root.transaction(() => {
      for (const [key, text] of changesOf(number)) {
        if (text === undefined) documents.removeSync(key);
        else documents.putSync(key, text);
      }
      documents.putSync('last', `${number}`);
    });
    if (performance.now() - printed >= PRINT_MS) {
      print(number);
      printed = performance.now();
    }
    await pause(1);
  }
};

/**
 * Has an entry in an environment, loses the environment by a write that fails (`at-once`: of a transaction that does), and prints what it reads and writes
 * afterwards, in each way ten times.
 */
const lose = async (): Promise<void> => {
  const { root } = openEnvironment({ path, durability: 'durable', maxDbs: 2 });
  const words = root.openDB<string, string>('words', { encoding: 'string' });
  const put = () => words.putSync('one', 'word');
  const write = async () => (paths[1] === 'at-once' ? root.transactionSync(put) : root.transaction(put));
  const ways = {
    get: () => words.get('one'),
    entries: () => [...words.getRange()],
    keys: () => [...words.getKeys()],
    count: () => words.getKeysCount(),
  };
  const readAll = (turns: number): void => {
    for (const [way, read] of Object.entries(ways))
      for (let turn = 0; turn < turns; turn += 1) {
        root.resetReadTxn();
        try {
          print({ way, found: read() });
        } catch (error) {
          print({ way, error: problemOf(error).message });
        }
      }
  };
  await write();
  readAll(1);
  writeFileSync(process.env.FAILING_DISK ?? '', `header ${path}/data.mdb\n`);
  for (let turn = 0; turn < 2; turn += 1) {
    await write().catch((error: unknown) => print({ way: 'write', error: problemOf(error).name }));
    readAll(10);
  }
};

const tasks: Readonly<Record<Task, () => Promise<void>>> = {
  write,
  fill,
  read,
  digest,
  tail,
  count,
  churn,
  lock,
  lose,
};
await tasks[task as Task]();
