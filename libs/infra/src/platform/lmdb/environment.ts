import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { ignoreHandledCommitFailures } from './commit-failure.js';
import { keepDoor, throughDoor } from './door.js';
import { announceLost, EnvironmentError, EnvironmentLost } from './environment-error.js';
import { dataFile, distrust, examine, rememberClosed } from './examination.js';
import { requireRoom } from './free-space.js';
import type { Inspector } from './inspection.js';
import { inodeOf, recordOpener, removeEnded } from './opener-record.js';
import { RestorePoints } from './restore-points.js';
import { type Marker, writeMarker } from './version-marker.js';

export type EnvironmentOptions = Readonly<{
  /** Directory of the environment; created with mode 0700 (parents too) if missing. */
  path: string;
  /**
   * `durable`: a write is acknowledged when it is on disk. Damage is an error.
   * `replayable`: writes survive a killed process; flushed at intervals. After a power cut the next open goes back to the last
   * flush, and deletes a damaged file: only for data that can be rebuilt.
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
  /** How often a replayable environment is flushed, in milliseconds. Default 1000. */
  flushIntervalMs?: number;
  /** Receives, as a sentence, what was found and repaired. Default: `process.emitWarning`. */
  report?: ((message: string) => void) | undefined;
}>;

export type Environment = Readonly<{
  /**
   * Open named databases with `root.openDB`; write with `root.transaction`. Its own encoding is `binary`; give each database its encoding.
   */
  root: RootDatabase;
  /**
   * Call it before each transaction that writes to replayable data. On a full disk LMDB would refuse it as well, but it writes that to standard error,
   * where the program logs JSON.
   * @throws DiskFull
   */
  requireRoom(): void;
  /** Call it when damage was found: the next process reads the whole file before it opens it. */
  distrust(): void;
  /** Waits for writes in progress, flushes a replayable environment and releases the files. Safe to call twice. */
  close(): Promise<void>;
}>;

/** Of the environments that this thread has open. */
const OPEN_ROOTS = new Set<RootDatabase>();

/**
 * What is read from here on shows what other processes have committed before. Without it, reads of the same and the next turn of the event loop show one
 * state, which may be a millisecond old.
 */
export const seeNewest = (): void => {
  for (const root of OPEN_ROOTS) root.resetReadTxn();
};

const READER_CHECK_INTERVAL_MS = 30_000;
/** How often an environment is looked at whether it is lost. */
const LOST_CHECK_INTERVAL_MS = 250;

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
  return throughDoor(path, (opened) => {
    const root = openRoot(options, readOnly, opened);
    OPEN_ROOTS.add(root);
    if (readOnly) return { root, requireRoom: () => {}, distrust: () => {}, close: once(() => closeRoot(root)) };
    const files = onDisk(path, () => (durability === 'durable' ? durableFiles(path) : replayableFiles(options, openRoot(options, true))));
    return writableEnvironment(root, path, marker, files);
  });
};

/** The files of an environment that this process has open for writing. */
type OpenFiles = Readonly<{
  timers: readonly NodeJS.Timeout[];
  /** Called before writing ends. */
  beforeClose(): Promise<void>;
  /** Called when nobody can write any more by this process. Resolves with whether everything is on disk. */
  close(): Promise<boolean>;
  /** Removes the record that this process has the environment open. */
  removeRecord(): void;
}>;

const durableFiles = (path: string): OpenFiles => {
  const { remove } = recordOpener(path, inodeOf(dataFile(path)));
  return { timers: [], beforeClose: async () => {}, close: async () => true, removeRecord: remove };
};

/** @param pins the environment once more: see {@link RestorePoints} */
const replayableFiles = ({ path, flushIntervalMs = 1_000 }: EnvironmentOptions, pins: RootDatabase): OpenFiles => {
  const points = new RestorePoints(pins, path);
  // What processes that were killed had not flushed is on disk then, and their records need not have the next process read the whole file.
  const takeForAll = async (): Promise<void> => {
    if (await points.take()) quietly(() => removeEnded(path, dataFile(path)));
  };
  return {
    timers: [setInterval(() => void points.take(), flushIntervalMs), setInterval(() => void takeForAll(), READER_CHECK_INTERVAL_MS)],
    beforeClose: takeForAll,
    close: () => points.end(),
    removeRecord: () => points.removeRecord(),
  };
};

const closeRoot = (root: RootDatabase): Promise<void> => {
  OPEN_ROOTS.delete(root);
  return root.close();
};

/** Maintains an environment until it is closed. */
const writableEnvironment = (root: RootDatabase, path: string, marker: Marker, files: OpenFiles): Environment => {
  onDisk(path, () => writeMarker(path, { ...marker, state: 'ready' }));
  // A reader that was killed with its snapshot open pins old pages, and the file grows, until somebody checks.
  const timers = [...files.timers, setInterval(() => root.readerCheck(), READER_CHECK_INTERVAL_MS)];
  const watch = new LostWatch(root, path);
  const leaveDoor = keepDoor(path, root);
  for (const timer of timers) timer.unref();
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
      for (const timer of timers) clearInterval(timer);
      leaveDoor();
      watch.close();
      if (watch.isLost) {
        OPEN_ROOTS.delete(root); // LMDB would wait for its writes
        return;
      }
      await files.beforeClose();
      await closeRoot(root);
      if (!(await files.close())) return; // the next process finds the record, and reads the whole file
      if (!distrusted) quietly(() => rememberClosed(path));
      files.removeRecord();
    }),
  };
};

/** Whether LMDB lets this process go on with an environment. */
class LostWatch {
  private readonly waiting = new Set<(lost: EnvironmentLost) => void>();
  private readonly timer: NodeJS.Timeout;
  private lost: EnvironmentLost | undefined;

  constructor(
    private readonly root: RootDatabase,
    private readonly path: string,
  ) {
    this.timer = setInterval(() => this.look(), LOST_CHECK_INTERVAL_MS).unref();
    // LMDB settles no promise of a transaction then.
    const transact = root.transaction.bind(root);
    root.transaction = <Result>(work: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (this.lost) throw this.lost;
        this.waiting.add(reject);
        transact(work)
          .then(resolve, reject)
          .finally(() => this.waiting.delete(reject));
      });
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** The failed write itself is no sign of it: only what is read afterwards is, by its text, because LMDB gives no code. */
  private look(): void {
    try {
      this.root.resetReadTxn();
      this.root.getStats();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('MDB_PANIC'))) return;
      this.close();
      this.lost = new EnvironmentLost(this.path, { cause: error });
      for (const reject of this.waiting) reject(this.lost);
      announceLost(this.lost);
    }
  }
}

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

/** @param opened called when LMDB has opened the file: where it is going to write, it waits for the lock of writers afterwards */
const openRoot = (options: EnvironmentOptions, readOnly: boolean, opened = () => {}): RootDatabase => {
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
      // The only call of ours between the two. Keys of the root are names of databases, which are not written by it.
      ...(!readOnly && { keyEncoder: { enableNullTermination: opened } }),
    });
  } catch (error) {
    throw new EnvironmentError(options.path, 'cannot be opened', { cause: error });
  }
};
