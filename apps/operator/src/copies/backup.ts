import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backUpLog } from '#infra/edges/copies/backups/backup.js';
import { restoreLog } from '#infra/edges/copies/backups/restore.js';
import { announceStores } from '#operator/announced-stores.js';
import { addCommand, type CommandOutcome } from '#operator/frame.js';
import { OpsClient } from '#operator/ops-client.js';
import { copied } from './copied.js';
import { erasuresOf } from './erasures.js';
import { configurationOf, embeddedLog, logDirectory, requireEmbedded } from './log-stores.js';
import { backedUp } from './served-copy.js';

const said = (done: string, { size, root }: Readonly<{ size: unknown; root: unknown }>): string => `${done} size ${size}, root ${root}`;

const backUpByServer = async (server: OpsClient, directory: string): Promise<CommandOutcome> => {
  const job = await backedUp(server, directory);
  return { value: job, text: said('backed up', { size: job.size, root: job.root }) };
};

const backUpHere = async (directory: string): Promise<CommandOutcome> => {
  const configuration = configurationOf();
  requireEmbedded(configuration, 'a backup');
  const { log, close } = await embeddedLog(configuration, false);
  try {
    const backup = await backUpLog(log, resolve(directory));
    return { value: { directory, ...backup }, text: said('backed up', backup) };
  } finally {
    await close();
  }
};

const restore = async (directory: string, erasuresFile: string | undefined): Promise<CommandOutcome> => {
  const configuration = configurationOf();
  requireEmbedded(configuration, 'a restore');
  const erase = await erasuresOf(erasuresFile, configuration);
  announceStores(configuration, 'log');
  const restored = await restoreLog({
    directory: resolve(directory),
    target: logDirectory(configuration),
    ...(erase && { beforeServing: erase }),
  });
  return { value: { directory, ...restored }, text: said('restored', restored) };
};

export const addBackupCommands = (program: Command): void => {
  addCommand(program, {
    name: 'backup <dir>',
    description: 'copies the embedded log into an empty directory, even while a server runs; with LOGBOOK_URL, in its LOGBOOK_BACKUP_DIR',
    example: 'logbook backup /mnt/backups/2026-03-01',
    run: ({ args: [directory] }) =>
      copied(() => {
        const server = OpsClient.of(process.env);
        return server ? backUpByServer(server, String(directory)) : backUpHere(String(directory));
      }),
  });
  addCommand<{ erasures?: string }>(program, {
    name: 'restore <dir>',
    description: 'verifies a backup, and restores it in place of an empty embedded log',
    example: 'logbook restore /mnt/backups/2026-03-01 --erasures erasures.ndjson',
    configure: (command) =>
      command.option('--erasures <file>', 'answer of GET /ops/erasures, as application/x-ndjson: applied before anything is served'),
    run: ({ args: [directory], options: { erasures } }) => copied(() => restore(String(directory), erasures)),
  });
};
