import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { currentBoot } from '#infra/platform/program/process-origin.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { replaceFileDurably, writeFileDurably, writeOverDurably } from './write-file-durably.js';

/** Exists while an environment with unflushed commits is open, and after its process, or the machine, has stopped. */
const recordOf = (path: string): string => join(path, 'restore-point');
/** The record of a process that has closed the environment. It is kept for its disk space, so that the next start needs none. */
const spareOf = (path: string): string => join(path, 'restore-point.spare');

/** `boot`: machine boot in which it was written. `metaPages`: state to return to; `undefined` if there is none, or it is another file's. */
type RestoreRecord = Readonly<{ boot: string; metaPages: Buffer | undefined }>;

const inodeOf = (path: string): string => String(statSync(join(path, 'data.mdb'), { bigint: true, throwIfNoEntry: false })?.ino);

/** The inode is recorded because records are copied with their directory. */
const textOf = (path: string, metaPages: Buffer | undefined): string =>
  [currentBoot(), inodeOf(path), ...(metaPages ? [metaPages.toString('base64')] : [])].join(' ');

/** On a full disk it replaces the spare record, or one left behind. Throws file system errors. */
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

/** Must not be called concurrently. */
export const replaceRestoreRecord = (path: string, metaPages: Buffer | undefined): Promise<void> =>
  replaceFileDurably(recordOf(path), textOf(path, metaPages));

/** Called when the environment was closed and everything is on disk. */
export const retireRestoreRecord = (path: string): void => {
  if (existsSync(recordOf(path))) renameSync(recordOf(path), spareOf(path));
};

/** `undefined` if it was closed, or never opened for writing. */
export const readRestoreRecord = (path: string): RestoreRecord | undefined => {
  if (!existsSync(recordOf(path))) return undefined;
  const [boot = '', inode, metaPages] = readFileSync(recordOf(path), 'utf8').split(' ');
  return { boot, metaPages: metaPages !== undefined && inode === inodeOf(path) ? Buffer.from(metaPages, 'base64') : undefined };
};
