import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';
import { isRunning, ownNamespace } from '#infra/platform/program/process-origin.js';
import { doorIn, textOf, until, watchDoors, writeText } from './doors.js';
import { isLocked, isLockedHere } from './lock.js';

/*
 * /* LMDB loses commits that a process makes while another one opens the file, even for reading: opening looks up the number of the newest
 * transaction, and moments later stores it as the one from which readers and writers continue (`mdb_env_open2`). So a process that opens a
 * file for reading comes through a door. It creates `doors/door`. The writing process takes the write lock, records that in `doors/held`,
 * and releases the lock when `door` is gone. The texts of both identify their process.
 */
const doorOf = (path: string): string => doorIn(path, 'door');
const heldOf = (path: string): string => doorIn(path, 'held');

/** Maximum time for which the write lock is held for an opening process. Opening takes about a millisecond. */
const HELD_MS = 1_000;
/** A process that does not open within this time is suspended or dead, and commits nothing. */
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

/** Lets other processes in, from before the writer's first commit. Call the returned function before the environment is closed. */
export const keepDoor = (path: string, root: RootDatabase): (() => void) => {
  let last: string | undefined;
  const look = (): void => {
    const token = textOf(doorOf(path));
    if (token === undefined || token === last || token === textOf(heldOf(path))) return;
    last = token;
    // Asynchronous work inside would make other transactions of this thread parts of this one.
    void root.transaction(() => holdFor(path, token)).catch(() => undefined);
  };
  const stop = watchDoors(path, look);
  until(() => !isStanding(path, textOf(doorOf(path))), HELD_MS); // a process that found no writer is opening now
  return stop;
};

const isStanding = (path: string, token: string | undefined): boolean =>
  token !== undefined && textOf(doorOf(path)) === token && (isElsewhere(token) || isRunning(Number.parseInt(token, 10)));

/** Returns whether the process is in another container, where its id cannot be checked. It counts as running until the time limit. */
const isElsewhere = (token: string): boolean => token.split(' ')[2] !== ownNamespace();

/** Must run inside a transaction. */
const holdFor = (path: string, token: string): void => {
  if (!isStanding(path, token)) return;
  try {
    rmSync(heldOf(path), { force: true }); // left by a killed process
    writeText(heldOf(path), token);
    until(() => !isStanding(path, token), HELD_MS);
  } catch {
    // A full disk: the process at the door reaches its time limit.
  } finally {
    rmSync(heldOf(path), { force: true });
  }
};

/** One process at a time. @returns `false`: no process writes to it, or the directory accepts no files */
const takeDoor = (path: string, token: string): boolean => {
  const tryDoor = (): boolean => {
    if (writeText(doorOf(path), token)) return true;
    const there = textOf(doorOf(path));
    if (there !== undefined && !isStanding(path, there)) rmSync(doorOf(path), { force: true }); // left by a killed process
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
