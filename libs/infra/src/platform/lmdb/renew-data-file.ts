import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError } from './environment-error.js';
import { dataFile, distrust } from './examination.js';
import { isLocked } from './lock.js';

/**
 * Lets this process reopen an environment that it has lost. LMDB identifies environments by the inodes of their files, so the files get new
 * ones. The next opening reads the whole file, and empties it if it is damaged. Throws file system errors.
 * @throws EnvironmentError another process has it open, too
 */
export const renewDataFile = async (path: string): Promise<void> => {
  if (isLocked(path)) throw new EnvironmentError(path, 'has been opened by another process');
  distrust(path);
  const [file, copy] = [dataFile(path), join(path, 'data.renewed')];
  try {
    await copyFile(file, copy);
    await rename(copy, file);
  } finally {
    await rm(copy, { force: true });
  }
  await rm(join(path, 'lock.mdb'), { force: true });
};
