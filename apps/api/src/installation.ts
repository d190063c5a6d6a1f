import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '#infra/config/configuration.js';
import { NoInstallation } from './start-failure.js';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Files that an installation of this configuration has after its first start, and the variables that say where they are or stand for them. */
const expectedFiles = ({ dataDirectory, eventStoreUrl, redisUrl, masterKey }: Configuration): readonly (readonly [string, string])[] => [
  ...(eventStoreUrl ? [] : [[join(dataDirectory, 'log'), 'LOGBOOK_DATA_DIR'] as const]),
  ...(redisUrl ? [] : [[join(dataDirectory, 'read-models'), 'LOGBOOK_DATA_DIR'] as const]),
  ...(masterKey ? [] : [[join(dataDirectory, 'keys', 'master.key'), 'LOGBOOK_MASTER_KEY'] as const]),
];

/** Before stores are opened by those who only want to look: opening creates what is missing. @throws NoInstallation */
export const expectInstallation = async (configuration: Configuration): Promise<void> => {
  for (const [path, variable] of expectedFiles(configuration))
    if (!(await exists(path))) throw new NoInstallation(`${path} does not exist`, variable);
};
