import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CopyRefused } from '#infra/edges/copies/damaged-copy.js';
import { type Job, type JobControl, JobFailed, type JobKind } from '#infra/engine/jobs/job.js';
import { EnvironmentError, EnvironmentNotCopied } from '#infra/platform/lmdb/environment-error.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import type { EmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { backUpLog, describeBackup, isFree, logOfBackup } from './backup.js';
import { isLocalCopy } from './local-copies.js';

export const BACKUP = 'backup';

/** Relative to the directory of all backups, or to the data directory. */
type BackupInput = Readonly<{ directory: string }>;

/** Position, size and root of the chain, and bytes are null until the backup is complete. */
export type BackupDetails = BackupInput &
  Readonly<{ position: string | null; size: number | null; root: string | null; bytes: number | null }>;

/** Runs backups as jobs. If the process of a backup has gone, it starts again, because a partial copy is useless. */
export class BackupKind implements JobKind<BackupInput, BackupDetails> {
  readonly name = BACKUP;

  constructor(
    private readonly log: EmbeddedEventStore,
    /** Directory of all backups, and the data directory. */
    private readonly roots: Readonly<{ backups: string | undefined; data: string }>,
    /** Waits for a while until earlier appends are chained, so that size and root of the backup cover them. */
    private readonly chained: () => Promise<void>,
  ) {}

  initial({ directory }: BackupInput): BackupDetails {
    return { directory, position: null, size: null, root: null, bytes: null };
  }

  async run({ input: { directory }, resume }: Job<BackupInput, BackupDetails>, control: JobControl<BackupDetails>): Promise<void> {
    const path = this.pathOf(directory);
    control.report(this.initial({ directory }), 'begun');
    try {
      // A process killed right after the last step of a copy has not recorded its end.
      const isComplete = resume === 'begun' && !(await isFree(path));
      if (!isComplete) await this.chained();
      const backup = isComplete ? await describeBackup(logOfBackup(path)) : await backUpLog(this.log, path, control.signal);
      control.report({ directory, ...backup }, undefined, 'switching'); // a complete backup is not cancelled any more
    } catch (error) {
      if (error instanceof CopyRefused) throw new JobFailed(`the directory ${directory} is not empty, or inside another backup`);
      if (error instanceof EnvironmentNotCopied) throw new JobFailed(error.message, { cause: error });
      const code = codeOf(error instanceof EnvironmentError ? error.cause : error);
      throw typeof code === 'string' && /^E[A-Z]+$/.test(code)
        ? new JobFailed(`the directory ${directory} cannot be written (${code})`)
        : error;
    }
  }

  /** @throws JobFailed */
  private pathOf(directory: string): string {
    const isLocal = isLocalCopy(directory);
    const root = isLocal ? this.roots.data : this.roots.backups;
    if (root === undefined) throw new JobFailed('no directory for backups is configured any more (LOGBOOK_BACKUP_DIR)');
    const path = join(root, directory);
    if (isLocal && !existsSync(path)) throw new JobFailed('the command that asked for the copy has ended');
    return path;
  }
}
