import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/event-store/embedded/embedded-event-store.js';
import type { EventStoreHarness } from '../contracts/event-store/fixture.js';

/** A new directory under the system's temporary one, and how to remove it. */
export const temporaryDirectory = (): Readonly<{ path: string; remove(): void }> => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-embedded-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

/** A new embedded log for the contract suite. The second process is a second opening: lmdb shares nothing between them but the file. */
export const openEmbeddedHarness = async (): Promise<EventStoreHarness> => {
  const directory = temporaryDirectory();
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
