import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { MissingReadModels, NoInstallation } from './start-failure.js';

/** Documents of a node: the read models of one with embedded stores, and its history. */
export const documentsPath = (dataDirectory: string): string => join(dataDirectory, 'documents');

type Stores = Pick<Configuration, 'dataDirectory' | 'eventStoreUrl' | 'redisUrl'>;

/** An embedded log exists from the first start on. @throws NoInstallation */
export const expectLog = ({ dataDirectory, eventStoreUrl }: Stores): void => {
  const log = join(dataDirectory, 'log');
  if (!eventStoreUrl && !existsSync(log)) throw new NoInstallation(`${log} does not exist`);
};

/** Embedded read models may have been deleted: the next start of a server rebuilds them. @throws MissingReadModels */
export const expectReadModels = ({ dataDirectory, redisUrl }: Stores): void => {
  const readModels = documentsPath(dataDirectory);
  if (!redisUrl && !existsSync(readModels)) throw new MissingReadModels(readModels);
};

/** To be called before a read-only opening of stores, because an opening creates missing ones. @throws NoInstallation, MissingReadModels */
export const expectInstallation = (configuration: Stores): void => {
  expectLog(configuration);
  expectReadModels(configuration);
};
