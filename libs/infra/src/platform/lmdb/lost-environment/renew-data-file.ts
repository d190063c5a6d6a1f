import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFile, distrust } from '../examination.js';
import { lockDirectory } from '../lock.js';

/**
 * Lets this process reopen an environment that it has lost. LMDB identifies environments by the inodes of their files, so the files get new
 * ones. The next opening reads the whole file, and empties it if it is damaged. Throws file system errors.
 * @throws DirectoryInUse another process has opened it meanwhile
 */
export const renewDataFile = async (path: string): Promise<void> => {
  const { release } = lockDirectory(path);
  const [file, copy] = [dataFile(path), join(path, 'data.renewed')];
  try {
    distrust(path);
    await copyFile(file, copy);
    await rename(copy, file);
    await rm(join(path, 'lock.mdb'), { force: true });
  } finally {
    await rm(copy, { force: true });
    release();
  }
};
