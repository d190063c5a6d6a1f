import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Problem } from '#api/ops-kit/problem.js';
import { BACKUPS_STREAM, type BackupCommand, type BackupEvent, backupRequests } from '#domain/operations/backup-events.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { BACKUP } from '#infra/edges/copies/backups/backup-kind.js';
import { isLocalCopy } from '#infra/edges/copies/backups/local-copies.js';
import { JobUnderWay } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { flawOfDirectory, isDirectory, isOutside, OUTSIDE } from './backup-directory.js';

type Parts = Readonly<{ configuration: Configuration; jobs: Jobs; processor: StreamProcessor }>;

/** Backups requested by operators (operations contract 1, 6). */
export class BackupRequests {
  constructor(private readonly parts: Parts) {}

  /**
   * Records the request, unless a command on this machine asks, and begins the job, or finds the one that this request began before.
   * @throws Problem 400, 409
   */
  async request(directory: string, context: CommandContext): Promise<Readonly<{ id: string; position: Position }>> {
    const refusal = await this.refusal(directory);
    const isRecorded = !refusal && !isLocalCopy(directory); // a command copies what is in the log, not its own request
    const { events, position } = await this.parts.processor.execute<null, BackupCommand, BackupEvent>({
      stream: BACKUPS_STREAM,
      decider: backupRequests,
      command: isRecorded ? { type: 'RequestBackup', backupId: randomUUID(), directory } : { type: 'LookUp' },
      context,
    });
    const [asked] = events;
    if (refusal && !asked) throw refusal;
    const id = asked?.data.backupId ?? randomUUID();
    try {
      await this.parts.jobs.begin(BACKUP, id, { directory }, { exclusive: `backup of ${directory}` });
    } catch (error) {
      throw error instanceof JobUnderWay ? notEmpty() : error;
    }
    return { id, position };
  }

  /**
   * Reason why no backup is possible now, whatever its directory.
   * @param isLocal it is for a command on this machine. Default: false
   */
  async obstacle(isLocal = false): Promise<string | undefined> {
    const { eventStoreUrl, backupDirectory } = this.parts.configuration;
    if (eventStoreUrl) return 'only the embedded log is backed up: use the backup of EventStoreDB, or `logbook export`, for this one';
    if (isLocal) return undefined;
    if (!backupDirectory) return 'no directory for backups is configured (LOGBOOK_BACKUP_DIR)';
    return (await isDirectory(backupDirectory)) ? undefined : 'the directory for backups (LOGBOOK_BACKUP_DIR) does not exist';
  }

  /** Reason why a backup into the directory is impossible now. */
  private async refusal(directory: string): Promise<Problem | undefined> {
    const { backupDirectory = '', dataDirectory } = this.parts.configuration;
    const isLocal = isLocalCopy(directory);
    if (!isLocal && isOutside(directory)) return wrong(OUTSIDE);
    const obstacle = await this.obstacle(isLocal);
    if (obstacle !== undefined) return new Problem(409, obstacle);
    if (isLocal) return (await isDirectory(join(dataDirectory, directory))) ? undefined : wrong(OUTSIDE);
    const flaw = await flawOfDirectory(backupDirectory, directory);
    return flaw === undefined ? undefined : wrong(flaw);
  }
}

const wrong = (detail: string): Problem => new Problem(400, `directory ${detail}`, [{ member: 'directory', detail }]);

const notEmpty = (): Problem => wrong('must be an empty directory, or none');
