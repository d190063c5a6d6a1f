import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { bodyOf, firstOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { message, oneOfStored, reference, rootedListOfPages } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { JSON_TYPE, linkTo } from '#api/status/responses.js';
import { TenantWriter } from '#api/status/tenant-writer.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { isDay } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import {
  type RecomputationAction,
  type RecomputationEvent,
  recomputation,
  streamOfRecomputation,
} from '#domain/status/recomputations/recomputations.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { PARAMETERS, recomputationBody, requestIn, requestInBody, statusBody } from './recomputation-body.js';
import { RecomputationReader } from './recomputation-reader.js';

type Params = Readonly<{ id: string }>;
type Filters = Readonly<Record<string, unknown>>;

/** Ids as we make them; nothing else names a stream. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ParameterQueries = (): MethodDecorator => (target, key, descriptor) => {
  for (const name of PARAMETERS) ApiQuery({ name, required: false, isArray: name === 'exclude', type: String })(target, key, descriptor);
};

/** Requests to compute results once more, and their status (status contract 11). */
@ApiTags('status: recomputations')
@ApiSecurity('x-api-key')
@Controller('api/v2/recomputations')
export class RecomputationsController {
  private readonly reader: RecomputationReader;
  private readonly writer: TenantWriter;

  constructor(commands: CommandBus, @Inject(READ_STORE) store: ReadStore, @Inject(CLOCK) clock: Clock) {
    this.reader = new RecomputationReader(store);
    this.writer = new TenantWriter(commands, clock);
  }

  @Get()
  @TenantRoute('recomputations.list')
  @ApiOperation({ summary: 'The requests, by the time of their status' })
  @ApiQuery({ name: 'date', required: false, description: 'Only requests whose days include this one, YYYY-MM-DD' })
  @ApiQuery({ name: 'report', required: false, description: 'Only requests for the report of this name' })
  async list(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [day, report] = [firstOf(query.date), firstOf(query.report)];
    if (day && !isDay(day)) throw errors.badRequest('date argument should be in the YYYY-MM-DD format');
    const records = this.reader.list(tenantAdmission(request).caller.tenantId, { day, report });
    reply.type(JSON_TYPE).send(await rootedListOfPages(records));
  }

  @Get(':id')
  @TenantRoute('recomputations.get')
  @ApiOperation({ summary: 'One request' })
  async get(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.type(JSON_TYPE).send(oneOfStored(await this.stored(request, id)));
  }

  @Post()
  @HttpCode(201)
  @TenantRoute('recomputations.submit')
  @ApiOperation({ summary: 'Requests a recomputation: by a JSON body, or by parameters of a form or of the query' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ParameterQueries()
  @ApiBody({ schema: recomputationBody.schema })
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { exclude_metrics = [], exclude_monitoring_source = [], applied_status_changes = [], ...rest } = requestIn(request);
    const full = { ...rest, exclude_metrics, exclude_monitoring_source, applied_status_changes };
    await this.ensureRoom(request, full);
    const id = await this.create(request, (id) => this.write(request, reply, id, { type: 'RequestRecomputation', request: full }));
    reply
      .code(201)
      .type(JSON_TYPE)
      .send(reference('Recomputations successfully created', id, linkTo(request, id)));
  }

  @Put(':id')
  @TenantRoute('recomputations.update')
  @ApiOperation({ summary: 'Replaces a request; its status and history stay, and so do lists of exclusions that are left out' })
  @ApiBody({ schema: recomputationBody.schema })
  async update(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const revision = await this.ofKnown(request, id, requestInBody);
    if (await this.reader.get(tenantAdmission(request).caller.tenantId, id)) await this.ensureRoom(request, revision, id);
    await this.write(request, reply, id, { type: 'ReviseRecomputation', request: revision });
    reply.type(JSON_TYPE).send(message('Recomputation updated successfully'));
  }

  @Delete(':id')
  @TenantRoute('recomputations.delete')
  @ApiOperation({ summary: 'Deletes a request' })
  async delete(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, id, { type: 'DeleteRecomputation' });
    reply.type(JSON_TYPE).send(message('Recomputation Successfully Deleted'));
  }

  @Post(':id/status')
  @HttpCode(200)
  @TenantRoute('recomputations.changeStatus')
  @ApiOperation({ summary: 'Sets the status of a request: pending, approved, rejected, running or done' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: statusBody.schema })
  async changeStatus(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status } = await this.ofKnown(request, id, () => readBody(statusBody, bodyOf(request)));
    await this.write(request, reply, id, { type: 'SetRecomputationStatus', status });
    reply.type(JSON_TYPE).send(message(`Recomputation status updated successfully to: ${status}`));
  }

  @Delete(':id/status')
  @TenantRoute('recomputations.resetStatus')
  @ApiOperation({ summary: 'Sets the status of a request back to pending' })
  async resetStatus(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, id, { type: 'ResetRecomputationStatus' });
    reply.type(JSON_TYPE).send(message('Recomputation status reset successfully to: pending'));
  }

  /**
   * Creates a recomputation under an id of its own. With an `Idempotency-Key` the id follows from the key, so that a repeat meets the stream
   * that knows the key; once it has forgotten the key, the next id is tried.
   */
  private async create(request: FastifyRequest, write: (id: string) => Promise<unknown>): Promise<string> {
    const { idempotency } = this.writer.context(request);
    for (let use = 0; ; use++) {
      const id = idempotency ? derivedId(`${idempotency.key}/${use}`) : randomUUID();
      try {
        await write(id);
        return id;
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'RECOMPUTATION_ID_USED')) throw error;
      }
    }
  }

  /**
   * Recomputations have streams of their own, so how many a tenant has is known from the read model: many at once may exceed it by as many.
   * @throws DomainError `OVER_LIMIT`
   */
  private async ensureRoom(request: FastifyRequest, one: object, id?: string): Promise<void> {
    const { tenantId } = tenantAdmission(request).caller;
    const before = id === undefined ? undefined : await this.reader.get(tenantId, id);
    const growth = sizeWithin('recomputationSize', one) - (before?.length ?? 0);
    const { count, size } = await this.reader.totals(tenantId);
    if (!before && count >= STATUS_LIMITS.recordsPerKind.value) throw overLimit('recordsPerKind');
    if (growth > 0 && size + growth > STATUS_LIMITS.recordsSizePerKind.value) throw overLimit('recordsSizePerKind');
  }

  /** @throws StatusError `E404` */
  private async stored(request: FastifyRequest, id: string): Promise<Buffer> {
    const record = await this.reader.get(tenantAdmission(request).caller.tenantId, id);
    if (!record) throw errors.notFound();
    return record;
  }

  /** What is read from a body about a recomputation: if it is unknown, that comes before a malformed body. */
  private async ofKnown<T>(request: FastifyRequest, id: string, read: (request: FastifyRequest) => T): Promise<T> {
    try {
      return read(request);
    } catch (error) {
      if (error instanceof MalformedJson) await this.stored(request, id);
      throw error;
    }
  }

  private async write(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    action: RecomputationAction,
  ): Promise<readonly RecomputationEvent[]> {
    if (!ID.test(id)) throw errors.notFound();
    const command = { tenantId: tenantAdmission(request).caller.tenantId, id, ...action };
    return this.writer.write(request, reply, { stream: streamOfRecomputation(id), decider: recomputation, command });
  }
}
