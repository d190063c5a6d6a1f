import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../../lmdb/environment-error.js';
import { writeFileDurably } from '../../lmdb/write-file-durably.js';

/** 2: secrets and personal data are sealed. */
const FORMAT = '2';

/**
 * Deletes read models that were written before their secrets were sealed, to be built again from the log: what LMDB frees stays in its file until
 * the page is used again, so that no rebuild would be sure to remove it. Before the environment is opened.
 * @throws EnvironmentError the path cannot be used
 */
export const discardEarlierFormat = (path: string): void => {
  const [file, data] = [join(path, 'format'), join(path, 'data.mdb')];
  try {
    const written = existsSync(data); // before the format is looked at: another process writes the format first
    if (existsSync(file) && readFileSync(file, 'utf8').trim() === FORMAT) return;
    if (written) for (const name of [data, join(path, 'lock.mdb'), join(path, 'store.json')]) rmSync(name, { force: true });
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileDurably(file, `${FORMAT}\n`);
  } catch (cause) {
    throw new EnvironmentError(path, 'cannot be written', { cause });
  }
};
