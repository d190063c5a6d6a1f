import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { currentBoot } from '#infra/platform/program/process-origin.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { replaceFileDurably, writeFileDurably, writeOverDurably } from './write-file-durably.js';

/** There while an environment whose commits are not flushed is open, and after its process, or the machine, has stopped. */
const recordOf = (path: string): string => join(path, 'restore-point');
/** The record of a process that has closed the environment, kept for its place on the disk: with it the next start needs no room. */
const spareOf = (path: string): string => join(path, 'restore-point.spare');

/** `boot`: during which it was written. `metaPages`: what the data file can go back to; `undefined`: nothing, or they are those of another file. */
type RestoreRecord = Readonly<{ boot: string; metaPages: Buffer | undefined }>;

const inodeOf = (path: string): string => String(statSync(join(path, 'data.mdb'), { bigint: true, throwIfNoEntry: false })?.ino);

/** The inode is recorded because records are copied with their directory. */
const textOf = (path: string, metaPages: Buffer | undefined): string =>
  [currentBoot(), inodeOf(path), ...(metaPages ? [metaPages.toString('base64')] : [])].join(' ');

/** On a full disk in the place of the spare record, or of one that was left. Throws errors of the file system. */
export const writeRestoreRecord = (path: string, metaPages: Buffer): void => {
  const file = recordOf(path);
  try {
    writeFileDurably(file, textOf(path, metaPages));
  } catch (error) {
    const other = [spareOf(path), file].find((one) => existsSync(one));
    if (!['ENOSPC', 'EDQUOT'].includes(String(codeOf(error))) || other === undefined) throw error;
    writeOverDurably(other, file, textOf(path, metaPages));
  }
};

/** One call at a time. */
export const replaceRestoreRecord = (path: string, metaPages: Buffer | undefined): Promise<void> =>
  replaceFileDurably(recordOf(path), textOf(path, metaPages));

/** The environment was closed, and all of it is on disk. */
export const retireRestoreRecord = (path: string): void => {
  if (existsSync(recordOf(path))) renameSync(recordOf(path), spareOf(path));
};

/** `undefined`: it was closed, or never opened for writing. */
export const readRestoreRecord = (path: string): RestoreRecord | undefined => {
  if (!existsSync(recordOf(path))) return undefined;
  const [boot = '', inode, metaPages] = readFileSync(recordOf(path), 'utf8').split(' ');
  return { boot, metaPages: metaPages !== undefined && inode === inodeOf(path) ? Buffer.from(metaPages, 'base64') : undefined };
};
