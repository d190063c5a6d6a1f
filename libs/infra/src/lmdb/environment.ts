import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { ignoreHandledCommitFailures } from './commit-failure.js';
import { EnvironmentError } from './environment-error.js';
import { openersOfAnotherBoot, recordOpener } from './opener-record.js';
import { checkDataFile } from './preflight.js';
import { installedLmdbVersion, isNewer, type Marker, readMarker, writeMarker } from './version-marker.js';

export type EnvironmentOptions = Readonly<{
  /** Directory of the environment; made with mode 0700 (parents too) when missing. */
  path: string;
  /**
   * `durable`: a write is acknowledged when it is on disk. Damage is an error.
   * `replayable`: writes survive a killed process but not a power cut; flushed about every 2 seconds. What a power cut or a damaged file
   * may have spoilt is deleted at the next open: only for data that can be built again.
   */
  durability: 'durable' | 'replayable';
  /** How many named databases may be open at once. */
  maxDbs: number;
  /** Address space set aside (not disk, not memory); the file may outgrow it. Default 64 GiB. */
  mapSizeBytes?: number;
  /** Bytes of a page; fixed when the file is created. Default 8192. */
  pageSize?: number;
  /** Opens without waiting for the write lock and never creates or deletes anything. Default false. */
  readOnly?: boolean;
  /** Told, as a sentence, what was found and mended or looks odd. Default: `process.emitWarning`. */
  report?: (message: string) => void;
}>;

export type Environment = Readonly<{
  /** Open named databases with `root.openDB`; write with `root.transaction`. Its own encoding is `binary`; name one per database. */
  root: RootDatabase;
  /** Waits for writes under way, flushes a replayable environment and releases the files. Safe to call twice. */
  close(): Promise<void>;
}>;

const READER_CHECK_INTERVAL_MS = 30_000;
const SYNC_INTERVAL_MS = 2_000;

/**
 * The one way to open an LMDB environment, for the server and the command line alike: durability is each writer's own choice, so all
 * writers of a file must choose the same.
 *
 * @throws EnvironmentError the path cannot be used, is not ours, is damaged, or was written by a newer version; `path` is in the message
 */
export const openEnvironment = (options: EnvironmentOptions): Environment => {
  ignoreHandledCommitFailures();
  const readOnly = options.readOnly ?? false;
  const report = options.report ?? ((message: string) => process.emitWarning(message));
  prepareDirectory(options.path, readOnly);
  const marker = examine(options, readOnly, report);
  const closeRecord = readOnly || options.durability === 'durable' ? () => {} : recordOpener(options.path);
  const root = openRoot(options, readOnly);
  if (!readOnly) writeMarker(options.path, { ...marker, state: 'ready' });
  const timers = readOnly ? [] : maintain(root, options.durability);
  let closing: Promise<void> | undefined;
  return {
    root,
    close: () => {
      closing ??= (async () => {
        for (const timer of timers) clearInterval(timer);
        if (!readOnly && options.durability === 'replayable') await sync(root);
        await root.close();
        closeRecord();
      })();
      return closing;
    },
  };
};

const prepareDirectory = (path: string, readOnly: boolean): void => {
  try {
    if (!readOnly) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!statSync(path).isDirectory()) throw new EnvironmentError(path, 'is not a directory');
    accessSync(path, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK | constants.X_OK);
    const file = dataFile(path);
    if (existsSync(file)) accessSync(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    throw new EnvironmentError(path, readOnly ? 'cannot be read' : 'cannot be written', { cause: error });
  }
};

/** Looks at what is there before LMDB does, because LMDB kills the process over a damaged file. Returns the marker to write. */
const examine = (options: EnvironmentOptions, readOnly: boolean, report: (message: string) => void): Marker => {
  const { path, durability } = options;
  const lmdb = installedLmdbVersion();
  const fresh: Marker = { lmdb, durability, state: 'creating' };
  const found = readMarker(path);
  if (found && found.durability !== durability) {
    throw new EnvironmentError(path, `holds ${found.durability} data and was asked for as ${durability}`);
  }
  const reset = (why: string): Marker => {
    if (durability === 'durable' || readOnly || !found) throw new EnvironmentError(path, why);
    report(`${path} ${why}: deleted, to be built again`);
    for (const name of ['data.mdb', 'lock.mdb']) rmSync(join(path, name), { force: true });
    for (const opener of openersOfAnotherBoot(path)) rmSync(opener, { force: true });
    writeMarker(path, fresh);
    return fresh;
  };
  if (found && isNewer(found.lmdb, lmdb)) return reset(`was written by lmdb ${found.lmdb}, newer than this program's ${lmdb}`);
  if (openersOfAnotherBoot(path).length > 0) return reset('was not closed before the machine stopped');
  const check = checkDataFile(dataFile(path));
  if (check.kind === 'absent') {
    if (readOnly) throw new EnvironmentError(path, 'holds no data');
    if (found?.state === 'ready') return reset('has lost its data file (missing or empty)');
  }
  if (check.kind === 'damaged') return reset(`is damaged: ${check.what}`);
  if (check.kind === 'short') {
    // Under heavy put and delete a healthy replayable file can end before its last page number; a log never does.
    if (durability === 'durable') throw new EnvironmentError(path, `is damaged: ${check.what}`);
    report(`${path}: ${check.what}`);
  }
  const marker: Marker = found ? { ...found, lmdb } : fresh;
  if (!readOnly) writeMarker(path, marker);
  return marker;
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

const maintain = (root: RootDatabase, durability: EnvironmentOptions['durability']): readonly NodeJS.Timeout[] => {
  // A reader killed with its snapshot open pins old pages, and the file grows, until somebody looks.
  const timers = [setInterval(() => root.readerCheck(), READER_CHECK_INTERVAL_MS)];
  if (durability === 'replayable') timers.push(setInterval(() => void sync(root), SYNC_INTERVAL_MS));
  for (const timer of timers) timer.unref();
  return timers;
};

/** Best effort: a flush that fails leaves what `replayable` promises anyway. */
const sync = (root: RootDatabase): Promise<void> =>
  new Promise((resolve) => {
    if (canSync(root)) root.sync(() => resolve());
    else resolve();
  });

/** lmdb's types leave `sync` out. */
const canSync = (root: object): root is { sync(done: (error?: Error) => void): void } => 'sync' in root && typeof root.sync === 'function';

const dataFile = (path: string): string => join(path, 'data.mdb');
