/** An environment cannot be opened. The message is a sentence for operators and names the path. */
export class EnvironmentError extends Error {
  override readonly name: string = 'EnvironmentError';
  constructor(
    readonly path: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`${path} ${what}`, options);
  }
}

/** Another process writes to the directory. It may be about to end. */
export class DirectoryInUse extends EnvironmentError {}

/** A copy cannot be written, for example because the disk is full. The environment itself is available, so this is no outage. */
export class EnvironmentNotCopied extends Error {
  override readonly name = 'EnvironmentNotCopied';
}

/** Why data of a newer version cannot be used. */
export const newerFormat = (found: number, known: number): string =>
  `was written by a newer version of Logbook (format ${found}; this one reads up to ${known})`;

/**
 * A write to the disk has failed: to the header of a file, after which LMDB lets this process neither read nor write it any more, or to the
 * log, which is not retried. Earlier commits are in the file for the next process.
 */
export class EnvironmentLost extends Error {
  override readonly name = 'EnvironmentLost';
  constructor(
    /** Directory of the environment. */
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(`${path}: a write to the disk has failed, after which this process cannot use the file`, options);
  }
}

type Listener = (lost: EnvironmentLost) => void;

const LISTENERS = new Set<Listener>();

/** Calls `listener` for each environment lost in this thread. Returns a function that removes it. */
export const onEnvironmentLost = (listener: Listener): (() => void) => {
  LISTENERS.add(listener);
  return () => LISTENERS.delete(listener);
};

export const announceLost = (lost: EnvironmentLost): void => {
  for (const listener of LISTENERS) listener(lost);
};

/** Checks of the open environments of this thread: each returns whether its environment is lost. */
export const LOST_CHECKS = new Set<() => boolean>();

/** Checks all environments, and returns whether one is lost: then errors of lmdb are thrown by timers, too. */
export const isAnyLost = (): boolean => [...LOST_CHECKS].some((check) => check());
