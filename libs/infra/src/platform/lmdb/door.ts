import { randomUUID } from 'node:crypto';
import { mkdirSync, readlinkSync, rmSync, symlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { isRunning } from '#infra/platform/program/is-running.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { isLocked, isLockedHere } from './lock.js';

/*
 * LMDB loses commits that a process makes while another one opens the file, if only to read it: opening looks up the number of the newest transaction,
 * and some moments later stores it as that from which readers and writers go on (`mdb_env_open2`). So a process that opens a file to read it comes
 * through a door. It makes `doors/door`; the process that writes takes the lock of writers, says so in `doors/held`, and gives it back when `door` is
 * gone again. Both are symbolic links that lead nowhere: their text says who made them.
 */
const DOORS = 'doors';
const doorOf = (path: string): string => join(path, DOORS, 'door');
const heldOf = (path: string): string => join(path, DOORS, 'held');

/** How often who comes looks whether the other one has done its part, and the other way round. */
const STEP_MS = 1;
/** So long the lock of writers is held for somebody who was there. Opening takes about a millisecond. */
const HELD_MS = 1_000;
/** Who does not open in this time is not alive any more: it is stopped, or stands still, and commits nothing. */
const PATIENCE_MS = 3_000;
/** How often is looked for somebody at the door where the system does not say so. */
const LOOK_MS = 50;

/** Before an environment is opened for writing: who comes to read where there is none has opened it before anything is committed. */
export const makeDoor = (path: string): void => {
  try {
    mkdirSync(join(path, DOORS), { recursive: true, mode: 0o700 });
  } catch {} // a full disk, to which nothing is committed: it is tried again
};

/** Opens an environment for reading while no other process commits to it. */
export const throughDoor = <Opened>(path: string, open: () => Opened): Opened => {
  const token = `${process.pid} ${randomUUID()}`;
  if (isLockedHere(path) || !takeDoor(path, token)) return open();
  try {
    until(() => !isLocked(path) || textOf(heldOf(path)) === token);
    return open();
  } finally {
    rmSync(doorOf(path), { force: true });
  }
};

/** Lets other processes in, as the one that writes, from before its first commit on. Call what it returns before the environment is closed. */
export const keepDoor = (path: string, root: RootDatabase): (() => void) => {
  let last: string | undefined;
  const look = (): void => {
    const token = textOf(doorOf(path));
    if (token === undefined || token === last || token === textOf(heldOf(path))) return;
    last = token;
    // Work that waits inside would have other transactions of this thread run as parts of this one.
    void root.transaction(() => holdFor(path, token)).catch(() => undefined);
  };
  const stop = watching(path, look);
  until(() => !isStanding(path, textOf(doorOf(path))), HELD_MS); // who found nobody here is opening now
  return stop;
};

const watching = (path: string, look: () => void): (() => void) => {
  try {
    const watcher = watch(join(path, DOORS), { persistent: false }, look).on('error', () => undefined); // the directory is gone
    return () => watcher.close();
  } catch {
    const again = (): void => {
      makeDoor(path);
      look();
    };
    const timer = setInterval(again, LOOK_MS).unref(); // there is no directory yet, or the system watches no more files
    return () => clearInterval(timer);
  }
};

const isStanding = (path: string, token: string | undefined): boolean =>
  token !== undefined && textOf(doorOf(path)) === token && isRunning(Number.parseInt(token, 10));

/** Inside a transaction. */
const holdFor = (path: string, token: string): void => {
  if (!isStanding(path, token)) return;
  try {
    rmSync(heldOf(path), { force: true }); // left by one that was killed
    writeText(heldOf(path), token);
    until(() => !isStanding(path, token), HELD_MS);
  } catch {
    // A full disk: who stands at the door loses its patience.
  } finally {
    rmSync(heldOf(path), { force: true });
  }
};

/** One at a time. @returns `false`: nobody writes to it, or the directory takes no files */
const takeDoor = (path: string, token: string): boolean => {
  let isTaken = false;
  try {
    until(() => {
      isTaken = writeText(doorOf(path), token);
      const there = isTaken ? undefined : textOf(doorOf(path));
      if (there !== undefined && !isStanding(path, there)) rmSync(doorOf(path), { force: true }); // left by one that was killed
      return isTaken;
    });
  } catch {
    return false;
  }
  return isTaken;
};

/** Throws errors of the file system. @returns `false`: there is such a text already */
const writeText = (file: string, text: string): boolean => {
  try {
    symlinkSync(text, file); // at once with its text, unlike a file
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
};

const textOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
};

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Waits without leaving this turn of the event loop. */
const until = (isSo: () => boolean, longestMs = PATIENCE_MS): void => {
  const end = performance.now() + longestMs;
  while (!isSo() && performance.now() < end) Atomics.wait(PAUSE, 0, 0, STEP_MS);
};
