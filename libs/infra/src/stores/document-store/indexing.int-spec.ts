import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Namespace } from '#projections/shared/read-store.js';
import { put } from '#test/contracts/read-store/fixture.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { until } from '#test/support/eventually.js';
import type { DocumentStore } from './document-store.js';
import { DISK, type Files } from './files/files.js';
import { openDocumentStore } from './open.js';

const [REPLACED, OTHER] = ['replaced', 'other'];
/** So many new entries begin a run. */
const MANY = 20_001;

let directory: ReturnType<typeof temporaryDirectory>;
let store: DocumentStore;
/** Flushes that begin while it is set go on once it resolves. */
let flushed: Promise<void> | undefined;
let flushes: number;
beforeEach(async () => {
  directory = temporaryDirectory();
  [flushed, flushes] = [undefined, 0];
  const sync: Files['sync'] = async (descriptor) => {
    flushes += 1;
    await flushed;
    await DISK.sync(descriptor);
  };
  store = await openDocumentStore({ path: join(directory.path, 'documents'), files: { ...DISK, sync } });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

const commit = (namespace: Namespace, keys: number): Promise<void> =>
  store.commit(
    namespace,
    Array.from({ length: keys }, (_, n) => put(`k${n}`, 'v')),
    0n,
    1n,
  );

/** Two builds that are served, each with a document, and one to be served in place of the first. */
const begun = async (): Promise<readonly [other: Namespace, next: Namespace]> => {
  const other = await store.prepare(OTHER, 1);
  const replaced = await store.prepare(REPLACED, 1);
  for (const namespace of [other, replaced]) await store.serve(namespace);
  await commit(replaced, 1);
  const next = await store.prepare(REPLACED, 2);
  await commit(next, 1);
  return [other, next];
};

describe('a run of the index', () => {
  it('covers the other builds if one is removed while it is flushed', async () => {
    const [other, next] = await begun();
    await commit(other, 1);
    let end = (): void => {};
    flushed = new Promise((resolve) => {
      end = resolve;
    });
    const run = store.parts.indexing.run();
    await until(() => flushes === 3);
    flushed = undefined;
    await store.serve(next);
    end();
    await run;
    expect(store.parts.builds.served(OTHER)?.coverage.covered).toBeGreaterThan(0);
  });

  it('does not wait until the entries of a removed build are, and closing does not either', async () => {
    const [other, next] = await begun();
    await store.parts.indexing.run();
    await store.serve(next);
    const removal = jest.spyOn(store.parts.index, 'removeSome').mockReturnValue(true); // there are always more
    await commit(other, MANY);
    await until(() => removal.mock.calls.length > 2);
    await store.commit(other, [put('last', 'v')], 1n, 2n);
    await store.parts.indexing.run();
    const build = store.parts.builds.served(OTHER);
    expect(build?.coverage.covered).toBe(build?.file.length);
    expect(removal.mock.calls.length).toBeGreaterThan(2);
    await store.close();
  });
});
