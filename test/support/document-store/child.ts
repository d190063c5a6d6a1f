import { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { DocumentStore } from '#infra/stores/document-store/document-store.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { Namespace } from '#projections/shared/read-store.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { changesOf, differenceIn, numberIn, PAST, PLAIN } from './churn.js';

// Another process or thread on a directory of documents: `node child.js <task> <path> <seed>`. Prints one JSON value per line.
const [task = '', path = '', seed = '1'] = (workerData as readonly string[] | null) ?? process.argv.slice(2);
const print = (value: unknown): void => {
  if (parentPort) parentPort.postMessage(value);
  else writeSync(1, `${JSON.stringify(value)}\n`);
};

const options = {
  path,
  keepsPast: (projection: string) => projection === PAST,
  mergeSizes: { segmentBytes: 2 ** 16, blockBytes: 16 },
  report: () => {},
};

/** Puts what the commits up to a number have made into a build of its own, and serves it. */
const switchBuild = async (store: DocumentStore, last: number): Promise<Namespace> => {
  const namespace = await store.prepare(PLAIN, 1);
  for (let number = 1; number <= last; number += 50) {
    const to = Math.min(last, number + 49);
    const changes = Array.from({ length: to - number + 1 }, (_, index) => changesOf(number + index)).flat();
    await store.commit(namespace, changes, BigInt(number - 1), BigInt(to));
  }
  await store.serve(namespace);
  return namespace;
};

const servedOr = async (store: DocumentStore, projection: string): Promise<Namespace> => {
  const served = await store.served(projection);
  if (served) return served;
  const namespace = await store.prepare(projection, 1);
  await store.serve(namespace);
  return namespace;
};

/** Commits without end, from the last number on, every third one in memory first; prints the number when it has to stay. */
const write = async (): Promise<void> => {
  const store = await openDocumentStore({ ...options, onDamage: ({ error }) => print({ damage: String(error) }) });
  const { indexing } = store.parts;
  const past = await servedOr(store, PAST);
  let plain = await servedOr(store, PLAIN);
  const catchUp = async (namespace: Namespace, last: number): Promise<void> => {
    for (let number = Number(await store.checkpoint(namespace)) + 1; number <= last; number += 1) {
      const commit = number % 3 === 0 ? store.commitSoon : store.commit;
      await commit.call(store, namespace, changesOf(number), BigInt(number - 1), BigInt(number));
    }
  };
  const first = Number(await store.checkpoint(past)) + 1;
  for (let number = first; ; number += 1) {
    await catchUp(past, number);
    await catchUp(plain, number);
    if (number % 3 !== 0) print(number);
    if (number % 20 === 0) indexing.run().catch(() => undefined); // a build may be removed while its file is flushed; a later run covers the others
    if (number % 90 === 0) plain = await switchBuild(store, number);
    if (number === first && task === 'write-beside-thread')
      new Worker(new URL(import.meta.url), { workerData: ['read', path, seed] }).on('message', print);
    await nextTurn();
  }
};

/** Compares all that an opening for reading shows with what the commits up to some one have made, without end; prints what it has seen. */
const read = async (): Promise<void> => {
  const damages: string[] = [];
  const random = randomNumbers(Number(seed));
  const store = await openDocumentStore({ ...options, readOnly: true, onDamage: ({ error }) => damages.push(String(error)) });
  const generations = new Set<number>();
  for (let look = 1, before = 0; ; look += 1) {
    const standing = await store.standing(PLAIN);
    const documents = await store.view(PLAIN).range('documents', {});
    const last = numberIn(documents);
    const position = 1 + Math.floor(random() * Math.max(1, last - 5));
    const past = await store.past(PAST, BigInt(position)).range('documents', {});
    const difference = differenceIn(documents, last) ?? differenceIn(past, position);
    const isBack = last < before || last < Number(standing?.checkpoint);
    if (difference !== undefined || isBack || damages.length > 0) print({ wrong: { difference, before, last, position, damages } });
    generations.add(standing?.namespace.generation ?? 0);
    before = last;
    if (look % 10 === 0) print({ seen: last, builds: generations.size });
    await nextTurn();
  }
};

await (task === 'read' ? read() : write());
