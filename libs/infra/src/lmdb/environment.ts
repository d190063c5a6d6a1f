import { accessSync, constants, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { ignoreHandledCommitFailures } from './commit-failure.js';
import { EnvironmentError } from './environment-error.js';
import { dataFile, distrust, examine, rememberClosed } from './examination.js';
import type { Inspector } from './inspection.js';
import { openersOf, recordOpener } from './opener-record.js';
import { type Marker, writeMarker } from './version-marker.js';

export type EnvironmentOptions = Readonly<{
  /** Directory of the environment; created with mode 0700 (parents too) if missing. */
  path: string;
  /**
   * `durable`: a write is acknowledged when it is on disk. Damage is an error.
   * `replayable`: writes survive a killed process but not a power cut; flushed about every 2 seconds. What a power cut or a damaged file
   * may have spoilt is deleted at the next open: only for data that can be rebuilt.
   */
  durability: 'durable' | 'replayable';
  /** Most named databases open at once. */
  maxDbs: number;
  /** Reserved address space (not disk, not memory); the file may outgrow it. Default 64 GiB. */
  mapSizeBytes?: number;
  /** Bytes of a page; fixed when the file is created. Default 8192. */
  pageSize?: number;
  /** Opens without waiting for the write lock, and never creates or deletes anything. Default false. */
  readOnly?: boolean;
  /** Format of the records. Records of a newer format are not opened; older replayable data are deleted. Default 1. */
  format?: number;
  /** Checks the records when the whole file is read before it is opened. Default: no check. */
  newInspector?: () => Inspector;
  /** Receives, as a sentence, what was found and repaired. Default: `process.emitWarning`. */
  report?: (message: string) => void;
}>;

export type Environment = Readonly<{
  /**
   * Open named databases with `root.openDB`; write with `root.transaction`. Its own encoding is `binary`; give each database its encoding.
   */
  root: RootDatabase;
  /** Call it when damage was found: the next process reads the whole file before it opens it. */
  distrust(): void;
  /** Waits for writes in progress, flushes a replayable environment and releases the files. Safe to call twice. */
  close(): Promise<void>;
}>;

const READER_CHECK_INTERVAL_MS = 30_000;
const SYNC_INTERVAL_MS = 2_000;

const ANY_RECORDS: Inspector = { visit: () => {}, finish: () => {} };

/**
 * The only way to open an LMDB environment, for the server and the command line alike: each writer chooses its durability, so all writers
 * of a file must choose the same.
 *
 * @throws EnvironmentError the path cannot be used, is not ours, is damaged, or was written by a newer version; the message contains `path`
 */
export const openEnvironment = (options: EnvironmentOptions): Environment => {
  ignoreHandledCommitFailures();
  const { path, durability, readOnly = false, format = 1, newInspector = () => ANY_RECORDS } = options;
  const report = options.report ?? ((message: string) => process.emitWarning(message));
  prepareDirectory(path, readOnly);
  const marker = onDisk(path, () => examine({ path, durability, format, readOnly, newInspector, report }));
  const root = openRoot(options, readOnly);
  return readOnly ? { root, distrust: () => {}, close: once(() => root.close()) } : writableEnvironment(root, path, marker);
};

/** Records that this process has the environment open, and maintains it until it is closed. */
const writableEnvironment = (root: RootDatabase, path: string, marker: Marker): Environment => {
  const { durability } = marker;
  const removeOpenerRecord = onDisk(path, () => recordOpener(path, dataFile(path)));
  onDisk(path, () => writeMarker(path, { ...marker, state: 'ready' }));
  const timers = maintain(root, path, durability);
  let distrusted = false;
  return {
    root,
    distrust: () => {
      if (distrusted) return;
      distrusted = true;
      quietly(() => distrust(path));
    },
    close: once(async () => {
      for (const timer of timers) clearInterval(timer);
      if (durability === 'replayable') await flushForAll(root, path);
      await root.close();
      if (!distrusted) quietly(() => rememberClosed(path));
      removeOpenerRecord();
    }),
  };
};

/** Later calls get the promise of the first one. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
};

/** @throws EnvironmentError instead of an error of the file system */
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
    if (!readOnly) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!statSync(path).isDirectory()) throw new EnvironmentError(path, 'is not a directory');
    accessSync(path, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [dataFile(path), join(path, 'lock.mdb')]) checkFile(file, readOnly);
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    throw new EnvironmentError(path, readOnly ? 'cannot be read' : 'cannot be written', { cause: error });
  }
};

/** A file that is not there is made by LMDB. @throws EnvironmentError */
const checkFile = (file: string, readOnly: boolean): void => {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isFile()) throw new EnvironmentError(file, 'is not a file'); // LMDB would end the process with a signal
  accessSync(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
};

const openRoot = (options: EnvironmentOptions, readOnly: boolean): RootDatabase => {
  try {
    return open({
      path: options.path,
      noSubdir: false,
      encoding: 'binary',
      overlappingSync: false,
      eventTurnBatching: false,
      noSync: options.durability === 'replayable',
      mapSize: options.mapSizeBytes ?? 64 * 2 ** 30,
      pageSize: options.pageSize ?? 8192,
      maxDbs: options.maxDbs,
      readOnly,
    });
  } catch (error) {
    throw new EnvironmentError(options.path, 'cannot be opened', { cause: error });
  }
};

const maintain = (root: RootDatabase, path: string, durability: EnvironmentOptions['durability']): readonly NodeJS.Timeout[] => {
  // A reader that was killed with its snapshot open pins old pages, and the file grows, until somebody checks.
  const timers = [setInterval(() => root.readerCheck(), READER_CHECK_INTERVAL_MS)];
  if (durability === 'replayable') {
    timers.push(setInterval(() => void sync(root), SYNC_INTERVAL_MS));
    timers.push(setInterval(() => void flushForAll(root, path), READER_CHECK_INTERVAL_MS));
  }
  for (const timer of timers) timer.unref();
  return timers;
};

/**
 * Flushes, and removes the records of processes that were killed before: what they had not flushed is on disk now, so that their records must not cost
 * a rebuild when the machine is started again before anybody opens the environment.
 */
const flushForAll = async (root: RootDatabase, path: string): Promise<void> => {
  const killed: string[] = [];
  // The directory may be gone.
  quietly(() => killed.push(...openersOf(path, dataFile(path)).flatMap(({ file, state }) => (state === 'killed' ? [file] : []))));
  if (!(await sync(root))) return;
  for (const file of killed) quietly(() => rmSync(file, { force: true }));
};

/** Best effort: a failed flush still keeps the promise of `replayable`. Resolves with whether everything is on disk. */
const sync = (root: RootDatabase): Promise<boolean> =>
  new Promise((resolve) => {
    if (canSync(root)) root.sync((error) => resolve(!error));
    else resolve(false);
  });

/** lmdb's types leave `sync` out. */
const canSync = (root: object): root is { sync(done: (error?: Error) => void): void } => 'sync' in root && typeof root.sync === 'function';
