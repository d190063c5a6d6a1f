import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CopyRefused } from '#infra/edges/copies/damaged-copy.js';
import { LeavesLog } from '#infra/edges/copies/leaves-log.js';
import { LOCK_FILES } from '#infra/platform/lmdb/lock.js';
import { fileIdentity, installedLmdbVersion, writeMarker } from '#infra/platform/lmdb/version-marker.js';
import { flush, flushParent } from '#infra/platform/lmdb/write-file-durably.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { LOG_FORMAT } from '#infra/stores/event-store/embedded/storage/databases.js';

/**
 * `position`: head of the copy. `size`, `root`: of its chain, as a verification of the copy finds them; they can serve as its anchor.
 * `bytes`: size of its file.
 */
export type Backup = Readonly<{ position: string; size: number; root: string; bytes: number }>;

/** Path of the log's copy in the directory of a backup. It exists only once the copy is complete. */
const LOG = 'log';
const PARTIAL = /^log\.partial-/;

/** Returns whether a complete or partial copy of a log has this name. */
const isCopy = (name: string): boolean => name === LOG || PARTIAL.test(name);

export const logOfBackup = (directory: string): string => join(directory, LOG);

/** Returns whether a backup can be made in the directory: it is empty, or holds only the remains of an interrupted backup. */
export const isFree = async (directory: string): Promise<boolean> => {
  const found = await stat(directory).catch(() => undefined);
  if (!found) return true;
  return found.isDirectory() && (await readdir(directory)).every((name) => PARTIAL.test(name));
};

/** Returns whether a directory holds a complete or unfinished backup, and nothing else. */
const isBackup = async (directory: string): Promise<boolean> => {
  const names = await readdir(directory).catch(() => []);
  return names.length > 0 && names.every(isCopy);
};

/** The directories that contain a directory, nearest first. It need not exist. */
const around = (directory: string): readonly string[] => {
  const outer = dirname(resolve(directory));
  return outer === resolve(directory) ? [] : [outer, ...around(outer)];
};

/** The backup that contains a directory, which need not exist; `undefined` if there is none. */
export const backupAround = async (directory: string): Promise<string | undefined> => {
  for (const outer of around(directory)) if (await isBackup(outer)) return outer;
  return undefined;
};

/** Complete or partial copies of logs in the directories around one. */
const copiesAround = async (directory: string): Promise<readonly string[]> => {
  const found = around(directory).map(async (outer) => {
    const names = await readdir(outer).catch(() => []);
    return names.filter(isCopy).map((name) => join(outer, name));
  });
  return (await Promise.all(found)).flat();
};

const insideOf = (directory: string, outer: string): CopyRefused => new CopyRefused(`${directory} is inside the backup in ${outer}`);

/** @throws CopyRefused */
const refusePlace = async (directory: string): Promise<void> => {
  const outer = await backupAround(directory);
  if (outer !== undefined) throw insideOf(directory, outer);
  if (!(await isFree(directory))) throw new CopyRefused(`${directory} is not empty`);
};

/** The directories created for a backup, innermost first. @param first outermost one; `undefined` if none was created */
const madeFor = (partial: string, first: string | undefined): readonly string[] =>
  first === undefined ? [] : around(partial).filter((directory) => directory.length >= first.length);

const removeBegun = async (partial: string, first: string | undefined): Promise<void> => {
  await rm(partial, { recursive: true, force: true });
  for (const directory of madeFor(partial, first)) await rmdir(directory).catch(() => {}); // fails if something else was stored there meanwhile
};

/**
 * Copies an embedded log of this process into a directory, while it is written. Until the copy is complete and flushed, the directory holds nothing
 * that could be taken for a log. Each backup creates its directories before it looks for others. So if two nested backups start at the same
 * time, one of them detects the other: the inner one before it copies, or the outer one before its copy gets its name.
 * @param directory created if missing
 * @throws CopyRefused the directory is not empty, or inside another backup
 * @throws EnvironmentNotCopied, EventStoreUnavailable
 */
export const backUpLog = async (log: EmbeddedEventStore, directory: string, signal?: AbortSignal): Promise<Backup> => {
  const before = await copiesAround(directory);
  await refusePlace(directory);
  const partial = join(resolve(directory), `log.partial-${randomUUID()}`);
  const first = await mkdir(dirname(partial), { recursive: true, mode: 0o700 });
  try {
    for (const name of await readdir(directory)) if (PARTIAL.test(name)) await rm(join(directory, name), { recursive: true, force: true });
    await mkdir(partial, { mode: 0o700 });
    const begun = (await copiesAround(directory)).find((copy) => !before.includes(copy));
    if (begun !== undefined) throw insideOf(directory, dirname(begun));
    await log.sweep(); // destroyed keys and expired messages are not copied
    await log.copyTo(partial);
    signal?.throwIfAborted();
    const backup = await finish(partial);
    signal?.throwIfAborted();
    if (!(await isFree(directory))) throw new CopyRefused(`${directory} is not empty any more`);
    await rename(partial, logOfBackup(directory));
    await flush(directory);
    for (const made of madeFor(partial, first)) flushParent(made);
    return backup;
  } catch (error) {
    await removeBegun(partial, first);
    throw error;
  }
};

/** Describes a complete backup. @throws EnvironmentError, EventStoreUnavailable */
export const describeBackup = async (log: string): Promise<Backup> => {
  const store = openEmbeddedEventStore({ path: log, readOnly: true });
  try {
    const position = await store.head();
    const leaves = await LeavesLog.open(store, position);
    const { size: bytes } = await stat(join(log, 'data.mdb'));
    return { position: `${position}`, size: leaves.size, root: leaves.frontier().root().toString('hex'), bytes };
  } finally {
    await store.close();
    for (const name of LOCK_FILES) await rm(join(log, name), { force: true });
  }
};

const finish = async (log: string): Promise<Backup> => {
  await mark(log);
  return describeBackup(log);
};

/** Marks a copy as one that can be opened without reading all of it. */
const mark = async (log: string): Promise<void> => {
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
};
