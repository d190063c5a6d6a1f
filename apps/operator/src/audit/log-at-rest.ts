import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStoreDbLog } from '#api/runtime/foreign-streams.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { isDamage } from '#infra/engine/integrity/verification/damage.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { announceStores } from '../announced-stores.js';
import { CommandFailed } from '../command-failed.js';

/**
 * Works on a log without writing anything beside it: no lock, no marker. An embedded log is reached through a link from a temporary
 * directory, where LMDB puts its lock file; so no process may write to it meanwhile. Damaged records do not prevent opening.
 * @throws CommandFailed there is no log, or it cannot be opened
 * @throws DamagedCopy its files are damaged, or data needed at first cannot be read
 */
export const withLogAtRest = async <T>(configuration: Configuration, work: (log: EventStore) => Promise<T>): Promise<T> => {
  const { eventStoreUrl, eventStoreClient, dataDirectory } = configuration;
  announceStores(configuration, 'log');
  if (eventStoreUrl) return working(await openEventStoreDbLog({ eventStoreUrl, eventStoreClient }), 'the log', work);
  const directory = join(dataDirectory, 'log');
  await refuseDamagedFiles(directory);
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  const own = mkdtempSync(join(tmpdir(), 'logbook-at-rest-'));
  try {
    symlinkSync(realpathSync(join(directory, 'data.mdb')), join(own, 'data.mdb'));
    if (existsSync(join(directory, 'store.json'))) cpSync(join(directory, 'store.json'), join(own, 'store.json'));
    return await working(openEmbeddedEventStore({ path: own, readOnly: true, inspects: false }), directory, work);
  } catch (error) {
    throw error instanceof EnvironmentError ? new CommandFailed(error.message.replaceAll(own, directory)) : error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
};

/** Reads every page, even of a file known to be undamaged, because LMDB would end the process with a signal over a damaged one. */
const refuseDamagedFiles = async (directory: string): Promise<void> => {
  const { inspectDataFile } = await import('#infra/platform/lmdb/inspection.js');
  const { readMarker } = await import('#infra/platform/lmdb/version-marker.js');
  const file = join(directory, 'data.mdb');
  if (!statSync(directory, { throwIfNoEntry: false })) throw new CommandFailed(`there is no log in ${directory} (see LOGBOOK_DATA_DIR)`);
  const inspection = inspectDataFile(file, () => ({ visit: () => {}, finish: () => {} }));
  if (inspection.kind === 'damaged') throw new DamagedCopy(`${directory} is damaged: data.mdb ${inspection.what}`);
  const marker = markerOf(() => readMarker(directory));
  if (inspection.kind === 'sound') return;
  if (marker?.state === 'ready') throw new DamagedCopy(`${directory} has lost its data file (missing or empty)`);
  throw new CommandFailed(`there is no log in ${directory} (see LOGBOOK_DATA_DIR)`);
};

/** @throws DamagedCopy */
const markerOf = <Marker>(read: () => Marker): Marker => {
  try {
    return read();
  } catch (error) {
    throw error instanceof EnvironmentError ? new DamagedCopy(error.message) : error;
  }
};

const working = async <T>(log: EventStore, name: string, work: (log: EventStore) => Promise<T>): Promise<T> => {
  try {
    return await work(log);
  } catch (error) {
    if (!(error instanceof Error) || !isDamage(error)) throw error;
    const what = error instanceof SyntaxError ? 'a record is not JSON' : error.message; // its message would quote the record
    throw new DamagedCopy(`${name} is damaged: ${what}`, { cause: error });
  } finally {
    await log.close();
  }
};
