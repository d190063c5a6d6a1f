// Another process on an embedded log, for tests: `node embedded-child.mjs <compiled libs> <task> <path>…`. Prints one JSON value per line.
import { createHash, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , libraries, task, ...paths] = process.argv;
const load = (file) => import(pathToFileURL(join(libraries, file)).href);
const { openEmbeddedEventStore } = await load('infra/src/stores/event-store/embedded/embedded-event-store.js');
const print = (value) => writeSync(1, `${JSON.stringify(value)}\n`);
const [path] = paths;
const metadata = {
  time: '2024-02-29T12:00:00.000Z',
  actor: { kind: 'system', id: 'test' },
  service: 'ops',
  requestId: 'r',
  correlationId: 'c',
  causationId: 'r',
  schemaVersion: 1,
};
const newBatch = (size, text) => {
  const batch = randomUUID();
  return Array.from({ length: size }, (_, index) => ({ id: randomUUID(), type: 'Noted', data: { batch, size, index, text }, metadata }));
};

/** Appends without end, 16 at a time; prints what was acknowledged, after it was. */
const write = async () => {
  const store = openEmbeddedEventStore({ path });
  const worker = async (number) => {
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
const fill = async () => {
  const store = openEmbeddedEventStore({ path });
  const errors = [];
  let acknowledged = 0;
  while (errors.length < 2) {
    try {
      await store.append('notes-1', newBatch(1, 'x'.repeat(100_000)), 'any');
      acknowledged += 1;
    } catch (error) {
      errors.push(error.name);
    }
  }
  const { acceptsAppends } = await store.stats();
  const readable = (await store.readStream('notes-1', { limit: 10_000 })).length;
  await store.close();
  print({ acknowledged, errors, acceptsAppends, readable });
};

/** Opens each log and reads it to the end; prints how many events or the error. */
const read = async () => {
  for (const log of paths) {
    try {
      const store = openEmbeddedEventStore({ path: log });
      const { events } = await store.readAll({ limit: 1000 });
      await store.close();
      print({ events: events.length });
    } catch (error) {
      print({ name: error.name, message: error.message });
    }
  }
};

/** Reads a log in every way and passes what it finds to `note`. */
const noteAll = async (store, note) => {
  const streams = new Set();
  for (const categories of [undefined, ['notes'], ['letters']]) {
    const { events } = await store.readAll({ limit: 100_000, ...(categories && { categories }) });
    for (const { stream } of events) streams.add(stream);
    note(events);
  }
  for (const stream of streams)
    for (const direction of ['forwards', 'backwards']) note(await store.readStream(stream, { limit: 10_000, direction }));
  note({ ...(await store.stats()), fileBytes: 0 });
};

/** Opens each log, reads it in every way, and appends to it; prints a digest of all that it read, or the error. */
const digest = async () => {
  for (const log of paths) {
    try {
      const store = openEmbeddedEventStore({ path: log });
      const hash = createHash('sha256');
      const note = (value) => hash.update(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member)));
      await noteAll(store, note);
      for (const stream of ['notes-0', 'new-1']) note(await store.append(stream, newBatch(3, 'x'.repeat(9_000)), 'any'));
      await store.sweep();
      await store.close();
      print({ digest: hash.digest('hex') });
    } catch (error) {
      print({ name: error.name, message: error.message });
    }
  }
};

/** Follows the log read-only and prints the ids of events. */
const tail = async () => {
  const store = openEmbeddedEventStore({ path, readOnly: true });
  setInterval(() => store.look(), 20);
  for await (const { events } of store.subscribeAll({ after: 0n, signal: new AbortController().signal })) {
    for (const { id } of events) print(id);
  }
};

/**
 * Commands without end, 16 at a time, each with an idempotency key of its own, over a log and read models that keep snapshots. Prints what was
 * answered, after it was.
 */
const count = async () => {
  const [log, documents] = paths;
  const { openDocumentStore } = await load('infra/src/stores/document-store/open.js');
  const { EventCodec } = await load('infra/src/stores/event-codec/event-codec.js');
  const { SubjectKeys } = await load('infra/src/stores/secrets/subject-keys.js');
  const { Snapshots } = await load('infra/src/engine/stream-processor/snapshots/snapshots.js');
  const { StreamProcessor } = await load('infra/src/engine/stream-processor/stream-processor.js');
  const { COUNTER, counter, counterEvents, counterKey: masterKey } = await import('./counter.mjs');
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
      print({ key, revision: Number(events[0].revision), total: events[0].data.total });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
};

/** Commits to an environment that is not flushed by commits, without end, from the last number on; prints the numbers of commits. */
const churn = async () => {
  const { openEnvironment } = await load('infra/src/platform/lmdb/environment.js');
  const { changesOf } = await import('./churn.mjs');
  const { root } = openEnvironment({ path, durability: 'replayable', maxDbs: 4 });
  const documents = root.openDB('documents', { encoding: 'string' });
  for (let number = Number(documents.get('last') ?? 0) + 1; ; number += 1) {
    await root.transaction(() => {
      for (const [key, text] of changesOf(number)) {
        if (text === undefined) documents.removeSync(key);
        else documents.putSync(key, text);
      }
    });
    print(number);
  }
};

/** Has an entry in an environment, loses the environment by a write that fails, and prints what it reads and writes afterwards, in each way ten times. */
const lose = async () => {
  const { writeFileSync } = await import('node:fs');
  const { openEnvironment } = await load('infra/src/platform/lmdb/environment.js');
  const { root } = openEnvironment({ path, durability: 'durable', maxDbs: 2 });
  const words = root.openDB('words', { encoding: 'string' });
  const write = () => root.transaction(() => words.putSync('one', 'word'));
  const ways = {
    get: () => words.get('one'),
    entries: () => [...words.getRange()],
    keys: () => [...words.getKeys()],
    count: () => words.getKeysCount(),
  };
  const readAll = async (turns) => {
    for (const [way, read] of Object.entries(ways))
      for (let turn = 0; turn < turns; turn += 1) {
        root.resetReadTxn();
        try {
          print({ way, found: read() });
        } catch (error) {
          print({ way, error: error.message });
        }
      }
  };
  await write();
  await readAll(1);
  writeFileSync(process.env.FAILING_DISK, `header ${path}/data.mdb\n`);
  for (let turn = 0; turn < 2; turn += 1) {
    await write().catch((error) => print({ way: 'write', error: error.name }));
    await readAll(10);
  }
};

/** The same as commits to read models that are kept in memory for a moment; prints the numbers of those that readers of this process see. */
const commitSoon = async () => {
  const { openDocumentStore } = await load('infra/src/stores/document-store/open.js');
  const { changesOf } = await import('./churn.mjs');
  const store = await openDocumentStore({ path, report: () => {} });
  const projection = 'status.profiles';
  const served = await store.standing(projection);
  const namespace = served?.namespace ?? (await store.prepare(projection, 1));
  if (!served) await store.serve(namespace);
  for (let number = Number(served?.checkpoint ?? 0) + 1; ; number += 1) {
    const changes = changesOf(number)
      .filter(([key]) => key !== 'last')
      .map(([key, value]) => ({ kind: value === undefined ? 'delete' : 'put', collection: 'documents', key, value }));
    await store.commitSoon(namespace, changes, BigInt(number - 1), BigInt(number));
    print(number);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

await { write, fill, read, digest, tail, count, churn, lose, 'commit-soon': commitSoon }[task]();
