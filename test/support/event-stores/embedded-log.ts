import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEnvironment } from '#infra/platform/lmdb/environment.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
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

/** As a thread beside the one that appends has a log: an opening of its own, for reading, and the other one's appends. */
class BesideTheWriter extends DelegatingEventStore {
  constructor(
    reader: EmbeddedEventStore,
    private readonly writer: () => EmbeddedEventStore,
  ) {
    super(reader);
  }

  override append(...append: Parameters<EmbeddedEventStore['append']>) {
    return this.writer().append(...append);
  }

  override truncate(...change: Parameters<EmbeddedEventStore['truncate']>) {
    return this.writer().truncate(...change);
  }

  override setRetention(...change: Parameters<EmbeddedEventStore['setRetention']>) {
    return this.writer().setRetention(...change);
  }
}

/** A new embedded log for the contract suite. */
export const openEmbeddedHarness = async (position = 0): Promise<EventStoreHarness> => {
  const directory = temporaryDirectory();
  if (position > 0) await startLogAt(directory.path, position);
  const opened: EmbeddedEventStore[] = [];
  const openOne = async (readOnly = false): Promise<EmbeddedEventStore> => {
    const store = openEmbeddedEventStore({ path: directory.path, readOnly });
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
    secondProcess: async () => new BesideTheWriter(await openOne(true), () => current),
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()));
      directory.remove();
    },
  };
};
