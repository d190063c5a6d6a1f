import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isOriginAlive, isThisBoot, ownOrigin } from '#infra/platform/program/process-origin.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { EnvironmentError } from './environment-error.js';
import { flushDirectory } from './write-file-durably.js';

/** Whether a process writes to a directory. `killed`: the last one has ended without closing it. `stopped`: likewise, because the machine stopped. */
export type Openness = 'open' | 'closed' | 'killed' | 'stopped';

export type Lock = Readonly<{
  /** What the directory was when it was locked. */
  found: Exclude<Openness, 'open'>;
  release(): void;
}>;

const ATTEMPTS = 5;
const NAME = 'lock';
/** Releases before this one wrote a record for each process that had an environment open: boot, start of the process, and more. */
const EARLIER = /^open(?:er)?\.(\d+|spare)/;
/** What a process that was killed while it replaced a file has left. */
const UNFINISHED = /\.\d+\.\d+\.tmp$/;

/**
 * Makes this process the only one that writes to a directory, with its threads. A lock that a dead process has left is taken over. It is a symbolic link
 * that leads nowhere: made at once with its text, on a full disk, too, for which the text has to be short (59 bytes on ext4).
 * @throws EnvironmentError another process writes to it, or this one does already
 */
export const lockDirectory = (directory: string): Lock => {
  const file = join(directory, NAME);
  let found: Lock['found'] = 'closed';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const holder of holdersOf(directory)) {
      const openness = opennessBy(holder, directory);
      if (openness === 'open') throw new EnvironmentError(directory, `is in use by ${whoseOf(holder)}`);
      if (found !== 'stopped') found = openness;
    }
    const left = holderIn(file);
    if (left !== undefined) remove(file, left);
    if (!isMade(file, ownText(directory))) continue;
    flushDirectory(directory);
    return { found, release: () => rmSync(file, { force: true }) };
  }
  throw new EnvironmentError(directory, 'is being opened by others again and again');
};

/** Whether any process writes to a directory, or how the last one ended. */
export const opennessOf = (directory: string): Openness => {
  const all = holdersOf(directory).map((holder) => opennessBy(holder, directory));
  return (['open', 'stopped', 'killed'] as const).find((one) => all.includes(one)) ?? 'closed';
};

export const isLocked = (directory: string): boolean => opennessOf(directory) === 'open';

/** Whether this process, or one of its threads, writes to a directory. */
export const isLockedHere = (directory: string): boolean => holderIn(join(directory, NAME)) === ownText(directory);

/** Removes what killed processes have left in a directory that is locked, and what releases before this one had in the place of a lock. */
export const removeLeftovers = (directory: string): void => {
  for (const name of readdirSync(directory))
    if (EARLIER.test(name) || UNFINISHED.test(name)) rmSync(join(directory, name), { force: true });
};

const ownText = (directory: string): string => `${ownOrigin()}:${markOf(directory)}`;

/** Another one for a copy of the directory. */
const markOf = (directory: string): string => statSync(directory).ino.toString(36).slice(-3);

const isMade = (file: string, holder: string): boolean => {
  try {
    symlinkSync(holder, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
};

/** Who has locked a directory, and who had it open in the manner of earlier releases. */
const holdersOf = (directory: string): readonly string[] => {
  const holder = holderIn(join(directory, NAME));
  return [...(holder === undefined ? [] : [holder]), ...earlierHolders(directory)];
};

const earlierHolders = (directory: string): readonly string[] =>
  namesIn(directory).flatMap((name) => {
    const [, pid] = EARLIER.exec(name) ?? [];
    if (pid === undefined || pid === 'spare' || name.endsWith('.tmp')) return [];
    const [boot, start] = readFileSync(join(directory, name), 'utf8').split(' ');
    return [[pid, start, boot].join(':')];
  });

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it is not there
  }
};

const holderIn = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (codeOf(error) === 'EINVAL') return ''; // no link, so nobody's
    return undefined; // it is gone
  }
};

const opennessBy = (holder: string, directory: string): Exclude<Openness, 'closed'> => {
  const [, , boot = '', mark = markOf(directory)] = holder.split(':');
  if (!isThisBoot(boot)) return 'stopped';
  return isOriginAlive(holder) && mark === markOf(directory) ? 'open' : 'killed';
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
    const moved = holderIn(aside);
    if (moved !== undefined && moved !== expected) isMade(file, moved);
  } catch {} // it is gone
  rmSync(aside, { force: true });
};
