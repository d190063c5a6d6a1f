import { BACKUP_JOB, BACKUPS, jobLink } from '#api/ops-kit/answers-documentation.js';
import { type JobLink, jobCollection } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { membersOf, text } from '#api/ops-kit/strict-members.js';
import { BACKUP } from '#infra/edges/copies/backups/backup-kind.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { BackupRequests } from './backup-requests.js';

const PATH = '/ops/backups';

class BackupBody extends membersOf({
  directory: text(500, { description: 'relative to LOGBOOK_BACKUP_DIR; empty, or made', example: '2026-03-01' }),
}) {}

/** Copies of the embedded log while it is in use (operations contract 6). */
@OpsController('', 'operations')
export class BackupsController extends jobCollection({
  kind: BACKUP,
  path: PATH,
  noun: 'backup',
  list: { id: 'listBackups', summary: 'Backups of the last seven days, the newest first, 100 at most', answers: { 200: BACKUPS } },
  show: { id: 'getBackup', summary: 'One backup', answers: { 200: BACKUP_JOB } },
  cancel: {
    id: 'cancelBackup',
    summary: 'Cancels a backup; what it has written is removed',
    who: OPERATOR,
    answers: { 202: jobLink(PATH) },
  },
}) {
  constructor(
    private readonly requests: BackupRequests,
    jobs: Jobs,
  ) {
    super(jobs);
  }

  protected override async listed(): Promise<object> {
    return { ...(await super.listed()), refusal: (await this.requests.obstacle()) ?? null };
  }

  @Post(PATH, {
    id: 'createBackup',
    summary: 'Copies the embedded log, with leaves and anchors, without keys and credentials',
    who: OPERATOR,
    answers: { 202: jobLink(PATH) },
  })
  async create(@Call() call: OpsCall, @StrictBody(BackupBody) { directory }: BackupBody): Promise<JobLink> {
    const { id, position } = await this.requests.request(directory, call.context);
    return this.accepted(call, id, position);
  }
}
