import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';
import { isRunning } from '#infra/platform/program/is-running.js';
import { ownNamespace } from '#infra/platform/program/process-origin.js';
import { doorIn, textOf, until, watchDoors, writeText } from './doors.js';
import { isLocked, isLockedHere } from './lock.js';

/*
 * LMDB loses commits that a process makes while another one opens the file, if only to read it: opening looks up the number of the newest transaction,
 * and some moments later stores it as that from which readers and writers go on (`mdb_env_open2`). So a process that opens a file to read it comes
 * through a door. It makes `doors/door`; the process that writes takes the lock of writers, says so in `doors/held`, and gives it back when `door` is
 * gone again. Their texts say who made them.
 */
const doorOf = (path: string): string => doorIn(path, 'door');
const heldOf = (path: string): string => doorIn(path, 'held');

/** So long the lock of writers is held for somebody who was there. Opening takes about a millisecond. */
const HELD_MS = 1_000;
/** Who does not open in this time is not alive any more: it is stopped, or stands still, and commits nothing. */
const PATIENCE_MS = 3_000;

/** Opens an environment for reading while no other process commits to it. */
export const throughDoor = <Opened>(path: string, open: () => Opened): Opened => {
  const token = `${process.pid} ${randomUUID()} ${ownNamespace()}`;
  if (isLockedHere(path) || !takeDoor(path, token)) return open();
  try {
    until(() => !isLocked(path) || textOf(heldOf(path)) === token, PATIENCE_MS);
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
  const stop = watchDoors(path, look);
  until(() => !isStanding(path, textOf(doorOf(path))), HELD_MS); // who found nobody here is opening now
  return stop;
};

const isStanding = (path: string, token: string | undefined): boolean =>
  token !== undefined && textOf(doorOf(path)) === token && (isElsewhere(token) || isRunning(Number.parseInt(token, 10)));

/** Of a process in another container, whose id means nothing here: it counts as running for as long as others have patience with it. */
const isElsewhere = (token: string): boolean => token.split(' ')[2] !== ownNamespace();

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
  const tryDoor = (): boolean => {
    if (writeText(doorOf(path), token)) return true;
    const there = textOf(doorOf(path));
    if (there !== undefined && !isStanding(path, there)) rmSync(doorOf(path), { force: true }); // left by one that was killed
    return false;
  };
  try {
    if (until(tryDoor, PATIENCE_MS)) return true;
    rmSync(doorOf(path), { force: true });
    return tryDoor();
  } catch {
    return false;
  }
};
