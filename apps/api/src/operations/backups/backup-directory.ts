import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative } from 'node:path';
import { backupAround, isFree } from '#infra/edges/copies/backups/backup.js';

export const OUTSIDE = 'must be a relative path inside LOGBOOK_BACKUP_DIR';

/** Whether a path is not that of a directory inside another one, whatever there is on the disk. */
export const isOutside = (directory: string): boolean => {
  const leaves = isAbsolute(directory) || directory.split(/[/\\]/).includes('..') || directory.includes('\0');
  return leaves || ['.', './'].includes(normalize(directory));
};

/**
 * Reason why a backup cannot be made in a directory, as a clause after the name of the member; `undefined` if it can.
 * @param root directory of all backups; `directory`, which is not `isOutside`, must stay inside, even through symbolic links
 */
export const flawOfDirectory = async (root: string, directory: string): Promise<string | undefined> => {
  const path = join(root, normalize(directory));
  if (await leadsOut(root, path)) return OUTSIDE;
  if (await backupAround(path)) return 'must not be inside another backup';
  return (await isFree(path).catch(() => false)) ? undefined : 'must be an empty directory, or none';
};

/** Checks the nearest part of the path that exists. */
const leadsOut = async (root: string, path: string): Promise<boolean> => {
  const base = await realpath(root);
  for (let existing = path; existing !== dirname(root); existing = dirname(existing)) {
    const real = await realpath(existing).catch(() => undefined);
    if (real === undefined) continue;
    const way = relative(base, real);
    return way.startsWith('..') || isAbsolute(way);
  }
  return true;
};

export const isDirectory = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true;
