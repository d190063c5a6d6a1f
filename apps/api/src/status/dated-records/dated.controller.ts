import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Options, Param, Post, Put, Query, Req, Res, type Type } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import { firstOf, receivedBodyOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { DATE_QUERY, dayIn } from '#api/status/day-query.js';
import { message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { answerOptions, JSON_TYPE, linkTo } from '#api/status/responses.js';
import { TenantRoute, tenantAdmission } from '#api/status/status-edge.js';
import { TenantWriter } from '#api/status/tenant-writer.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { Day } from '#domain/shared/time.js';
import {
  type DatedCommand,
  type DatedEvent,
  type DatedResource,
  type NamedRecord,
  streamOfDated,
} from '#domain/status/dated-records/dated-records.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { DATED_PROJECTION } from '#projections/status/dated-records/dated-records.js';
import { DatedReader } from './dated-reader.js';

export type DatedTexts = Readonly<{
  created: string;
  updated: string;
  /** When a day was added to the history. Default: `updated` and ` (new history snapshot)`. */
  added?: string;
  deleted: string;
  nameTaken: string;
  /** On an update; default `nameTaken`. */
  nameTakenOnUpdate?: string;
}>;

/** The record with its reference filled in, as of a day; nothing when the tenant does not have what it refers to. */
export type ResolveReference<R> = (record: R, tenantId: string, day: Day, view: ReadView) => Promise<R | undefined>;

/** What one kind of dated record adds to the calls that all kinds share (status contract 3 to 7). */
export type DatedRoutes<R extends NamedRecord> = Readonly<{
  resource: DatedResource<R>;
  /** Prefix of the route names in the role table. */
  routes: 'operationsProfiles' | 'metricProfiles' | 'aggregationProfiles' | 'thresholdsProfiles' | 'weights';
  /** `id` and `date` of a body are checked for their type and otherwise ignored: the path and the query count. */
  shape: Shape<R & Readonly<{ id: string; date: string }>>;
  texts: DatedTexts;
  /** A creation without a day in the query takes the one of the body. */
  createdOnBodyDate?: boolean;
  /** The reference of a record to another kind: fills in what is known of it. */
  reference?: Readonly<{ resolve: ResolveReference<R>; missing: string }>;
  /** Whether an update answers with the reference to the record too, not with the message alone. */
  updateRefers: boolean;
  /** Whether an update of an unknown record is 404 even when its body is malformed. */
  existenceFirst: boolean;
}>;

type Params = Readonly<{ id: string }>;
type Filters = Readonly<Record<string, unknown>>;

const ALLOW = 'GET, POST, DELETE, PUT, OPTIONS';

/** The controller of one kind of dated record. */
export const datedController = <R extends NamedRecord>(kind: DatedRoutes<R>): Type => {
  const { resource, routes, shape, texts } = kind;

  @ApiTags(`status: ${resource.kind}`)
  @ApiSecurity('x-api-key')
  @Controller(`api/v2/${resource.kind}`)
  class DatedController {
    private readonly view: ReadView;
    private readonly reader: DatedReader;
    private readonly writer: TenantWriter;

    constructor(
      commands: CommandBus,
      @Inject(READ_STORE) store: ReadStore,
      @Inject(CLOCK) private readonly clock: Clock,
    ) {
      this.view = store.view(DATED_PROJECTION);
      this.reader = new DatedReader(this.view, resource);
      this.writer = new TenantWriter(commands, clock);
    }

    @Get()
    @TenantRoute(`${routes}.list`)
    @ApiOperation({ summary: 'The records as of a day' })
    @ApiQuery(DATE_QUERY)
    @ApiQuery({ name: 'name', required: false })
    async list(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const day = dayIn(query, this.clock);
      reply.type(JSON_TYPE).send(await this.reader.list(tenantAdmission(request).caller.tenantId, day, firstOf(query.name)));
    }

    @Get(':id')
    @TenantRoute(`${routes}.get`)
    @ApiOperation({ summary: 'One record as of a day' })
    @ApiQuery(DATE_QUERY)
    async get(@Param() { id }: Params, @Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const body = await this.reader.get(tenantAdmission(request).caller.tenantId, id, dayIn(query, this.clock));
      if (!body) throw errors.notFound();
      reply.type(JSON_TYPE).send(body);
    }

    @Post()
    @HttpCode(201)
    @TenantRoute(`${routes}.create`, 'document')
    @ApiOperation({ summary: 'Creates a record with its first version' })
    @ApiQuery(DATE_QUERY)
    @ApiHeader({ name: 'Idempotency-Key', required: false })
    @ApiBody({ schema: shape.schema })
    async create(@Query() query: Filters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const day = dayIn(query, this.clock);
      const body = await this.bodyOf(request);
      const date = kind.createdOnBodyDate && !firstOf(query.date) ? dayIn(body, this.clock) : day;
      const events = await this.write(request, reply, {
        type: 'CreateRecord',
        id: randomUUID(),
        date,
        ...(await this.resolved(request, body.record, date)),
      });
      const [created] = events;
      if (!created) throw new Error('a creation made no event');
      const { id } = created.data;
      reply
        .code(201)
        .type(JSON_TYPE)
        .send(reference(texts.created, id, linkTo(request, id)));
    }

    @Put(':id')
    @TenantRoute(`${routes}.update`, 'document')
    @ApiOperation({ summary: 'Writes the version of a day: replaces it, or adds it to the history' })
    @ApiQuery(DATE_QUERY)
    @ApiBody({ schema: shape.schema })
    async update(
      @Param() { id }: Params,
      @Query() query: Filters,
      @Req() request: FastifyRequest,
      @Res() reply: FastifyReply,
    ): Promise<void> {
      const date = dayIn(query, this.clock);
      const { record } = await this.bodyFor(id, request);
      const events = await this.write(request, reply, {
        type: 'ReviseRecord',
        id,
        date,
        ...(await this.resolved(request, record, date)),
      });
      const added = events.some(({ data }) => 'change' in data && data.change === 'added');
      const text = added ? (texts.added ?? `${texts.updated} (new history snapshot)`) : texts.updated;
      reply.type(JSON_TYPE).send(kind.updateRefers ? reference(text, id, linkTo(request), '200') : message(text));
    }

    @Delete(':id')
    @TenantRoute(`${routes}.delete`)
    @ApiOperation({ summary: 'Deletes a record with all its versions' })
    async delete(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      await this.write(request, reply, { type: 'DeleteRecord', id });
      reply.type(JSON_TYPE).send(message(texts.deleted));
    }

    @Options()
    @ApiOperation({ summary: 'The methods of the collection' })
    collectionOptions(@Res() reply: FastifyReply): void {
      answerOptions(reply, ALLOW);
    }

    @Options(':id')
    @ApiOperation({ summary: 'The methods of a record' })
    recordOptions(@Res() reply: FastifyReply): void {
      answerOptions(reply, ALLOW);
    }

    private async write(request: FastifyRequest, reply: FastifyReply, command: DatedCommand<R>): Promise<readonly DatedEvent<R>[]> {
      const { tenantId } = tenantAdmission(request).caller;
      try {
        return await this.writer.write(request, reply, { stream: streamOfDated(resource, tenantId), decider: resource.decider, command });
      } catch (error) {
        throw error instanceof DomainError ? (this.worded(error, command.type) ?? error) : error;
      }
    }

    /** What the contract says in other words for each kind. */
    private worded({ code }: DomainError, command: DatedCommand<R>['type']): errors.StatusError | undefined {
      if (code === 'NAME_TAKEN')
        return errors.conflict(command === 'ReviseRecord' ? (texts.nameTakenOnUpdate ?? texts.nameTaken) : texts.nameTaken);
      return code === 'REFERENCE_NOT_FOUND' && kind.reference ? errors.unprocessable(kind.reference.missing) : undefined;
    }

    private async resolved(request: FastifyRequest, record: R, day: Day): Promise<Readonly<{ record: R; unresolved?: boolean }>> {
      if (!kind.reference) return { record };
      const resolved = await kind.reference.resolve(record, tenantAdmission(request).caller.tenantId, day, this.view);
      return resolved ? { record: resolved } : { record, unresolved: true };
    }

    private async bodyOf(request: FastifyRequest): Promise<Readonly<{ date: string; record: R }>> {
      const { id, date, ...record } = await readLargeBody(shape, receivedBodyOf(request));
      return { date, record: record as unknown as R };
    }

    /** @throws MalformedJson, or `E404` where that comes first */
    private async bodyFor(id: string, request: FastifyRequest): Promise<Readonly<{ record: R }>> {
      try {
        return await this.bodyOf(request);
      } catch (error) {
        const known =
          !kind.existenceFirst ||
          !(error instanceof MalformedJson) ||
          (await this.reader.exists(tenantAdmission(request).caller.tenantId, id));
        throw known ? error : errors.notFound();
      }
    }
  }
  return DatedController;
};
