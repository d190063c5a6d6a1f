import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { COLLECTION, put } from '#test/contracts/read-store/fixture.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import type { DocumentStore } from '../document-store.js';
import { openDocumentStore } from '../open.js';

const PROJECTION = 'test';

let directory: ReturnType<typeof temporaryDirectory>;
let store: DocumentStore;
beforeEach(async () => {
  directory = temporaryDirectory();
  store = await openDocumentStore({ path: join(directory.path, 'documents'), report: () => {} });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

it('a compaction has some entries of a collection in memory at a time, and copies all of them', async () => {
  const namespace = await store.prepare(PROJECTION, 1);
  await store.serve(namespace);
  const keys = Array.from({ length: 2_500 }, (_, n) => `k${String(n).padStart(5, '0')}`);
  await store.commit(
    namespace,
    keys.map((key) => put(key, key)),
    0n,
    1n,
  );
  const { index, indexing } = store.parts;
  await indexing.run();
  const entries = index.entries.bind(index);
  let most = 0;
  jest.spyOn(index, 'entries').mockImplementation(function* (...range) {
    let count = 0;
    for (const found of entries(...range)) {
      most = Math.max(most, ++count);
      yield found;
    }
  });
  const before = (await store.size(PROJECTION)).bytes ?? 0;
  const text = 'x'.repeat(100_000);
  for (let count = 0; count < 12; count++) await store.commit(namespace, [put('text', `${count}${text}`)], 1n, 1n);
  await store.commit(namespace, [], 1n, 1n); // waits for the compaction
  expect((await store.size(PROJECTION)).bytes).toBeLessThan(before + 6 * text.length);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(1_000);
  const documents = await store.view(PROJECTION).range(COLLECTION, { lt: 'l' });
  expect(documents.map(({ key, value }) => [key, value.toString()])).toEqual(keys.map((key) => [key, key]));
});
