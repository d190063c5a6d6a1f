import { lchown, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { logOfBackup } from '#infra/edges/copies/backups/backup.js';
import type { BackupDetails } from '#infra/edges/copies/backups/backup-kind.js';
import { newLocalCopy } from '#infra/edges/copies/backups/local-copies.js';
import { CommandFailed } from '#operator/command-failed.js';
import type { OpsClient, ShownJob } from '#operator/ops-client.js';

/** A backup by a server, once it is done. @throws CommandFailed */
export const backedUp = async (server: OpsClient, directory: string): Promise<ShownJob<BackupDetails>> => {
  const job = await server.job<BackupDetails>('/ops/backups', { directory }, () => {});
  if (job.state !== 'done') throw new CommandFailed(`the backup is ${job.state}${job.failure ? `: ${job.failure.message}` : ''}`);
  return job;
};

/** An open log. The caller must close it. */
export type OpenLog<Log> = Readonly<{ log: Log; close: () => Promise<void> }>;

/**
 * A copy of the log that a server makes in its data directory, for a command that needs the files. The command makes the directory of the
 * copy, which shows the server that it may write there.
 * @throws CommandFailed
 */
export const servedCopy = async <Log extends Pick<OpenLog<unknown>, 'close'>>(
  server: OpsClient,
  dataDirectory: string,
  open: (path: string) => Log,
): Promise<OpenLog<Log>> => {
  const name = newLocalCopy();
  const directory = join(dataDirectory, name);
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
  try {
    const { uid, gid } = await stat(dataDirectory);
    if (process.getuid?.() === 0) await lchown(directory, uid, gid);
    await backedUp(server, name);
    const log = open(logOfBackup(directory));
    return { log, close: () => log.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
};
