import { Param } from '@nestjs/common';
import { jobLink, REBUILD_JOB, REBUILD_JOBS } from '#api/ops-kit/answers-documentation.js';
import { JobCollection, type JobLink } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Delete, Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { JobRequests } from './job-requests.js';
import { REBUILDS_PATH } from './projection-views.js';

/** Rebuilds of read models as jobs (operations contract 0, 1). */
@OpsController('ops', 'operations')
export class RebuildsController {
  private readonly rebuilds: JobCollection;

  constructor(
    private readonly readModels: ReadModels,
    private readonly requests: JobRequests,
    jobs: Jobs,
  ) {
    this.rebuilds = new JobCollection(jobs, { kind: REBUILD, path: REBUILDS_PATH, noun: 'rebuild' });
  }

  @Post('projections/:name/rebuild', {
    id: 'rebuildProjection',
    summary: 'Builds the documents anew from the log beside those that are served, then switches in one step',
    who: OPERATOR,
    limit: 'form',
    answers: { 202: jobLink(REBUILDS_PATH) },
  })
  async rebuild(@Call() { context, reply }: OpsCall, @Param() { name }: Readonly<{ name: string }>): Promise<JobLink> {
    const { id, position } = await this.requests.request(REBUILD, name, context);
    return this.rebuilds.accepted(reply, id, position);
  }

  @Get('rebuilds', {
    id: 'listRebuilds',
    summary: 'Rebuilds of the last seven days, the newest first, 100 at most',
    answers: { 200: REBUILD_JOBS },
  })
  list(): Promise<object> {
    return this.rebuilds.list();
  }

  @Get('rebuilds/:id', { id: 'getRebuild', summary: 'One rebuild', answers: { 200: REBUILD_JOB } })
  async show(@Param() { id }: Readonly<{ id: string }>): Promise<object> {
    return (await this.byItself(id)) ?? this.rebuilds.show(id);
  }

  @Delete('rebuilds/:id', {
    id: 'cancelRebuild',
    summary: 'Cancels a rebuild; what is served stays as it is',
    who: OPERATOR,
    answers: { 202: jobLink(REBUILDS_PATH) },
  })
  async cancel(@Call() { reply }: OpsCall, @Param() { id }: Readonly<{ id: string }>): Promise<JobLink> {
    if (await this.byItself(id)) throw new Problem(409, 'the rebuild belongs to a new version of the projection, which needs it');
    return this.rebuilds.cancel(id, reply);
  }

  /** A running rebuild without a job: a new version of a projection began it. */
  private async byItself(id: string): Promise<object | null> {
    if (await this.rebuilds.has(id)) return null;
    for (const projection of this.readModels.names) {
      const progress = await this.readModels.rebuildUnderWay(projection);
      if (progress?.id !== id) continue;
      const { state, startedAt, endedAt, processed, total, eventsPerSecond, remainingSeconds } = progress;
      return { id, state, startedAt, endedAt, failure: null, projection, processed, total, eventsPerSecond, remainingSeconds };
    }
    return null;
  }
}
