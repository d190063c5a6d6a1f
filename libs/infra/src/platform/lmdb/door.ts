import { randomUUID } from 'node:crypto';
import { readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { isRunning } from '#infra/platform/program/is-running.js';
import { isOpenElsewhere, isOpenHere } from './opener-record.js';

/*
 * LMDB loses commits that another process makes while a file is being opened: opening looks up the number of the newest transaction, and some moments
 * later stores it as that from which readers and writers go on (`mdb_env_open2`), also beside processes that have the file open. So a process that
 * opens a file comes through a door. It makes `door`; a process that writes to the environment takes the lock of writers, says so in
 * `door.held`, and gives it back when `door` is gone again. Both are symbolic links that lead nowhere: their text says who made them.
 */
const DOOR = 'door';
const HELD = 'door.held';

/** How often processes that write look whether somebody stands at the door. */
const LOOK_MS = 50;
/** How often the two look whether the other one has done its part. */
const STEP_MS = 1;
/** So long the lock of writers is held for somebody who was there. Opening takes about a millisecond. */
const HELD_MS = 1_000;
/** Who does not open in this time is not alive any more: it is stopped, or stands still, and commits nothing. */
const PATIENCE_MS = 3_000;

/**
 * Opens an environment while no other process commits to it.
 * @param open has to record this process as one that has it open, if it is going to write. Calls `opened` when the file is open, before it waits for
 *   the lock of writers
 */
export const throughDoor = <Opened>(path: string, open: (opened: () => void) => Opened): Opened => {
  const token = `${process.pid} ${randomUUID()}`;
  if (isOpenHere(path) || !takeDoor(path, token)) return open(() => undefined);
  let isLeft = false;
  const leave = (): void => {
    if (!isLeft) rmSync(join(path, DOOR), { force: true });
    isLeft = true;
  };
  try {
    until(() => !isOpenElsewhere(path) || textOf(join(path, HELD)) === token);
    // Without somebody who holds the lock those who come now wait until this process can do it.
    return open(textOf(join(path, HELD)) === token ? leave : () => undefined);
  } finally {
    leave();
  }
};

/** Lets other processes in, as one that writes. Call what it returns before the environment is closed. */
export const keepDoor = (path: string, root: RootDatabase): (() => void) => {
  let last: string | undefined;
  const timer = setInterval(() => {
    const token = textOf(join(path, DOOR));
    if (token === undefined || token === last || isOwn(token) || token === textOf(join(path, HELD))) return;
    last = token;
    // Work that waits inside would have other transactions of this thread run as parts of this one.
    void root.transaction(() => holdFor(path, token)).catch(() => undefined);
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
};

/** Inside a transaction. */
const holdFor = (path: string, token: string): void => {
  const isThere = () => textOf(join(path, DOOR)) === token && isRunning(pidOf(token));
  if (!isThere()) return;
  try {
    rmSync(join(path, HELD), { force: true }); // left by one that was killed
    writeText(join(path, HELD), token);
    until(() => !isThere(), HELD_MS);
  } catch {
    // A full disk: who stands at the door loses its patience.
  } finally {
    rmSync(join(path, HELD), { force: true });
  }
};

/** One at a time. @returns `false`: nobody who comes here can be asked, because the directory takes no files */
const takeDoor = (path: string, token: string): boolean => {
  const door = join(path, DOOR);
  let isTaken = false;
  try {
    until(() => {
      isTaken = writeText(door, token);
      const there = isTaken ? undefined : textOf(door);
      if (there !== undefined && !isRunning(pidOf(there))) rmSync(door, { force: true }); // left by one that was killed
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
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
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

const isOwn = (token: string): boolean => pidOf(token) === process.pid;
const pidOf = (token: string): number => Number.parseInt(token, 10);

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Waits without leaving this turn of the event loop. */
const until = (isSo: () => boolean, longestMs = PATIENCE_MS): void => {
  const end = performance.now() + longestMs;
  while (!isSo() && performance.now() < end) Atomics.wait(PAUSE, 0, 0, STEP_MS);
};
