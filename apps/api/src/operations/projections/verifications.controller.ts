import { Param } from '@nestjs/common';
import { jobLink, VERIFICATION_JOB, VERIFICATION_JOBS } from '#api/ops-kit/answers-documentation.js';
import { type JobLink, jobCollection } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';
import { JobRequests } from './job-requests.js';
import { VERIFICATIONS_PATH } from './projection-views.js';

/** Verifications of read models as jobs (operations contract 0, 1). */
@OpsController('', 'operations')
export class VerificationsController extends jobCollection({
  kind: VERIFICATION,
  path: VERIFICATIONS_PATH,
  noun: 'verification',
  list: {
    id: 'listProjectionVerifications',
    summary: 'Verifications of the last seven days, the newest first, 100 at most',
    answers: { 200: VERIFICATION_JOBS },
  },
  show: {
    id: 'getProjectionVerification',
    summary: 'One verification; differences are shown without values',
    answers: { 200: VERIFICATION_JOB },
  },
  cancel: {
    id: 'cancelProjectionVerification',
    summary: 'Cancels a verification',
    who: OPERATOR,
    answers: { 202: jobLink(VERIFICATIONS_PATH) },
  },
}) {
  constructor(
    private readonly requests: JobRequests,
    jobs: Jobs,
  ) {
    super(jobs);
  }

  @Post('ops/projections/:name/verify', {
    id: 'verifyProjection',
    summary: 'Compares every document that is served with a build of its own, at one position of the log',
    who: OPERATOR,
    limit: 'form',
    answers: { 202: jobLink(VERIFICATIONS_PATH) },
  })
  async verify(@Call() call: OpsCall, @Param() { name }: Readonly<{ name: string }>): Promise<JobLink> {
    const { id, position } = await this.requests.request(VERIFICATION, name, call.context);
    return this.accepted(call, id, position);
  }
}
