import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { type DoctorCheck, fine, wrong } from './check.js';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : String(error));

/** Returns why nothing can be created in a directory; `undefined` if it can. */
const flawOf = async (directory: string): Promise<string | undefined> => {
  try {
    if (!(await stat(directory)).isDirectory()) return 'ENOTDIR';
    await access(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
};

/** Likewise for a directory that is created on demand. */
const flawOfMissing = async (directory: string): Promise<string | undefined> => {
  const flaw = await flawOf(directory);
  const parent = dirname(directory);
  return flaw === 'ENOENT' && parent !== directory ? flawOfMissing(parent) : flaw;
};

/** Checks the configured directories of backups and anchors: often remote disks, which may be away, full or protected. */
export const checkDirectories = async ({
  backupDirectory,
  anchorDirectory,
}: Pick<Configuration, 'backupDirectory' | 'anchorDirectory'>): Promise<readonly DoctorCheck[]> => {
  const of = (check: string, directory: string, variable: string, flaw: string | undefined): DoctorCheck =>
    flaw === undefined ? fine(check, directory) : wrong(check, `${directory} cannot be written (${flaw}): see ${variable}`);
  return [
    ...(backupDirectory === undefined ? [] : [of('backups', backupDirectory, 'LOGBOOK_BACKUP_DIR', await flawOf(backupDirectory))]),
    ...(anchorDirectory === undefined
      ? []
      : [of('anchors kept', anchorDirectory, 'LOGBOOK_ANCHOR_DIR', await flawOfMissing(resolve(anchorDirectory)))]),
  ];
};
