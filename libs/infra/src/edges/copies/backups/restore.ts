import { existsSync, statSync } from 'node:fs';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Frontier } from '#domain/integrity/merkle.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { CopyRefused, DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { LeavesLog } from '#infra/edges/copies/leaves-log.js';
import { LogWalk } from '#infra/edges/copies/log-walk.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { dataFile } from '#infra/platform/lmdb/examination.js';
import { inspectDataFile } from '#infra/platform/lmdb/inspection.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import { giveToOwner } from '#infra/platform/lmdb/ownership.js';
import { flush, makeDirectoryDurably } from '#infra/platform/lmdb/write-file-durably.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { LogInspector } from '#infra/stores/event-store/embedded/storage/log-inspector.js';
import { type Backup, logOfBackup } from './backup.js';
import { restoringOf } from './restoring.js';

type RestoreOptions = Readonly<{
  /** Directory of the backup; it contains `log`. */
  directory: string;
  /** Directory of the log: `log` in the data directory. */
  target: string;
  /** Called with the restored log before it can be served. */
  beforeServing?(log: ImportTarget): Promise<void>;
}>;

/**
 * Restores a backup in place of an empty log, in one step at the end. Before that, every event is compared with its leaf and its chain.
 * @throws CopyRefused the log is not empty, or in use, or there is no backup
 * @throws DamagedCopy the backup has changed since it was made; nothing was written
 */
export const restoreLog = async ({ directory, target, beforeServing }: RestoreOptions): Promise<Backup> => {
  await refuseUsed(target);
  const source = logOfBackup(directory);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory() || !statSync(dataFile(source), { throwIfNoEntry: false }))
    throw new CopyRefused(`${directory} is no backup: it has no log/data.mdb`);
  const backup = await verifyLog(source);
  const restoring = restoringOf(target);
  await rm(restoring, { recursive: true, force: true });
  makeDirectoryDurably(restoring);
  try {
    for (const name of ['data.mdb', 'store.json']) if (existsSync(join(source, name))) await copyFlushed(source, restoring, name);
    if (beforeServing) await prepare(restoring, beforeServing);
    await refuseUsed(target);
    await flush(restoring);
    await rm(target, { recursive: true, force: true });
    await rename(restoring, target);
    await flush(dirname(target));
    return backup;
  } finally {
    await rm(restoring, { recursive: true, force: true });
  }
};

/** Reads the whole log: its file, then each event with its leaf. @throws DamagedCopy */
const verifyLog = async (path: string): Promise<Backup> => {
  const inspection = inspectDataFile(dataFile(path), () => new LogInspector());
  if (inspection.kind !== 'sound')
    throw new DamagedCopy(`${path} is damaged: data.mdb ${inspection.kind === 'damaged' ? inspection.what : 'is empty'}`);
  const events = opened(path);
  try {
    const position = await events.head();
    const leaves = await LeavesLog.open(events, position);
    const tree = Frontier.empty();
    for await (const walked of new LogWalk({ events, leaves, upTo: position }, { after: 0n, index: 0 }).walk()) {
      if (walked.kind === 'unchained') continue;
      tree.append(walked.hash);
      if (tree.size === leaves.size && !tree.root().equals(leaves.frontier().root()))
        throw new DamagedCopy(`${path} is damaged: the events do not give the tree of its ${leaves.size} leaves`);
    }
    if (tree.size < leaves.size) throw new DamagedCopy(`${path} is damaged: events from index ${tree.size} on are missing`);
    const { fileBytes } = await events.stats();
    return { position: `${position}`, size: leaves.size, root: leaves.frontier().root().toString('hex'), bytes: fileBytes };
  } finally {
    await events.close();
  }
};

const opened = (path: string): EmbeddedEventStore => {
  try {
    return openEmbeddedEventStore({ path, readOnly: true });
  } catch (error) {
    throw error instanceof EnvironmentError ? new DamagedCopy(error.message) : error;
  }
};

const copyFlushed = async (from: string, to: string, name: string): Promise<void> => {
  await copyFile(join(from, name), join(to, name));
  giveToOwner(join(to, name));
  await flush(join(to, name));
};

const prepare = async (path: string, beforeServing: (log: ImportTarget) => Promise<void>): Promise<void> => {
  const log = openEmbeddedEventStore({ path, chained: true });
  try {
    await beforeServing(log);
  } finally {
    await log.close();
  }
};

/** @throws CopyRefused */
const refuseUsed = async (target: string): Promise<void> => {
  if (!existsSync(target)) return;
  if (isLocked(target)) throw new CopyRefused(`a process has the log in ${target} open: stop it first`);
  if ((await readdir(target)).includes('data.mdb') && (await holdsEvents(target)))
    throw new CopyRefused(`the log in ${target} is not empty: move it away first`);
};

const holdsEvents = async (path: string): Promise<boolean> => {
  try {
    const log = openEmbeddedEventStore({ path, readOnly: true });
    try {
      return (await log.head()) > 0n;
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'EventStoreUnavailable') return false; // the log was never written
    throw error;
  }
};
