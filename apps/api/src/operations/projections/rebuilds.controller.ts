import { Param } from '@nestjs/common';
import { jobLink, REBUILD_JOB, REBUILD_JOBS } from '#api/ops-kit/answers-documentation.js';
import { type JobLink, jobCollection } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { JobRequests } from './job-requests.js';
import { REBUILDS_PATH } from './projection-views.js';

/** Rebuilds of read models as jobs (operations contract 0, 1). */
@OpsController('', 'operations')
export class RebuildsController extends jobCollection({
  kind: REBUILD,
  path: REBUILDS_PATH,
  noun: 'rebuild',
  list: { id: 'listRebuilds', summary: 'Rebuilds of the last seven days, the newest first, 100 at most', answers: { 200: REBUILD_JOBS } },
  show: { id: 'getRebuild', summary: 'One rebuild', answers: { 200: REBUILD_JOB } },
  cancel: {
    id: 'cancelRebuild',
    summary: 'Cancels a rebuild; what is served stays as it is',
    who: OPERATOR,
    answers: { 202: jobLink(REBUILDS_PATH) },
  },
}) {
  constructor(
    private readonly readModels: ReadModels,
    private readonly requests: JobRequests,
    jobs: Jobs,
  ) {
    super(jobs);
  }

  @Post('ops/projections/:name/rebuild', {
    id: 'rebuildProjection',
    summary: 'Builds the documents anew from the log beside those that are served, then switches in one step',
    who: OPERATOR,
    limit: 'form',
    answers: { 202: jobLink(REBUILDS_PATH) },
  })
  async rebuild(@Call() call: OpsCall, @Param() { name }: Readonly<{ name: string }>): Promise<JobLink> {
    const { id, position } = await this.requests.request(REBUILD, name, call.context);
    return this.accepted(call, id, position);
  }

  protected override async view(id: string): Promise<object> {
    return (await this.byItself(id)) ?? super.view(id);
  }

  protected override async end(id: string): Promise<void> {
    if (await this.byItself(id)) throw new Problem(409, 'a new version of the projection or a resume has begun the rebuild, and needs it');
    return super.end(id);
  }

  /** A running rebuild without a job: a new version of a projection or a resume began it. */
  private async byItself(id: string): Promise<object | null> {
    if (await this.jobs.get(REBUILD, id)) return null;
    for (const projection of this.readModels.names) {
      const progress = await this.readModels.rebuildUnderWay(projection);
      if (progress?.id !== id) continue;
      const { state, startedAt, endedAt, processed, total, eventsPerSecond, remainingSeconds } = progress;
      return { id, state, startedAt, endedAt, failure: null, projection, processed, total, eventsPerSecond, remainingSeconds };
    }
    return null;
  }
}
