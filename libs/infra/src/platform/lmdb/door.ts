import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';
import { ownNamespace, startOf } from '#infra/platform/program/process-origin.js';
import { doorIn, textOf, until, watchDoors, writeText } from './doors.js';
import { isLocked, isLockedHere } from './lock.js';

/*
 * /* LMDB loses commits that a process makes while another one opens the file, even for reading: opening looks up the number of the newest
 * transaction, and moments later stores it as the one from which readers and writers continue (`mdb_env_open2`). So a process that opens a
 * file for reading comes through a door. It creates `doors/door`. The writing process takes the write lock, records that in `doors/held`,
 * and releases the lock when `door` is gone. It removes a `door` that stays too long before it commits again, and then the process at the
 * door, which may have stood still, comes once more. The texts of both identify their process.
 */
const doorOf = (path: string): string => doorIn(path, 'door');
const heldOf = (path: string): string => doorIn(path, 'held');

/** Maximum time for which the write lock is held for an opening process. Opening takes about a millisecond. */
const HELD_MS = 1_000;
/** A process that has not answered for this time is suspended or dead, and commits nothing. */
const PATIENCE_MS = 3_000;

/** Process id, start time, a text that differs for each attempt, namespace of process ids. At most 41 characters. */
const newToken = (): string => [process.pid, startOf(process.pid), randomUUID().slice(-12), ownNamespace()].join(':');

/** Opens an environment for reading while no other process commits to it. */
export const throughDoor = <Opened>(path: string, open: () => Opened): Opened => {
  for (;;) {
    const token = newToken();
    if (isLockedHere(path) || !takeDoor(path, token)) return open();
    const isAtDoor = (): boolean => textOf(doorOf(path)) === token;
    try {
      until(() => !isAtDoor() || !isLocked(path) || textOf(heldOf(path)) === token, PATIENCE_MS);
      if (isAtDoor()) return open();
    } finally {
      if (isAtDoor()) rmSync(doorOf(path), { force: true });
    }
  }
};

/** Lets other processes in, from before the writer's first commit. Call the returned function before the environment is closed. */
export const keepDoor = (path: string, root: RootDatabase): (() => void) => {
  const look = (): void => {
    const token = textOf(doorOf(path));
    if (token === undefined || token === textOf(heldOf(path))) return;
    // Asynchronous work inside would make other transactions of this thread parts of this one.
    void root.transaction(() => holdFor(path, token)).catch(() => undefined);
  };
  const stop = watchDoors(path, look);
  awaitOpening(path, textOf(doorOf(path))); // a process that found no writer is opening now
  return stop;
};

/** Waits until a process is through the door. One that stays too long loses the door. */
const awaitOpening = (path: string, token: string | undefined): void => {
  if (!until(() => !isStanding(path, token), HELD_MS)) rmSync(doorOf(path), { force: true });
};

const isStanding = (path: string, token: string | undefined): boolean =>
  token !== undefined && textOf(doorOf(path)) === token && isAlive(token);

/** A process in another container, whose id cannot be checked, counts as alive until the time limit. */
const isAlive = (token: string): boolean => {
  const [pid, start, , namespace] = token.split(':');
  return namespace !== ownNamespace() || startOf(Number(pid)) === start;
};

/** Must run inside a transaction. */
const holdFor = (path: string, token: string): void => {
  if (!isStanding(path, token)) return;
  try {
    rmSync(heldOf(path), { force: true }); // left by a killed process
    writeText(heldOf(path), token);
    awaitOpening(path, token);
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
