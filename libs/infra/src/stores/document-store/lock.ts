import { readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { isOriginAlive, isThisBoot, ownOrigin } from '#infra/platform/program/process-origin.js';
import { codeOf } from '#infra/platform/program/system-error.js';

/** `hasStopped`: the machine stopped before the process that wrote last has ended. */
export type Lock = Readonly<{ hasStopped: boolean; release(): void }>;

const ATTEMPTS = 5;

/**
 * Makes this process the only one that writes to a directory. A lock that a dead process has left is taken over. It is a symbolic link that leads nowhere:
 * made at once with its text, on a full disk, too.
 * @throws EnvironmentError another process writes to it, or this one does already
 */
export const lockDirectory = (directory: string): Lock => {
  const file = join(directory, 'lock');
  const own = ownOrigin();
  let hasStopped = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (isMade(file, own)) return { hasStopped, release: () => rmSync(file, { force: true }) };
    const holder = holderOf(file);
    if (holder === undefined) continue;
    if (isOriginAlive(holder)) throw new EnvironmentError(directory, `is in use by ${whoseOf(holder)}`);
    hasStopped ||= !isThisBoot(holder.split(':')[2] ?? '');
    remove(file, holder);
  }
  throw new EnvironmentError(directory, 'is being opened by others again and again');
};

const isMade = (file: string, holder: string): boolean => {
  try {
    symlinkSync(holder, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
};

const holderOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (codeOf(error) === 'EINVAL') return ''; // no link, so nobody's
    return undefined; // it is gone
  }
};

const whoseOf = (holder: string): string => {
  const pid = Number.parseInt(holder, 10);
  return pid === process.pid ? 'this process already, which may open it for writing once' : `process ${pid}: stop that first`;
};

/** Removes the lock of a dead process, unless another one has taken it over meanwhile. */
const remove = (file: string, expected: string): void => {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
    const moved = holderOf(aside);
    if (moved !== undefined && moved !== expected) isMade(file, moved);
  } catch {} // it is gone
  rmSync(aside, { force: true });
};
