import { accessSync, constants, existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { codeOf } from '#infra/platform/program/system-error.js';
import { EnvironmentError } from './environment-error.js';
import { requireDescriptors, tryWriting } from './free-space.js';
import { inspectDataFile } from './inspection.js';
import { giveToOwner } from './ownership.js';

/*
 * The lock of a directory is one of the system: LMDB locks a byte of `owner.mdb-lock` while a process has that environment open, and the
 * system releases it when the process ends, however it ends. Only the first process to open it finds an empty table of readers. So a process
 * opens it, enters the table, and owns the directory if it is alone there: of two that enter at the same time, each sees the other one, and
 * leaves. The environment has no content, so nothing can be lost by opening it.
 */
const NAME = 'owner.mdb';
/** Of a new environment, at most. */
const BYTES = 65_536;
const MAP_SIZE = 2 ** 20;

/** Files of the lock in a directory. The second one stays: to delete it would let two processes lock two files of the same name. */
export const OWNER_FILES = [NAME, `${NAME}-lock`] as const;

/** Returns whether any process has ever locked a directory. */
export const hasOwnerFile = (directory: string): boolean => existsSync(join(directory, NAME));

/** Others may be opening it for reading, or starting at the same time. */
const ATTEMPTS = 20;
const MOST_PAUSE_MS = 100;
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Directories that this thread owns. A second opening in the process would end the lock. */
const OWNED = new Set<string>();

/**
 * Makes this process the owner of a directory. Throws file system errors.
 * @returns a function that ends the ownership; `undefined` if the directory is owned already, perhaps by a process that stands still
 */
export const takeOwnership = (directory: string): (() => void) | undefined => {
  if (OWNED.has(directory)) return undefined;
  prepare(directory);
  for (let attempt = 1; ; attempt++) {
    const leave = enter(join(directory, NAME));
    for (const name of OWNER_FILES) giveToOwner(join(directory, name));
    if (leave) {
      OWNED.add(directory);
      return () => {
        OWNED.delete(directory);
        leave();
      };
    }
    if (attempt === ATTEMPTS) return undefined;
    Atomics.wait(PAUSE, 0, 0, Math.random() * MOST_PAUSE_MS); // at random, so that processes that start together do not meet again
  }
};

const enter = (path: string): (() => void) | undefined => {
  const root = open({ path, noSubdir: true, noSync: true, overlappingSync: false, mapSize: MAP_SIZE });
  const leave = (): void => void root.close();
  if (entriesOf(root) === 0 && hasEntered(root) && entriesOf(root) === 1) return leave;
  leave();
  return undefined;
};

/** Fails if a process of another container with the same id has entered at the same time. */
const hasEntered = (root: RootDatabase): boolean => {
  try {
    root.get('');
    return true;
  } catch {
    return false;
  }
};

/** Processes that have the environment open, dead ones left out, as LMDB prints them: a heading and a line for each, or a remark in brackets. */
const entriesOf = (root: RootDatabase): number => {
  root.readerCheck();
  return root
    .readerList()
    .split('\n')
    .filter((line) => /^\s*\d/.test(line)).length;
};

/**
 * LMDB ends the process with a signal if one of its calls fails while it opens the environment, or over a damaged file, such as a power failure
 * may leave. So this process looks before, and follows no link: a damaged file is removed, and LMDB makes another one. It may be one that
 * another process is making just now, which goes on with it: to empty it would end that process with SIGBUS. The lock is in the other file.
 * This process does not open that one: to close it ends the lock of another thread.
 */
const prepare = (directory: string): void => {
  const file = join(directory, NAME);
  for (const name of OWNER_FILES)
    if (lstatSync(join(directory, name), { throwIfNoEntry: false })?.isFile() === false)
      throw new EnvironmentError(join(directory, name), 'is not a file');
  if (unlessGone(() => inspectDataFile(file, undefined).kind) === 'damaged') rmSync(file, { force: true });
  if (!hasOwnerFile(directory)) tryWriting(`${file}.${process.pid}.0.tmp`, BYTES);
  for (const name of OWNER_FILES) unlessGone(() => accessSync(join(directory, name), constants.R_OK | constants.W_OK));
  requireDescriptors(directory);
};

/** `undefined` where there is no file: another process may remove it meanwhile. */
const unlessGone = <Seen>(look: () => Seen): Seen | undefined => {
  try {
    return look();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
};
