import { existsSync, statSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openEventStoreDbLog } from '#api/runtime/foreign-streams.js';
import { NoInstallation } from '#api/runtime/start-failure.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { refuseUnfinishedRestore } from '#infra/edges/copies/backups/restoring.js';
import { type Configuration, loadConfiguration } from '#infra/platform/config/configuration.js';
import { dataFile } from '#infra/platform/lmdb/examination.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import type { EmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { announceStores } from '#operator/announced-stores.js';
import { serverBeside } from '#operator/beside.js';
import { CommandFailed } from '#operator/command-failed.js';
import { type OpenLog, servedCopy } from './served-copy.js';

/** The configuration of this process, for commands that use only the event log. @throws InvalidConfiguration */
export const configurationOf = (): Configuration => loadConfiguration(process.env);

export const logDirectory = ({ dataDirectory }: Configuration): string => join(dataDirectory, 'log');

/** Returns whether another process has the embedded log of the configuration open. */
export const isServed = (configuration: Configuration): boolean =>
  configuration.eventStoreUrl === undefined && isLocked(logDirectory(configuration));

/** @throws CommandFailed the log is on EventStoreDB */
export const requireEmbedded = ({ eventStoreUrl }: Configuration, command: string): void => {
  if (eventStoreUrl)
    throw new CommandFailed(
      `${command} is for the embedded log: use the tools of EventStoreDB, or \`logbook export\` and \`import\`, for this one (see EVENTSTORE_URL)`,
    );
};

const remoteLog = (configuration: Configuration): Promise<ImportTarget> | undefined => {
  const { eventStoreUrl, eventStoreClient } = configuration;
  if (eventStoreUrl === undefined) return undefined;
  announceStores(configuration, 'log');
  return openEventStoreDbLog({ eventStoreUrl, eventStoreClient });
};

/** Opens the log for reading; creates nothing in it. @throws NoInstallation, CommandFailed */
export const logToRead = async (configuration: Configuration): Promise<OpenLog<ImportTarget>> => {
  const log = await remoteLog(configuration);
  return log ? { log, close: () => log.close() } : embeddedLog(configuration, true);
};

/** Opens the embedded log. If a server has it open, the server makes a copy, which is opened instead. @throws NoInstallation, CommandFailed */
export const embeddedLog = async (configuration: Configuration, readOnly: boolean): Promise<OpenLog<EmbeddedEventStore>> => {
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  const path = logDirectory(configuration);
  const open = (from: string): EmbeddedEventStore => openEmbeddedEventStore({ path: from, chained: configuration.chain, readOnly });
  const server = await serverBeside(process.env);
  if (server) return servedCopy(server, configuration.dataDirectory, open);
  announceStores(configuration, 'log');
  refuseUnfinishedRestore(path);
  if (!statSync(dataFile(path), { throwIfNoEntry: false })) throw new NoInstallation(`${path} does not exist`);
  const log = open(path);
  return { log, close: () => log.close() };
};

/** `discard`: closes the log, and removes it if this call created it. */
type LogToFill = Readonly<{ target: ImportTarget; discard: () => Promise<void> }>;

/** Opens or creates the log for writing. No other process may have it open. The caller must close it. @throws CommandFailed */
export const logToFill = async (configuration: Configuration): Promise<LogToFill> => {
  const remote = await remoteLog(configuration);
  if (remote) return { target: remote, discard: async () => {} };
  const path = logDirectory(configuration);
  if (isServed(configuration)) throw new CommandFailed(`a process has the log in ${path} open: stop it first`);
  announceStores(configuration, 'log');
  refuseUnfinishedRestore(path);
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  const made = [path, configuration.dataDirectory].filter((directory) => !existsSync(directory));
  const isNew = !existsSync(dataFile(path));
  const target = openEmbeddedEventStore({ path, chained: true });
  const discard = async (): Promise<void> => {
    await target.close();
    if (!isNew) return;
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true });
    for (const directory of made) await rmdir(directory);
  };
  return { target, discard };
};
