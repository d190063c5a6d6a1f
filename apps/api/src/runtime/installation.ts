import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Configuration, InvalidConfiguration } from '#infra/platform/config/configuration.js';
import { CannotUseDirectory, MissingReadModels, NoInstallation } from './start-failure.js';

/** Documents of a node: the read models of one with embedded stores, and its history. */
export const documentsPath = (dataDirectory: string): string => join(dataDirectory, 'documents');

type Stores = Pick<Configuration, 'dataDirectory' | 'eventStoreUrl' | 'redisUrl'>;

/** Embedded read models are updated only by their own process. @throws InvalidConfiguration it would never be ready */
export const expectProjector = ({ roles, redisUrl }: Pick<Configuration, 'roles' | 'redisUrl'>): void => {
  if (redisUrl || roles.includes('projector')) return;
  throw new InvalidConfiguration(
    'LOGBOOK_ROLES has no projector, and the read models are embedded: nobody would keep them up to date, and this process would never be ready. Add projector, or set REDIS_URL',
    ['LOGBOOK_ROLES'],
  );
};

/** @throws CannotUseDirectory this account may not look */
const exists = (dataDirectory: string, path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new CannotUseDirectory(dataDirectory, error);
  }
};

/** An embedded log exists from the first start on. @throws NoInstallation, CannotUseDirectory */
export const expectLog = ({ dataDirectory, eventStoreUrl }: Stores): void => {
  const log = join(dataDirectory, 'log');
  if (!eventStoreUrl && !exists(dataDirectory, log)) throw new NoInstallation(`${log} does not exist`);
};

/** Embedded read models may have been deleted: the next start of a server rebuilds them. @throws MissingReadModels, CannotUseDirectory */
export const expectReadModels = ({ dataDirectory, redisUrl }: Stores): void => {
  const readModels = documentsPath(dataDirectory);
  if (!redisUrl && !exists(dataDirectory, readModels)) throw new MissingReadModels(readModels);
};

/** To be called before a read-only opening of stores, because an opening creates missing ones. @throws NoInstallation, MissingReadModels, CannotUseDirectory */
export const expectInstallation = (configuration: Stores): void => {
  expectLog(configuration);
  expectReadModels(configuration);
};
