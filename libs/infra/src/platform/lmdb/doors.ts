import { mkdirSync, readlinkSync, rmSync, symlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '#infra/platform/program/system-error.js';

/*
 * /* Processes that use the same directory leave texts for each other: symbolic links without a target, because a link is created with its
 * text in one step, even on a full disk (59 bytes on ext4). Texts that notify another process are in a folder that the system watches.
 */
const DOORS = 'doors';

/** Path of a text that notifies the process writing to a directory. */
export const doorIn = (directory: string, name: string): string => join(directory, DOORS, name);

export const makeDoors = (directory: string): void => {
  try {
    mkdirSync(join(directory, DOORS), { recursive: true, mode: 0o700 });
  } catch {} // on a full disk nothing is committed; it is retried
};

/** Throws file system errors. @returns `false`: such a text exists already */
export const writeText = (file: string, text: string): boolean => {
  try {
    symlinkSync(text, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
};

export const textOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch (error) {
    return codeOf(error) === 'EINVAL' ? '' : undefined; // a file, made from it by a copy: it belongs to no process
  }
};

const PAUSE = new Int32Array(new SharedArrayBuffer(4));
const STEP_MS = 1;

/** Waits without leaving this turn of the event loop. @returns whether the condition was met */
export const until = (isSo: () => boolean, longestMs: number): boolean => {
  const end = performance.now() + longestMs;
  for (;;) {
    if (isSo()) return true;
    if (performance.now() > end) return false;
    Atomics.wait(PAUSE, 0, 0, STEP_MS);
  }
};

/** Interval of checks at the doors if the system does not report changes. */
const LOOK_MS = 50;

/** Looks whenever something has changed at the doors. Returns a function that stops it. */
export const watchDoors = (directory: string, look: () => void): (() => void) => {
  try {
    const watcher = watch(join(directory, DOORS), { persistent: false }, look).on('error', () => undefined); // the directory is gone
    return () => watcher.close();
  } catch {
    const again = (): void => {
      makeDoors(directory);
      look();
    };
    const timer = setInterval(again, LOOK_MS).unref(); // the directory does not exist yet, or the system watches no more files
    return () => clearInterval(timer);
  }
};

const KNOCK = 'knock';
/** Time without an answer after which a process counts as dead. */
const KNOCK_MS = 3_000;

/** Returns whether a process that cannot be seen from here uses the directory: it removes the text of a process that knocks. */
export const answersKnock = (directory: string): boolean => {
  const knock = doorIn(directory, KNOCK);
  try {
    writeText(knock, String(process.pid));
  } catch {
    return false; // it never had doors, or accepts no files
  }
  const isAnswered = until(() => textOf(knock) === undefined, KNOCK_MS);
  rmSync(knock, { force: true });
  return isAnswered;
};

/** Answers processes that knock, until the returned function is called. */
export const answerKnocks = (directory: string): (() => void) => {
  makeDoors(directory);
  return watchDoors(directory, () => rmSync(doorIn(directory, KNOCK), { force: true }));
};
