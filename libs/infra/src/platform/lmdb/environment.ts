import { accessSync, closeSync, constants, existsSync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { open, type RootDatabase } from 'lmdb';
import { DelayedTask } from '#infra/platform/scheduling/later.js';
import { ignoreHandledCommitFailures } from './commit-failure.js';
import { EnvironmentError } from './environment-error.js';
import { dataFile, distrust, type ExaminationOptions, examine, rememberClosed } from './examination.js';
import { requireAddressSpace, requireDescriptors, requireRoom, tryWriting } from './free-space.js';
import type { Inspector } from './inspection.js';
import { isLockedHere, lockDirectory, type Openness, opennessOf, openUnowned, removeLeftovers } from './lock.js';
import { guardRanges, outliveWriteThreads } from './lost-environment/guards.js';
import { LostWatch } from './lost-environment/lost-watch.js';
import { giveToOwner } from './ownership.js';
import { type Marker, writeMarker } from './version-marker.js';
import { makeDirectoryDurably } from './write-file-durably.js';

export type EnvironmentOptions = Readonly<{
  /** Directory of the environment; created with mode 0700, including parents, if missing. */
  path: string;
  /**
   * A write is acknowledged when it is on disk. Damage of a `durable` environment is an error. A damaged `replayable` one is deleted: only for
   * data that can be rebuilt.
   */
  durability: 'durable' | 'replayable';
  /** Maximum number of named databases open at once. */
  maxDbs: number;
  /** Several threads of the process open it for writing; the first must keep it open as long as the others. Default false. */
  isShared?: boolean;
  /** Opens without waiting for the write lock, and never creates or deletes anything. Default false. */
  readOnly?: boolean;
  /** Format of the records. Records of a newer format are not opened; replayable data of an older format are deleted. Default 1. */
  format?: number;
  /** Checks the records when the whole file is read before opening. Default: no check. */
  newInspector?: () => Inspector;
  /** Receives sentences about problems found and repaired. Default: `process.emitWarning`. */
  report?: ((message: string) => void) | undefined;
}>;

export type Environment = Readonly<{
  /**
   * Open named databases with `root.openDB`; write with `root.transaction`. Its own encoding is `binary`; give each database its encoding.
   */
  root: RootDatabase;
  /**
   * Must be called before each transaction that writes replayable data. LMDB would refuse a write to a full disk as well, but it reports
   * that on standard error, where the program logs JSON.
   * @throws DiskFull
   */
  requireRoom(): void;
  /** Must be called when damage was found: the next process reads the whole file before it opens it. */
  distrust(): void;
  /** Waits for writes in progress, and releases the files. Safe to call twice. */
  close(): Promise<void>;
}>;

/** Environments open in this thread. */
const OPEN_ROOTS = new Set<RootDatabase>();

/**
 * Makes later reads show earlier commits of other threads. Without it, reads of this and the next turn of the event loop show one state, which
 * may be a millisecond old.
 */
export const seeNewest = (): void => {
  for (const root of OPEN_ROOTS) root.resetReadTxn();
};

/** Time from a write to a check of the readers. */
const READER_CHECK_MS = 30_000;
/** Reserved address space in bytes (not disk, not memory); the file may outgrow it. */
const MAP_SIZE = 64 * 2 ** 30;
/** In bytes; fixed when the file is created. */
export const PAGE_SIZE = 4_096;

const ANY_RECORDS: Inspector = { visit: () => {}, finish: () => {} };

/**
 * The only way to open an LMDB environment, for the server and the command line. One process can write to it, in one opening. Other processes
 * can open it for reading while none writes to it, and may then go on reading.
 *
 * @throws EnvironmentError the path cannot be used, is written by another process, is not Logbook's, is damaged, or was written by a newer
 * version; the message contains `path`
 */
export const openEnvironment = (options: EnvironmentOptions): Environment => {
  ignoreHandledCommitFailures();
  const { path, readOnly = false } = options;
  prepareDirectory(path, readOnly);
  if (!readOnly) return openToWrite(options);
  onDisk(path, () => examine(examinationOf(options, opennessOf(path))));
  return onDisk(path, () =>
    openUnowned(path, () => {
      const root = openRoot(options, true);
      OPEN_ROOTS.add(root);
      return { root, requireRoom: () => {}, distrust: () => {}, close: once(() => closeRoot(root)) };
    }),
  );
};

/**
 * Opens an environment, and what a store keeps in it. Closes it if that fails, for example because LMDB cannot write the names of new databases.
 * @throws EnvironmentError
 */
export const openStoreIn = <Store>(options: EnvironmentOptions, open: (environment: Environment) => Store): Store => {
  const environment = openEnvironment(options);
  try {
    return open(environment);
  } catch (error) {
    environment.close().catch(() => undefined);
    throw error instanceof EnvironmentError ? error : new EnvironmentError(options.path, 'cannot be used', { cause: error });
  }
};

const examinationOf = (options: EnvironmentOptions, openness: Openness): ExaminationOptions => ({
  format: 1,
  readOnly: false,
  newInspector: () => ANY_RECORDS,
  openness,
  ...options,
  report: options.report ?? ((message: string) => process.emitWarning(message)),
});

/** The lock of an environment open for writing, and how its last writer ended. */
type Owned = Readonly<{ found: Openness; release(): void }>;

/** For a thread of a process in which another thread has locked the directory. */
const JOINED: Owned = { found: 'open', release: () => {} };

const openToWrite = (options: EnvironmentOptions): Environment => {
  const { path, isShared = false } = options;
  const lock: Owned = isShared && isLockedHere(path) ? JOINED : onDisk(path, () => lockDirectory(path));
  try {
    const marker = onDisk(path, () => examine(examinationOf(options, lock.found)));
    if (lock !== JOINED) onDisk(path, () => tryLockFile(path));
    const root = openRoot(options, false);
    OPEN_ROOTS.add(root);
    return onDisk(path, () => writableEnvironment(root, path, marker, lock));
  } catch (error) {
    lock.release();
    throw error;
  }
};

const closeRoot = (root: RootDatabase): Promise<void> => {
  OPEN_ROOTS.delete(root);
  return root.close();
};

/** Maintains an environment until it is closed. Without writes there is nothing to do. */
const writableEnvironment = (root: RootDatabase, path: string, marker: Marker, lock: Owned): Environment => {
  if (lock !== JOINED) {
    flushData(path);
    removeLeftovers(path);
  }
  writeMarker(path, { ...marker, state: 'ready' });
  // A reader killed with its snapshot open pins old pages, and the file grows until the readers are checked.
  const check = new DelayedTask(READER_CHECK_MS, () => root.readerCheck());
  const watch = new LostWatch(root, path, () => check.ask());
  let distrusted = false;
  return {
    root,
    requireRoom: () => requireRoom(path),
    distrust: () => {
      if (distrusted) return;
      distrusted = true;
      quietly(() => distrust(path));
    },
    close: once(async () => {
      for (const later of [check, watch]) later.close();
      if (watch.isLost) {
        OPEN_ROOTS.delete(root); // LMDB would wait for its writes
        lock.release(); // and makes no more writes
        return;
      }
      await closeRoot(root);
      if (!distrusted) quietly(() => rememberClosed(path));
      lock.release();
    }),
  };
};

/** Flushes the pages of a new file, and commits that a killed process of an earlier release has left. Throws file system errors. */
const flushData = (path: string): void => {
  const descriptor = openSync(dataFile(path), 'r');
  try {
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Later calls return the promise of the first one. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
};

/** @throws EnvironmentError instead of a file system error */
const onDisk = <Result>(path: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (error instanceof EnvironmentError || !(error instanceof Error && 'code' in error)) throw error;
    throw new EnvironmentError(path, 'cannot be used', { cause: error });
  }
};

/** If the marker cannot be written (a full disk), the next process reads the whole file. */
const quietly = (work: () => void): void => {
  try {
    work();
  } catch {}
};

const prepareDirectory = (path: string, readOnly: boolean): void => {
  try {
    if (!readOnly) makeDirectoryDurably(path);
    if (!statSync(path).isDirectory()) throw new EnvironmentError(path, 'is not a directory');
    accessSync(path, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [dataFile(path), lockFile(path)]) checkFile(file, readOnly);
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    throw new EnvironmentError(path, readOnly ? 'cannot be read' : 'cannot be written', { cause: error });
  }
};

const lockFile = (path: string): string => join(path, 'lock.mdb');

/** LMDB creates a missing file. @throws EnvironmentError */
const checkFile = (file: string, readOnly: boolean): void => {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isFile()) throw new EnvironmentError(file, 'is not a file'); // LMDB would end the process with a signal
  accessSync(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
};

/**
 * LMDB ends the process with a signal if one of its calls fails while it opens an environment. So this process makes such calls before: it opens
 * as many files, and writes as much as a new environment needs. Throws file system errors.
 */
const tryOpening = (path: string, readOnly: boolean): void => {
  requireAddressSpace(MAP_SIZE);
  const file = dataFile(path);
  const isNew = !statSync(file, { throwIfNoEntry: false })?.size;
  if (isNew && !readOnly) tryWriting(`${file}.${process.pid}.${threadId}.tmp`, 2 * PAGE_SIZE);
  if (!isNew) closeSync(openSync(file, readOnly ? 'r' : 'r+'));
  requireDescriptors(path);
};

/**
 * The same for `lock.mdb`. To close it releases the locks that LMDB has on it in this process, so it is opened only before the first opening, which
 * is the one that writes: LMDB cannot write to an environment that its process has opened for reading.
 */
const tryLockFile = (path: string): void => {
  const file = lockFile(path);
  if (existsSync(file)) closeSync(openSync(file, 'r+'));
};

const openRoot = ({ path, maxDbs }: EnvironmentOptions, readOnly: boolean): RootDatabase => {
  try {
    tryOpening(path, readOnly);
    const root = open({
      path,
      noSubdir: false,
      encoding: 'binary',
      overlappingSync: false,
      eventTurnBatching: false,
      mapSize: MAP_SIZE,
      pageSize: PAGE_SIZE,
      maxDbs,
      readOnly,
    });
    for (const file of [dataFile(path), lockFile(path)]) giveToOwner(file);
    guardRanges(root);
    outliveWriteThreads(root);
    return root;
  } catch (error) {
    throw new EnvironmentError(path, 'cannot be opened', { cause: error });
  }
};
