import { Param } from '@nestjs/common';
import { BACKUP_JOB, BACKUPS, jobLink } from '#api/ops-kit/answers-documentation.js';
import { JobCollection, type JobLink } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Delete, Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { membersOf, text } from '#api/ops-kit/strict-members.js';
import { BACKUP } from '#infra/edges/copies/backups/backup-kind.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { BackupRequests } from './backup-requests.js';

class BackupBody extends membersOf({
  directory: text(500, { description: 'relative to LOGBOOK_BACKUP_DIR; empty, or made', example: '2026-03-01' }),
}) {}

/** Copies of the embedded log while it is in use (operations contract 6). */
@OpsController('ops/backups', 'operations')
export class BackupsController {
  private readonly backups: JobCollection;

  constructor(
    private readonly requests: BackupRequests,
    jobs: Jobs,
  ) {
    this.backups = new JobCollection(jobs, { kind: BACKUP, path: '/ops/backups', noun: 'backup' });
  }

  @Post('', {
    id: 'createBackup',
    summary: 'Copies the embedded log, with leaves and anchors, without keys and credentials',
    who: OPERATOR,
    answers: {
      202: jobLink('/ops/backups'),
      409: { description: 'no directory for backups is configured, or the log is on EventStoreDB' },
    },
  })
  async create(@Call() { context, reply }: OpsCall, @StrictBody(BackupBody) { directory }: BackupBody): Promise<JobLink> {
    const { id, position } = await this.requests.request(directory, context);
    return this.backups.accepted(reply, id, position);
  }

  @Get('', { id: 'listBackups', summary: 'Backups of the last seven days, the newest first, 100 at most', answers: { 200: BACKUPS } })
  list(): Promise<object> {
    return this.backups.list();
  }

  @Get(':id', { id: 'getBackup', summary: 'One backup', answers: { 200: BACKUP_JOB } })
  show(@Param() { id }: Readonly<{ id: string }>): Promise<object> {
    return this.backups.show(id);
  }

  @Delete(':id', {
    id: 'cancelBackup',
    summary: 'Cancels a backup; what it has written is removed',
    who: OPERATOR,
    answers: { 202: jobLink('/ops/backups') },
  })
  cancel(@Call() { reply }: OpsCall, @Param() { id }: Readonly<{ id: string }>): Promise<JobLink> {
    return this.backups.cancel(id, reply);
  }
}
