import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOriginAlive, isThisBoot, lastOf, ownNamespace, ownOrigin } from '#infra/platform/program/process-origin.js';
import { answerKnocks, answersKnock, textOf, writeText } from './doors.js';
import { DirectoryInUse, EnvironmentError } from './environment-error.js';
import { flushDirectory } from './write-file-durably.js';

/**
 * State of a directory. `open`: a process writes to it. `killed`, `stopped`: the last writer, or the machine, stopped without closing it.
 */
export type Openness = 'open' | 'closed' | 'killed' | 'stopped';

export type Lock = Readonly<{
  /** State in which the last writer left it. */
  found: Exclude<Openness, 'open'>;
  release(): void;
}>;

const ATTEMPTS = 5;
const NAME = 'lock';
/** Earlier releases wrote a record for each process that had an environment open: boot, start of the process, and more. */
const EARLIER = /^open(?:er)?\.(\d+|spare)/;
/** Files left by a process that was killed while it replaced others. */
const UNFINISHED = /\.\d+\.\d+\.tmp$/;

/**
 * Makes this process, with its threads, the only writer of a directory. The lock of a dead process is taken over. A process in a container
 * with its own process ids is asked whether it is alive.
 * @throws DirectoryInUse another process writes to it
 * @throws EnvironmentError this one does already
 */
export const lockDirectory = (directory: string): Lock => {
  const file = join(directory, NAME);
  let found: Lock['found'] = 'closed';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const holders = holdersOf(directory);
    for (const holder of holders) {
      const openness = opennessBy(holder, directory);
      if (openness === 'open') throw inUse(directory, holder);
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
  throw new EnvironmentError(directory, 'is being opened repeatedly by other processes');
};

/** Returns whether any process writes to a directory, or how the last one ended. */
export const opennessOf = (directory: string): Openness => {
  const all = holdersOf(directory).map((holder) => opennessBy(holder, directory));
  return (['open', 'stopped', 'killed'] as const).find((one) => all.includes(one)) ?? 'closed';
};

export const isLocked = (directory: string): boolean => opennessOf(directory) === 'open';

/** Returns whether this process, or one of its threads, writes to a directory. */
export const isLockedHere = (directory: string): boolean => textOf(join(directory, NAME)) === ownText(directory);

/** Removes files that killed processes have left in a locked directory, and the records of earlier releases. */
export const removeLeftovers = (directory: string): void => {
  for (const name of readdirSync(directory))
    if (EARLIER.test(name) || UNFINISHED.test(name)) rmSync(join(directory, name), { force: true });
};

/** At most 59 bytes. */
const ownText = (directory: string): string => `${ownOrigin()}:${inodeOf(directory)}${ownNamespace()}`;

/** Differs for a copy of the directory. Three characters. */
const inodeOf = (directory: string): string => lastOf(statSync(directory).ino);

/** Processes that have locked a directory, or have it open in the form of earlier releases. */
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
    return []; // it does not exist
  }
};

const opennessBy = (holder: string, directory: string): Exclude<Openness, 'closed'> => {
  const [, , boot = '', mark = ''] = holder.split(':');
  if (!isThisBoot(boot)) return 'stopped';
  if (mark !== '' && !mark.startsWith(inodeOf(directory))) return 'killed';
  return (isElsewhere(mark) ? isAnswered(holder, directory) : isOriginAlive(holder)) ? 'open' : 'killed';
};

/** Origins that have not answered in one of their directories. */
const SILENT = new Set<string>();

const isAnswered = (holder: string, directory: string): boolean => {
  const origin = holder.slice(0, holder.lastIndexOf(':')) + holder.slice(-3);
  if (SILENT.has(origin)) return false;
  if (answersKnock(directory)) return true;
  SILENT.add(origin);
  return false;
};

/** Returns whether the process ids of a mark have no meaning here. Earlier releases wrote no mark, or only the directory's. */
const isElsewhere = (mark: string): boolean => mark.length > 3 && mark.slice(3) !== ownNamespace();

const inUse = (directory: string, holder: string): EnvironmentError => {
  const [pid, , , mark = ''] = holder.split(':');
  if (isElsewhere(mark)) return new DirectoryInUse(directory, `is in use by process ${pid} of another container: stop that first`);
  return Number(pid) === process.pid
    ? new EnvironmentError(directory, 'is in use by this process already, which may open it for writing once')
    : new DirectoryInUse(directory, `is in use by process ${pid}: stop that first`);
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
