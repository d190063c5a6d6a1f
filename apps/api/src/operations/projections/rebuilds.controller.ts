import { Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OpsRoute } from '#api/operations/http-policy.js';
import { OperatorContext } from '#api/operations/parameters.js';
import { Problem } from '#api/operations/problem.js';
import { StrictBody, StrictQuery } from '#api/operations/strict-input.js';
import { setPosition } from '#api/shared/http/position-header.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import { RebuildJobs } from '#infra/projection-runner/rebuild/rebuild-jobs.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { RebuildUnderWay, RequestRebuild } from './commands.js';
import { jobView, rebuildHref } from './projection-views.js';

/** Rebuilds of read models as jobs (operations contract 0, 1). */
@ApiTags('operations')
@ApiSecurity('x-api-key')
@Controller('ops')
export class RebuildsController {
  constructor(
    private readonly readModels: ReadModels,
    private readonly jobs: RebuildJobs,
    private readonly bus: CommandBus,
  ) {}

  @Post('projections/:name/rebuild')
  @HttpCode(202)
  @OpsRoute(['operator'], 'form')
  @ApiOperation({ summary: 'Builds the documents anew from the log beside those that are served, then switches in one step' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  async rebuild(
    @Param() { name }: Readonly<{ name: string }>,
    @StrictQuery() _query: object,
    @StrictBody() _body: object,
    @OperatorContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    if (!this.readModels.names.includes(name)) throw new Problem(404, 'there is no projection with this name');
    const requested = await this.bus.execute(new RequestRebuild(context, name)).catch((error: unknown) => {
      throw error instanceof RebuildUnderWay ? new Problem(409, error.message) : error;
    });
    const href = rebuildHref(requested.id);
    setPosition(reply, requested.position);
    reply.header('location', href);
    return { id: requested.id, href };
  }

  @Get('rebuilds')
  @OpsRoute(['operator', 'auditor'])
  @ApiOperation({ summary: 'Rebuilds of the last seven days, the newest first, 100 at most' })
  async list(@StrictQuery() _query: object): Promise<object> {
    return { items: (await this.jobs.list()).map(jobView) };
  }

  @Get('rebuilds/:id')
  @OpsRoute(['operator', 'auditor'])
  @ApiOperation({ summary: 'One rebuild' })
  async show(@Param() { id }: Readonly<{ id: string }>, @StrictQuery() _query: object): Promise<object> {
    const job = await this.jobs.get(id);
    if (!job) throw new Problem(404, 'there is no rebuild with this id');
    return jobView(job);
  }

  @Delete('rebuilds/:id')
  @HttpCode(202)
  @OpsRoute(['operator'])
  @ApiOperation({ summary: 'Cancels a rebuild; what is served stays as it is' })
  async cancel(@Param() { id }: Readonly<{ id: string }>, @StrictQuery() _query: object): Promise<object> {
    if (!(await this.jobs.get(id))) throw new Problem(404, 'there is no rebuild with this id');
    if (!(await this.jobs.cancel(id))) throw new Problem(409, 'the rebuild has ended');
    return { id, href: rebuildHref(id) };
  }
}
