import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/config/configuration.js';
import { CommandFailed } from './command-failed.js';

/**
 * Works on a log without writing anything beside it: no lock, no marker. An embedded log is reached by a link from a directory of our own, where LMDB
 * puts its lock file; so nobody may write to it meanwhile. Damaged records do not keep it from being opened.
 * @throws CommandFailed there is no log
 */
export const withLogAtRest = async <T>(
  { eventStoreUrl, dataDirectory }: Pick<Configuration, 'eventStoreUrl' | 'dataDirectory'>,
  work: (log: EventStore) => Promise<T>,
): Promise<T> => {
  if (eventStoreUrl) {
    const { openEventStoreDb } = await import('#infra/event-store/eventstoredb/event-store.js');
    return working(openEventStoreDb({ connectionString: eventStoreUrl }), work);
  }
  const directory = join(dataDirectory, 'log');
  const file = join(directory, 'data.mdb');
  if (!existsSync(file)) throw new CommandFailed(`there is no log in ${directory} (see LOGBOOK_DATA_DIR)`);
  const { openersOf } = await import('#infra/lmdb/opener-record.js');
  if (openersOf(directory, file).some(({ state }) => state === 'open')) {
    throw new CommandFailed(`a server has the log in ${directory} open: ask it, with LOGBOOK_URL and LOGBOOK_OPS_KEY`);
  }
  const { openEmbeddedEventStore } = await import('#infra/event-store/embedded/embedded-event-store.js');
  const own = mkdtempSync(join(tmpdir(), 'logbook-at-rest-'));
  try {
    symlinkSync(realpathSync(file), join(own, 'data.mdb'));
    if (existsSync(join(directory, 'store.json'))) cpSync(join(directory, 'store.json'), join(own, 'store.json'));
    return await working(openEmbeddedEventStore({ path: own, readOnly: true, inspects: false }), work);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
};

const working = async <T>(log: EventStore, work: (log: EventStore) => Promise<T>): Promise<T> => {
  try {
    return await work(log);
  } finally {
    await log.close();
  }
};
