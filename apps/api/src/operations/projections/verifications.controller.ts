import { Param } from '@nestjs/common';
import { jobLink, VERIFICATION_JOB, VERIFICATION_JOBS } from '#api/ops-kit/answers-documentation.js';
import { JobCollection, type JobLink } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Delete, Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';
import { JobRequests } from './job-requests.js';
import { VERIFICATIONS_PATH } from './projection-views.js';

/** Verifications of read models as jobs (operations contract 0, 1). */
@OpsController('ops', 'operations')
export class VerificationsController {
  private readonly verifications: JobCollection;

  constructor(
    private readonly requests: JobRequests,
    jobs: Jobs,
  ) {
    this.verifications = new JobCollection(jobs, { kind: VERIFICATION, path: VERIFICATIONS_PATH, noun: 'verification' });
  }

  @Post('projections/:name/verify', {
    id: 'verifyProjection',
    summary: 'Compares every document that is served with a build of its own, at one position of the log',
    who: OPERATOR,
    limit: 'form',
    answers: { 202: jobLink(VERIFICATIONS_PATH) },
  })
  async verify(@Call() { context, reply }: OpsCall, @Param() { name }: Readonly<{ name: string }>): Promise<JobLink> {
    const { id, position } = await this.requests.request(VERIFICATION, name, context);
    return this.verifications.accepted(reply, id, position);
  }

  @Get('verifications', {
    id: 'listProjectionVerifications',
    summary: 'Verifications of the last seven days, the newest first, 100 at most',
    answers: { 200: VERIFICATION_JOBS },
  })
  list(): Promise<object> {
    return this.verifications.list();
  }

  @Get('verifications/:id', {
    id: 'getProjectionVerification',
    summary: 'One verification; differences are shown without values',
    answers: { 200: VERIFICATION_JOB },
  })
  show(@Param() { id }: Readonly<{ id: string }>): Promise<object> {
    return this.verifications.show(id);
  }

  @Delete('verifications/:id', {
    id: 'cancelProjectionVerification',
    summary: 'Cancels a verification',
    who: OPERATOR,
    answers: { 202: jobLink(VERIFICATIONS_PATH) },
  })
  cancel(@Call() { reply }: OpsCall, @Param() { id }: Readonly<{ id: string }>): Promise<JobLink> {
    return this.verifications.cancel(id, reply);
  }
}
