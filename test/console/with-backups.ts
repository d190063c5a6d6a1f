import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Deployment, embedded } from '#test/support/deployments.js';

/** Embedded stores of a server that takes backups. */
export const withBackups = async (): Promise<Deployment> => {
  const deployment = await embedded();
  const backups = join(deployment.dataDirectory, 'backups');
  await mkdir(backups);
  return { ...deployment, environment: { ...deployment.environment, LOGBOOK_BACKUP_DIR: backups } };
};
