import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { currentBoot, isThisBoot, startOf } from '#infra/platform/program/process-origin.js';
import { replaceFileDurably, writeFileDurably, writeOverDurably } from './write-file-durably.js';

/** The record of a process that has ended, kept for its place on the disk: with it the next start needs no room. */
const SPARE = 'opener.spare';

/** The record of this process. */
export type OpenerRecord = Readonly<{
  /** Replaces the meta pages of the restore point. One call at a time. */
  replace(metaPages: Buffer | undefined): Promise<void>;
  remove(): void;
}>;

/**
 * Writes a file `open.<pid>` with the boot that the process runs under, its own start time, the number of the data file's inode, and in base64 the
 * meta pages of what the file can go back to after a loss of power, if there is such a state. Each process has its own file, because the first to
 * close knows nothing of the others; the inode is recorded because records are copied with their directory.
 */
export const recordOpener = (path: string, inode: string, metaPages?: Buffer): OpenerRecord => {
  const file = ownRecord(path);
  const origin = [currentBoot(), startOf(process.pid), inode];
  const text = (pages: Buffer | undefined): string => [...origin, ...(pages ? [pages.toString('base64')] : [])].join(' ');
  writeRecord(path, file, text(metaPages));
  return {
    replace: (pages) => replaceFileDurably(file, text(pages)),
    remove: () => retire(path, file),
  };
};

/** On a full disk in the place of the spare record, or of the one that another thread of this process has written. Throws errors of the file system. */
const writeRecord = (path: string, file: string, text: string): void => {
  try {
    writeFileDurably(file, text);
  } catch (error) {
    const other = [join(path, SPARE), file].find((one) => existsSync(one));
    if (!isFull(error) || other === undefined) throw error;
    writeOverDurably(other, file, text);
  }
};

const isFull = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

const retire = (path: string, file: string): void => {
  if (existsSync(file)) renameSync(file, join(path, SPARE));
};

export const inodeOf = (file: string): string => String(statSync(file, { bigint: true, throwIfNoEntry: false })?.ino);

/**
 * A record left behind. `open`: its process still exists. `killed`: it ended without closing. `stopped`: the machine stopped before what
 * the process had not flushed was on disk.
 */
export type Opener = Readonly<{
  file: string;
  state: 'open' | 'killed' | 'stopped';
  /** Meta pages of the restore point; `undefined`: there is none, or it is one of another file. */
  metaPages: Buffer | undefined;
}>;

const RECORD = /^open\.(\d+)$/;
/** What a process that was killed while it replaced its record has left. */
const UNFINISHED = /^open\.\d+\.(\d+)(?:\.\d+)?\.tmp$/;

export const openersOf = (path: string, dataFile: string): readonly Opener[] =>
  readdirSync(path).flatMap((name) => {
    const [, pid] = RECORD.exec(name) ?? [];
    const file = join(path, name);
    const record = pid === undefined ? undefined : readIfThere(file); // nothing: closed in the meantime
    return record === undefined ? [] : [openerOf(file, Number(pid), record, inodeOf(dataFile))];
  });

/** Whether any process has the environment in a directory open for writing. */
export const isOpen = (path: string): boolean => isOpenBy(path, () => true);

/** Whether another process has. */
export const isOpenElsewhere = (path: string): boolean => isOpenBy(path, (file) => file !== ownRecord(path));

/** Whether this process has. */
export const isOpenHere = (path: string): boolean => isOpenBy(path, (file) => file === ownRecord(path));

/** Of an environment that this process has open no more. */
export const removeOwnRecord = (path: string): void => rmSync(ownRecord(path), { force: true });

const ownRecord = (path: string): string => join(path, `open.${process.pid}`);
const isOpenBy = (path: string, isMeant: (file: string) => boolean): boolean =>
  existsSync(path) && openersOf(path, join(path, 'data.mdb')).some(({ file, state }) => state === 'open' && isMeant(file));

/** Removes the records of processes that do not have the environment open any more. */
export const removeEnded = (path: string, dataFile: string): void => {
  const ended = openersOf(path, dataFile).flatMap(({ file, state }) => (state === 'open' ? [] : [file]));
  const unfinished = readdirSync(path).filter((name) => {
    const [, pid] = UNFINISHED.exec(name) ?? [];
    return pid !== undefined && startOf(Number(pid)) === undefined;
  });
  for (const file of ended) retire(path, file);
  for (const name of unfinished) rmSync(join(path, name), { force: true });
};

const openerOf = (file: string, pid: number, record: string, inode: string): Opener => {
  const [, , opened, metaPages] = record.split(' ');
  const isOfThisFile = opened === inode && metaPages !== undefined;
  return { file, state: stateOf(pid, record, inode), metaPages: isOfThisFile ? Buffer.from(metaPages, 'base64') : undefined };
};

const stateOf = (pid: number, record: string, inode: string): Opener['state'] => {
  const [boot = '', start, opened] = record.split(' ');
  if (!isThisBoot(boot)) return 'stopped';
  return start !== undefined && start === startOf(pid) && opened === inode ? 'open' : 'killed';
};

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};
