import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { applyErasures, erasedSubjectsIn } from '#infra/engine/erasure/apply-erasures.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { loadMasterKey } from '#infra/stores/secrets/master-key.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { CommandFailed } from '#operator/command-failed.js';

/**
 * Reads a list of erasures, in the form of `GET /ops/erasures`, and prepares to apply it to a copy of the log before that is served. All
 * problems are found before the copy is touched.
 * @param file `undefined` if there is nothing to apply
 * @throws CommandFailed the file cannot be read, or the master key is missing
 */
export const erasuresOf = async (
  file: string | undefined,
  configuration: Configuration,
): Promise<((log: ImportTarget) => Promise<void>) | undefined> => {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`);
  });
  const subjects = subjectsIn(text, file);
  const directory = join(configuration.dataDirectory, 'keys');
  if (!configuration.masterKey && !statSync(join(directory, 'master.key'), { throwIfNoEntry: false }))
    throw new CommandFailed(
      `erasures need the master key of the installation: give LOGBOOK_MASTER_KEY or ${join(directory, 'master.key')}`,
    );
  const masterKey = await loadMasterKey({ fromEnvironment: configuration.masterKey, directory });
  return async (log) => applyErasures(await SubjectKeys.open({ store: log, masterKey }), subjects);
};

const subjectsIn = (text: string, file: string): readonly string[] => {
  try {
    return erasedSubjectsIn(text);
  } catch (error) {
    throw new CommandFailed(`${file}: ${(error as Error).message}`);
  }
};
