import { mkdirSync, readlinkSync, rmSync, symlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '#infra/platform/program/system-error.js';

/*
 * Processes that meet in a directory leave each other texts: symbolic links that lead nowhere, because a link is made at once with its text, on a full disk,
 * too (59 bytes on ext4). Those of whom another one is to hear are in a folder that the system watches.
 */
const DOORS = 'doors';

/** The path of a text that the process which writes to a directory hears of. */
export const doorIn = (directory: string, name: string): string => join(directory, DOORS, name);

export const makeDoors = (directory: string): void => {
  try {
    mkdirSync(join(directory, DOORS), { recursive: true, mode: 0o700 });
  } catch {} // a full disk, to which nothing is committed: it is tried again
};

/** Throws errors of the file system. @returns `false`: there is such a text already */
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
    return codeOf(error) === 'EINVAL' ? '' : undefined; // a file, which a copy made of it: nobody's
  }
};

const PAUSE = new Int32Array(new SharedArrayBuffer(4));
const STEP_MS = 1;

/** Waits without leaving this turn of the event loop. @returns whether it is so */
export const until = (isSo: () => boolean, longestMs: number): boolean => {
  const end = performance.now() + longestMs;
  for (;;) {
    if (isSo()) return true;
    if (performance.now() > end) return false;
    Atomics.wait(PAUSE, 0, 0, STEP_MS);
  }
};

/** How often is looked for somebody at the doors where the system does not say so. */
const LOOK_MS = 50;

/** Looks whenever something has changed at the doors. Returns how to stop. */
export const watchDoors = (directory: string, look: () => void): (() => void) => {
  try {
    const watcher = watch(join(directory, DOORS), { persistent: false }, look).on('error', () => undefined); // the directory is gone
    return () => watcher.close();
  } catch {
    const again = (): void => {
      makeDoors(directory);
      look();
    };
    const timer = setInterval(again, LOOK_MS).unref(); // there is no directory yet, or the system watches no more files
    return () => clearInterval(timer);
  }
};

const KNOCK = 'knock';
/** A process that does not answer in this time is taken for dead. */
const KNOCK_MS = 3_000;

/** Whether a process that cannot be seen from here has the directory: the text of whoever knocks is taken away. */
export const answersKnock = (directory: string): boolean => {
  const knock = doorIn(directory, KNOCK);
  try {
    writeText(knock, String(process.pid));
  } catch {
    return false; // it never had doors, or takes no files
  }
  const isAnswered = until(() => textOf(knock) === undefined, KNOCK_MS);
  rmSync(knock, { force: true });
  return isAnswered;
};

/** Answers whoever knocks, until what it returns is called. */
export const answerKnocks = (directory: string): (() => void) => {
  makeDoors(directory);
  return watchDoors(directory, () => rmSync(doorIn(directory, KNOCK), { force: true }));
};
