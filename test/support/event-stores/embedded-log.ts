import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEnvironment } from '#infra/platform/lmdb/environment.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { DATABASE_COUNT, LOG_FORMAT, openDatabases } from '#infra/stores/event-store/embedded/storage/databases.js';
import type { EventStoreHarness } from '#test/contracts/event-store/fixture.js';

/** A new directory under the system's temporary one, and how to remove it. */
export const temporaryDirectory = (): Readonly<{ path: string; remove(): void }> => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-embedded-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

/** Makes a log in which the next event gets the position after this one, as if all before it had expired. */
export const startLogAt = async (path: string, position: number): Promise<void> => {
  const { root, close } = openEnvironment({ path, durability: 'durable', maxDbs: DATABASE_COUNT, format: LOG_FORMAT });
  const { log } = openDatabases(root);
  await root.transaction(() => {
    log.put('head', { position, recordedAt: 0 });
    log.flush();
  });
  await close();
};

/** A new embedded log for the contract suite. The second process is a second opening: lmdb shares nothing between them but the file. */
export const openEmbeddedHarness = async (position = 0): Promise<EventStoreHarness> => {
  const directory = temporaryDirectory();
  if (position > 0) await startLogAt(directory.path, position);
  const opened: EmbeddedEventStore[] = [];
  const openOne = async (): Promise<EmbeddedEventStore> => {
    const store = openEmbeddedEventStore({ path: directory.path });
    opened.push(store);
    return store;
  };
  const first = await openOne();
  let current = first;
  return {
    store: first,
    reopen: async () => {
      await current.close();
      current = await openOne();
      return current;
    },
    secondProcess: openOne,
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()));
      directory.remove();
    },
  };
};
