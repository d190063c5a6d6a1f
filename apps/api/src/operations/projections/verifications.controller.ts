import { Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { jobLink, VERIFICATION_JOB, VERIFICATION_JOBS } from '#api/ops-kit/answers-documentation.js';
import { OpsRoute } from '#api/ops-kit/http-policy.js';
import { JobCollection, type JobLink } from '#api/ops-kit/job-collection.js';
import { OperatorContext } from '#api/ops-kit/parameters.js';
import { StrictBody, StrictQuery } from '#api/ops-kit/strict-input.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';
import { JobRequests } from './job-requests.js';
import { VERIFICATIONS_PATH } from './projection-views.js';

/** Verifications of read models as jobs (operations contract 0, 1). */
@ApiTags('operations')
@ApiSecurity('x-api-key')
@Controller('ops')
export class VerificationsController {
  private readonly verifications: JobCollection;

  constructor(
    private readonly requests: JobRequests,
    jobs: Jobs,
  ) {
    this.verifications = new JobCollection(jobs, { kind: VERIFICATION, path: VERIFICATIONS_PATH, noun: 'verification' });
  }

  @Post('projections/:name/verify')
  @HttpCode(202)
  @OpsRoute(['operator'], 'form')
  @ApiOperation({ summary: 'Compares every document that is served with a build of its own, at one position of the log' })
  @ApiAcceptedResponse(jobLink(VERIFICATIONS_PATH))
  async verify(
    @Param() { name }: Readonly<{ name: string }>,
    @StrictQuery() _query: object,
    @StrictBody() _body: object,
    @OperatorContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobLink> {
    const { id, position } = await this.requests.request(VERIFICATION, name, context);
    return this.verifications.accepted(reply, id, position);
  }

  @Get('verifications')
  @OpsRoute(['operator', 'auditor'])
  @ApiOperation({ summary: 'Verifications of the last seven days, the newest first, 100 at most' })
  @ApiOkResponse(VERIFICATION_JOBS)
  list(@StrictQuery() _query: object): Promise<object> {
    return this.verifications.list();
  }

  @Get('verifications/:id')
  @OpsRoute(['operator', 'auditor'])
  @ApiOperation({ summary: 'One verification; differences are shown without values' })
  @ApiOkResponse(VERIFICATION_JOB)
  show(@Param() { id }: Readonly<{ id: string }>, @StrictQuery() _query: object): Promise<object> {
    return this.verifications.show(id);
  }

  @Delete('verifications/:id')
  @HttpCode(202)
  @OpsRoute(['operator'])
  @ApiOperation({ summary: 'Cancels a verification' })
  @ApiAcceptedResponse(jobLink(VERIFICATIONS_PATH))
  cancel(
    @Param() { id }: Readonly<{ id: string }>,
    @StrictQuery() _query: object,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JobLink> {
    return this.verifications.cancel(id, reply);
  }
}
