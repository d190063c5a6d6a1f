import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { type LogBackup, startLogServer } from '#test/support/eventstoredb/log-server.js';
import { temporaryDirectory } from './embedded-log.js';

export const restorableLogs = ['the embedded log', 'EventStoreDB'] as const;

/** In the place of a backup: an empty log. */
export const EMPTY = 'empty';

/** A log whose data can be copied and put back. */
export type RestorableLog = Readonly<{
  /** The embedded log: another one after every call of the others. */
  store(): EventStore;
  backup(): Promise<unknown>;
  /** Puts a backup, or {@link EMPTY}, in the place of the log. With EventStoreDB the store stays open and loses its connections. */
  restore(backup: unknown): Promise<void>;
  dispose(): Promise<void>;
}>;

const openEmbedded = async (): Promise<RestorableLog> => {
  const directory = temporaryDirectory();
  let [copies, path] = [0, join(directory.path, 'log')];
  let store = openEmbeddedEventStore({ path });
  const copyOf = (from: string): string => {
    const to = join(directory.path, `copy-${++copies}`);
    cpSync(from, to, { recursive: true });
    return to;
  };
  const reopen = async (next: () => string): Promise<void> => {
    await store.close();
    path = next();
    store = openEmbeddedEventStore({ path });
  };
  return {
    store: () => store,
    backup: async () => {
      let made = '';
      await reopen(() => {
        made = copyOf(path);
        return path;
      });
      return made;
    },
    restore: (backup) => reopen(() => (backup === EMPTY ? join(directory.path, `empty-${++copies}`) : copyOf(String(backup)))),
    dispose: async () => {
      await store.close();
      directory.remove();
    },
  };
};

const openRemote = async (): Promise<RestorableLog> => {
  const server = await startLogServer();
  const store = openEventStoreDb({ connectionString: server.connectionString, limits: { idleMs: 300, silenceMs: 2_000 } });
  return {
    store: () => store,
    backup: async () => server.backup(),
    restore: async (backup) => {
      await server.goDown();
      await server.comeUp(backup === EMPTY ? null : (backup as LogBackup));
    },
    dispose: async () => {
      await store.close();
      await server.stop();
    },
  };
};

export const openRestorableLog = (kind: (typeof restorableLogs)[number]): Promise<RestorableLog> =>
  kind === 'EventStoreDB' ? openRemote() : openEmbedded();
