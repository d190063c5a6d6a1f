import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOriginAlive, isThisBoot, lastOf, ownNamespace, ownOrigin } from '#infra/platform/program/process-origin.js';
import { answerKnocks, answersKnock, textOf, writeText } from './doors.js';
import { EnvironmentError } from './environment-error.js';
import { flushDirectory } from './write-file-durably.js';

/** Whether a process writes to a directory. `killed`: the last one has ended without closing it. `stopped`: likewise, because the machine stopped. */
export type Openness = 'open' | 'closed' | 'killed' | 'stopped';

export type Lock = Readonly<{
  /** How the last process that wrote to it ended. */
  found: Exclude<Openness, 'open'>;
  release(): void;
}>;

const ATTEMPTS = 5;
const NAME = 'lock';
/** Releases before this one wrote a record for each process that had an environment open: boot, start of the process, and more. */
const EARLIER = /^open(?:er)?\.(\d+|spare)/;
/** Files that a process left which was killed while it replaced others. */
const UNFINISHED = /\.\d+\.\d+\.tmp$/;

/**
 * Makes this process the only one that writes to a directory, with its threads. A lock that a dead process has left is taken over. Where it is of a
 * container with process ids of its own, its process is asked.
 * @throws EnvironmentError another process writes to it, or this one does already
 */
export const lockDirectory = (directory: string): Lock => {
  const file = join(directory, NAME);
  let found: Lock['found'] = 'closed';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const holders = holdersOf(directory);
    for (const holder of holders) {
      const openness = opennessBy(holder, directory);
      if (openness === 'open') throw new EnvironmentError(directory, `is in use by ${whoseOf(holder)}`);
      if (found !== 'stopped') found = openness;
    }
    remove(file, holders);
    if (!writeText(file, ownText(directory))) continue;
    flushDirectory(directory);
    const stop = answerKnocks(directory);
    const release = (): void => {
      stop();
      rmSync(file, { force: true });
    };
    return { found, release };
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
export const isLockedHere = (directory: string): boolean => textOf(join(directory, NAME)) === ownText(directory);

/** Removes what killed processes have left in a directory that is locked, and what releases before this one had in the place of a lock. */
export const removeLeftovers = (directory: string): void => {
  for (const name of readdirSync(directory))
    if (EARLIER.test(name) || UNFINISHED.test(name)) rmSync(join(directory, name), { force: true });
};

/** At most 59 bytes. */
const ownText = (directory: string): string => `${ownOrigin()}:${inodeOf(directory)}${ownNamespace()}`;

/** Another one for a copy of the directory. Three characters. */
const inodeOf = (directory: string): string => lastOf(statSync(directory).ino);

/** Processes that have locked a directory, and that had it open in the manner of earlier releases. */
const holdersOf = (directory: string): readonly string[] => {
  const holder = textOf(join(directory, NAME));
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

const opennessBy = (holder: string, directory: string): Exclude<Openness, 'closed'> => {
  const [, , boot = '', mark = ''] = holder.split(':');
  if (!isThisBoot(boot)) return 'stopped';
  if (mark !== '' && !mark.startsWith(inodeOf(directory))) return 'killed';
  return (isElsewhere(mark) ? isAnswered(holder, directory) : isOriginAlive(holder)) ? 'open' : 'killed';
};

/** Origins that have not answered at one of their directories. */
const SILENT = new Set<string>();

const isAnswered = (holder: string, directory: string): boolean => {
  const origin = holder.slice(0, holder.lastIndexOf(':')) + holder.slice(-3);
  if (SILENT.has(origin)) return false;
  if (answersKnock(directory)) return true;
  SILENT.add(origin);
  return false;
};

/** Whether a process has ids that mean nothing here. Releases before this one wrote no mark, or only the directory's. */
const isElsewhere = (mark: string): boolean => mark.length > 3 && mark.slice(3) !== ownNamespace();

const whoseOf = (holder: string): string => {
  const [pid, , , mark = ''] = holder.split(':');
  if (isElsewhere(mark)) return `process ${pid} of another container: stop that first`;
  return Number(pid) === process.pid ? 'this process already, which may open it for writing once' : `process ${pid}: stop that first`;
};

/** Removes the lock of a dead process, unless another one has taken it over meanwhile. */
const remove = (file: string, dead: readonly string[]): void => {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
    const moved = textOf(aside);
    if (moved !== undefined && !dead.includes(moved)) writeText(file, moved);
  } catch {} // it is gone
  rmSync(aside, { force: true });
};
