import { accessSync, constants, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isOriginAlive, isThisBoot, lastOf, ownNamespace, ownOrigin } from '#infra/platform/program/process-origin.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { DirectoryInUse, EnvironmentError } from './environment-error.js';
import { hasOwnerFile, OWNER_FILES, takeOwnership } from './owner.js';
import { flushDirectory } from './write-file-durably.js';

/**
 * State of a directory. `open`: a process writes to it. `killed`, `stopped`: the last writer, or the machine, stopped without closing it.
 */
export type Openness = 'open' | 'closed' | 'killed' | 'stopped';

export type Lock = Readonly<{
  /** State in which the last writer left it. */
  found: Exclude<Openness, 'open'>;
  release(): void;
}>;

const NAME = 'lock';
/** Files that a process leaves in a directory that it has opened for reading. */
export const LOCK_FILES = ['lock.mdb', ...OWNER_FILES] as const;
/** Earlier releases wrote a record for each process that had an environment open (boot, start of the process, and more), later one for all. */
const EARLIER = /^(?:open(?:er)?\.(\d+|spare)|restore-point)/;
const NOT_IN_FORCE = /\.(?:spare|tmp)$/;
/** Files left by a process that was killed while it replaced others. */
const UNFINISHED = /\.\d+\.\d+\.tmp$/;

/**
 * Makes this process, with its threads, the only one that writes to a directory. Its name stays in `lock` until it closes the directory.
 * @throws DirectoryInUse another process writes to it
 * @throws EnvironmentError this one does already
 */
export const lockDirectory = (directory: string): Lock => {
  const leave = ownOrRefuse(directory);
  try {
    const found = leftState(directory);
    const file = join(directory, NAME);
    writeOwnText(directory, file);
    const release = (): void => {
      rmSync(file, { force: true });
      leave();
    };
    return { found, release };
  } catch (error) {
    leave();
    throw error;
  }
};

/**
 * Opens something in a directory for reading, while no other process owns it: LMDB loses commits that a process makes while another one
 * opens the file (`mdb_env_open2`). Once it is open, another process may own the directory.
 * @throws DirectoryInUse
 */
export const openUnowned = <Opened>(directory: string, open: () => Opened): Opened => {
  if (isLockedHere(directory)) return open();
  const leave = ownOrRefuse(directory);
  try {
    return open();
  } finally {
    leave();
  }
};

/** Returns whether any process writes to a directory, or how the last one ended. Creates nothing. */
export const opennessOf = (directory: string): Openness => {
  if (isLockedHere(directory) || ownerSeen(directory) !== undefined) return 'open';
  if (hasOwnerFile(directory) && isWritable(directory)) {
    const leave = takeOwnership(directory);
    if (!leave) return 'open';
    leave();
  }
  return leftState(directory);
};

export const isLocked = (directory: string): boolean => opennessOf(directory) === 'open';

/** Returns whether this process, or one of its threads, writes to a directory. */
export const isLockedHere = (directory: string): boolean => {
  const holder = textIn(directory);
  return holder !== undefined && holder === ownText(directory);
};

/** Returns whether the machine stopped while an earlier release, which flushed derived data some time after a commit, had it open. */
export const isUnflushed = (directory: string): boolean =>
  namesIn(directory).some((name) => EARLIER.test(name) && !NOT_IN_FORCE.test(name) && !isThisBoot(wordsIn(directory, name)[0] ?? ''));

/** Removes files that killed processes have left in a locked directory, and the records of earlier releases. */
export const removeLeftovers = (directory: string): void => {
  for (const name of readdirSync(directory))
    if (EARLIER.test(name) || UNFINISHED.test(name)) rmSync(join(directory, name), { force: true });
};

/** At most 59 bytes. */
const ownText = (directory: string): string => `${ownOrigin()}:${markOf(directory)}`;

/** Differs for a copy of the directory, also one by a snapshot of its file system, and in another container. Six characters. */
export const markOf = (directory: string): string => {
  const { dev, ino } = statSync(directory);
  return `${lastOf(dev + ino)}${ownNamespace()}`;
};

/** Text of the last writer. A link without a target has its text even on a full disk (59 bytes on ext4). */
const textIn = (directory: string): string | undefined => {
  try {
    return readlinkSync(join(directory, NAME));
  } catch (error) {
    return codeOf(error) === 'EINVAL' ? '' : undefined; // a file, made from it by a copy
  }
};

/** Replaces the text in one step: how the last writer ended must not be lost if this process is killed. Throws file system errors. */
const writeOwnText = (directory: string, file: string): void => {
  const next = `${file}.${process.pid}.0.tmp`;
  rmSync(next, { force: true });
  symlinkSync(ownText(directory), next);
  renameSync(next, file);
  flushDirectory(directory);
};

/** @throws DirectoryInUse, EnvironmentError */
const ownOrRefuse = (directory: string): (() => void) => {
  if (isLockedHere(directory))
    throw new EnvironmentError(directory, 'is in use by this process already, which may open it for writing once');
  const seen = ownerSeen(directory);
  if (seen !== undefined) throw inUse(directory, seen);
  const leave = isWritable(directory) ? takeOwnership(directory) : () => {}; // to open what takes no files changes nothing in it
  if (!leave) throw inUse(directory, textIn(directory));
  return leave;
};

/** A running process that a directory names: most owners are found so, without a wait. Processes of other containers are not seen. */
const ownerSeen = (directory: string): string | undefined => {
  const holder = textIn(directory) ?? '';
  const [, , , mark = ''] = holder.split(':');
  const isNamed = mark === '' || mark === markOf(directory);
  return [...(isNamed ? [holder] : []), ...earlierHolders(directory)].find(isOriginAlive);
};

/** How the last writer left a directory that nobody writes to. */
const leftState = (directory: string): Lock['found'] => {
  const holder = textIn(directory);
  const holders = [...(holder === undefined ? [] : [holder]), ...earlierHolders(directory)];
  if (holders.length === 0) return 'closed';
  return holders.some((one) => !isThisBoot(one.split(':')[2] ?? '')) ? 'stopped' : 'killed';
};

const isWritable = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const earlierHolders = (directory: string): readonly string[] =>
  namesIn(directory).flatMap((name) => {
    const [, pid] = EARLIER.exec(name) ?? [];
    if (pid === undefined || NOT_IN_FORCE.test(name)) return [];
    const [boot, start] = wordsIn(directory, name);
    return [[pid, start, boot].join(':')];
  });

const wordsIn = (directory: string, name: string): readonly string[] => readFileSync(join(directory, name), 'utf8').split(' ');

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it does not exist
  }
};

const inUse = (directory: string, holder = ''): DirectoryInUse => {
  const [pid = '', , , mark = ''] = holder.split(':');
  if (pid === '') return new DirectoryInUse(directory, 'is in use by another process: stop that first');
  const isElsewhere = mark.length > 3 && mark.slice(3) !== ownNamespace(); // earlier releases wrote no mark, or only the directory's
  return new DirectoryInUse(directory, `is in use by process ${pid}${isElsewhere ? ' of another container' : ''}: stop that first`);
};
