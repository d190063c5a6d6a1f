import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/event-store/embedded/embedded-event-store.js';
import { LOG_FORMAT } from '#infra/event-store/embedded/storage/databases.js';
import { fileIdentity, installedLmdbVersion, writeMarker } from '#infra/lmdb/version-marker.js';
import { CopyRefused } from './damaged-copy.js';
import { LeavesLog } from './leaves-log.js';

/**
 * `position`: head of the copy; `size`, `root`: of its chain, as a verification of the copy finds them, so that they serve as an anchor of it; `bytes`: of
 * its file.
 */
export type Backup = Readonly<{ position: string; size: number; root: string; bytes: number }>;

/** Where the copy of the log is in the directory of a backup. It is there once it is complete. */
const LOG = 'log';
const PARTIAL = /^log\.partial-/;

export const logOfBackup = (directory: string): string => join(directory, LOG);

/** Whether a backup can be made there: nothing is there, or nothing but what an interrupted one left. */
export const isFree = async (directory: string): Promise<boolean> => {
  const found = await stat(directory).catch(() => undefined);
  if (!found) return true;
  return found.isDirectory() && (await readdir(directory)).every((name) => PARTIAL.test(name));
};

/** Whether a directory holds a backup, or one that is being made, and nothing else. */
const isBackup = async (directory: string): Promise<boolean> => {
  const names = await readdir(directory).catch(() => []);
  return names.length > 0 && names.every((name) => name === LOG || PARTIAL.test(name));
};

/** The backup that a directory, which need not exist, would be inside of; `undefined`: there is none. */
export const backupAround = async (directory: string): Promise<string | undefined> => {
  for (let inner = resolve(directory), outer = dirname(inner); outer !== inner; [inner, outer] = [outer, dirname(outer)])
    if (await isBackup(outer)) return outer;
  return undefined;
};

/** @throws CopyRefused */
const refuseInside = async (directory: string): Promise<void> => {
  const outer = await backupAround(directory);
  if (outer !== undefined) throw new CopyRefused(`${directory} is inside the backup in ${outer}`);
};

/**
 * Copies an embedded log into a directory while processes write it. Until the copy is complete and flushed the directory holds nothing that anybody would
 * take for a log.
 * @param directory made if it is missing
 * @throws CopyRefused something is there already, or another backup is around it
 * @throws EventStoreUnavailable
 */
export const backUpLog = async (log: EmbeddedEventStore, directory: string, signal?: AbortSignal): Promise<Backup> => {
  await refuseInside(directory);
  if (!(await isFree(directory))) throw new CopyRefused(`${directory} is not empty`);
  const isNew = !existsSync(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
  const partial = join(directory, `log.partial-${randomUUID()}`);
  try {
    await mkdir(partial, { mode: 0o700 });
    await log.sweep(); // destroyed keys and expired messages are not copied
    await log.copyTo(partial);
    signal?.throwIfAborted();
    const backup = await finish(partial);
    signal?.throwIfAborted();
    await refuseInside(directory); // one that was begun at the same time
    if (!(await isFree(directory))) throw new CopyRefused(`${directory} is not empty any more`);
    await rename(partial, logOfBackup(directory));
    await flush(directory);
    return backup;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (isNew) await rmdir(directory).catch(() => {});
    throw error;
  }
};

/** What a complete backup holds. @throws EnvironmentError, EventStoreUnavailable */
export const describeBackup = async (log: string): Promise<Backup> => {
  const store = openEmbeddedEventStore({ path: log, readOnly: true });
  try {
    const position = await store.head();
    const leaves = await LeavesLog.open(store, position);
    const { size: bytes } = await stat(join(log, 'data.mdb'));
    return { position: `${position}`, size: leaves.size, root: leaves.frontier().root().toString('hex'), bytes };
  } finally {
    await store.close();
    await rm(join(log, 'lock.mdb'), { force: true });
  }
};

const finish = async (log: string): Promise<Backup> => {
  const file = join(log, 'data.mdb');
  await flush(file);
  writeMarker(log, {
    lmdb: installedLmdbVersion(),
    durability: 'durable',
    state: 'ready',
    format: LOG_FORMAT,
    closed: fileIdentity(file),
  });
  await flush(log);
  return describeBackup(log);
};

/** Of a file, or of the entries of a directory. */
export const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
