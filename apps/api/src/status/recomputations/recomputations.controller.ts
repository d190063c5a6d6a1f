import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type ReceivedBody, readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText, RawBody } from '#api/shared/http/parameters.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import { json } from '#api/status/answers.js';
import { message, one, reference, rootedListOfPages } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type Link, Self, type TenantCaller, TenantContext } from '#api/status/parameters.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { isDay } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type RecomputationDocument, type RecomputationId, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import {
  DeleteRecomputation,
  RequestRecomputation,
  ResetRecomputationStatus,
  ReviseRecomputation,
  SetRecomputationStatus,
  type SubmittedRequest,
} from './commands.js';
import { PARAMETERS, RequestToCreate, recomputationBody, statusBody } from './recomputation-body.js';

type Params = Readonly<{ id: string }>;

const ParameterQueries = (): MethodDecorator => (target, key, descriptor) => {
  for (const name of PARAMETERS) ApiQuery({ name, required: false, isArray: name === 'exclude', type: String })(target, key, descriptor);
};

/** Requests to compute results once more, and their status (status contract 11). */
@ApiTags('status: recomputations')
@ApiSecurity('x-api-key')
@Controller('api/v2/recomputations')
export class RecomputationsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: RecomputationQueries,
  ) {}

  @Get()
  @TenantRoute('recomputations.list')
  @ApiOperation({ summary: 'The requests, by the time of their status' })
  @ApiQuery({ name: 'date', required: false, description: 'Only requests whose days include this one, YYYY-MM-DD' })
  @ApiQuery({ name: 'report', required: false, description: 'Only requests for the report of this name' })
  async list(@Caller() { tenantId }: TenantCaller, @QueryText('date') day?: string, @QueryText('report') report?: string): Promise<Answer> {
    if (day && !isDay(day)) throw errors.badRequest('date argument should be in the YYYY-MM-DD format');
    return json(await rootedListOfPages(this.queries.list(tenantId, { day, report }, new TimeSlice())));
  }

  @Get(':id')
  @TenantRoute('recomputations.get')
  @ApiOperation({ summary: 'One request' })
  async get(@Caller() { tenantId }: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    return json(one(await this.recomputation({ tenantId, id })));
  }

  @Post()
  @HttpCode(201)
  @TenantRoute('recomputations.submit')
  @ApiOperation({ summary: 'Requests a recomputation: by a JSON body, or by parameters of a form or of the query' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ParameterQueries()
  @ApiBody({ schema: schemaOf(recomputationBody) })
  async submit(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @RequestToCreate() request: SubmittedRequest,
    @Self() self: Link,
  ): Promise<Answer> {
    const { id, readable } = await this.bus.execute(new RequestRecomputation(context, { tenantId, request }));
    return json(reference('Recomputations successfully created', id, self(id)), { status: 201, readable });
  }

  @Put(':id')
  @TenantRoute('recomputations.update')
  @ApiOperation({ summary: 'Replaces a request; its status and history stay, and so do lists of exclusions that are left out' })
  @ApiBody({ schema: schemaOf(recomputationBody) })
  async update(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Param() { id }: Params,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const request = await this.readFor({ tenantId, id }, recomputationBody, body);
    const { readable } = await this.bus.execute(new ReviseRecomputation(context, { tenantId, id, request }));
    return json(message('Recomputation updated successfully'), { readable });
  }

  @Delete(':id')
  @TenantRoute('recomputations.delete')
  @ApiOperation({ summary: 'Deletes a request' })
  async delete(@TenantContext() context: CommandContext, @Caller() { tenantId }: TenantCaller, @Param() { id }: Params): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteRecomputation(context, { tenantId, id }));
    return json(message('Recomputation Successfully Deleted'), { readable });
  }

  @Post(':id/status')
  @HttpCode(200)
  @TenantRoute('recomputations.changeStatus')
  @ApiOperation({ summary: 'Sets the status of a request: pending, approved, rejected, running or done' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(statusBody) })
  async changeStatus(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Param() { id }: Params,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const { status } = await this.readFor({ tenantId, id }, statusBody, body);
    const { readable } = await this.bus.execute(new SetRecomputationStatus(context, { tenantId, id, status }));
    return json(message(`Recomputation status updated successfully to: ${status}`), { readable });
  }

  @Delete(':id/status')
  @TenantRoute('recomputations.resetStatus')
  @ApiOperation({ summary: 'Sets the status of a request back to pending' })
  async resetStatus(
    @TenantContext() context: CommandContext,
    @Caller() { tenantId }: TenantCaller,
    @Param() { id }: Params,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new ResetRecomputationStatus(context, { tenantId, id }));
    return json(message('Recomputation status reset successfully to: pending'), { readable });
  }

  /** @throws StatusError `E404` */
  private async recomputation(id: RecomputationId): Promise<RecomputationDocument> {
    const found = await this.queries.recomputation(id);
    if (!found) throw errors.notFound();
    return found;
  }

  /** The body of a call on a recomputation. @throws StatusError `E404` for a malformed body where it is unknown, otherwise MalformedJson */
  private async readFor<T>(id: RecomputationId, shape: Shape<T>, body: ReceivedBody | undefined): Promise<T> {
    try {
      return await readLargeBody(shape, body);
    } catch (error) {
      if (error instanceof MalformedJson) await this.recomputation(id);
      throw error;
    }
  }
}
