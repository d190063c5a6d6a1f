import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Options, Param, Post, Put, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { flag, list, number, optional, readBody, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import { freeObject } from '#api/shared/bodies/free-object.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { today } from '#api/status/day-query.js';
import { message, reference } from '#api/status/envelopes.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { answerOptions, JSON_TYPE, linkTo } from '#api/status/responses.js';
import { TenantWriter } from '#api/status/tenant-writer.js';
import { isTopologySchema } from '#api/status/topology/report-topology.js';
import type { Clock } from '#domain/shared/clock.js';
import type { JsonObject } from '#domain/shared/events.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import {
  type ProfileReference,
  profileKind,
  type ReportCommand,
  type ReportDraft,
  type ReportEvent,
  reports,
  streamOfReports,
} from '#domain/status/reports/reports.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { ReportReader } from './report-reader.js';

type Params = Readonly<{ id: string }>;

const ALLOW = 'GET, POST, DELETE, PUT, OPTIONS';

/** Echoed as it came, whatever is in it; only the types of the members that we know count. */
const topologySchema: Shape<string> = {
  ...freeObject,
  read: (reader) => {
    const schema = freeObject.read(reader);
    if (!isTopologySchema(JSON.parse(schema) as JsonObject)) throw new MalformedJson('found no levels of groups and types');
    return schema;
  },
};

/** `id`, `tenant`, times and the names of profiles are checked for their type and otherwise ignored. */
const reportBody = struct({
  id: text,
  tenant: text,
  weight: text,
  disabled: flag,
  info: struct({ name: text, description: text, created: text, updated: text }),
  computations: optional(struct({ ar: flag, status: flag, trends: list(text) })),
  thresholds: optional(struct({ availability: number, reliability: number, uptime: number, unknown: number, downtime: number })),
  topology_schema: topologySchema,
  profiles: list(struct({ id: text, name: text, type: text })),
  filter_tags: list(struct({ name: text, value: text, context: text })),
});

/** Reports (status contract 12). */
@ApiTags('status: reports')
@ApiSecurity('x-api-key')
@Controller('api/v2/reports')
export class ReportsController {
  private readonly reader: ReportReader;
  private readonly writer: TenantWriter;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new ReportReader(store);
    this.writer = new TenantWriter(commands, clock);
  }

  @Get()
  @TenantRoute('reports.list')
  @ApiOperation({ summary: 'The reports, by id' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.type(JSON_TYPE).send(await this.reader.list(tenantAdmission(request).caller.tenantId));
  }

  @Get(':id')
  @TenantRoute('reports.get')
  @ApiOperation({ summary: 'One report' })
  async get(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = await this.reader.get(tenantAdmission(request).caller.tenantId, id);
    if (!body) throw errors.notFound();
    reply.type(JSON_TYPE).send(body);
  }

  @Post()
  @HttpCode(201)
  @TenantRoute('reports.create')
  @ApiOperation({ summary: 'Creates a report' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: reportBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [created] = await this.write(request, reply, { type: 'CreateReport', id: randomUUID(), report: await this.draftOf(request) });
    if (!created) throw new Error('a creation made no event');
    const { id } = created.data;
    reply
      .code(201)
      .type(JSON_TYPE)
      .send(reference('Successfully Created Report', id, linkTo(request, id)));
  }

  @Put(':id')
  @TenantRoute('reports.update')
  @ApiOperation({ summary: 'Replaces a report; what is left out is gone' })
  @ApiBody({ schema: reportBody.schema })
  async update(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'ReviseReport', id, report: await this.draftOf(request) });
    reply.type(JSON_TYPE).send(message('Report was successfully updated'));
  }

  @Delete(':id')
  @TenantRoute('reports.delete')
  @ApiOperation({ summary: 'Deletes a report' })
  async delete(@Param() { id }: Params, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.write(request, reply, { type: 'DeleteReport', id });
    reply.type(JSON_TYPE).send(message('Report was successfully deleted'));
  }

  @Options()
  @ApiOperation({ summary: 'The methods of the collection' })
  collectionOptions(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }

  @Options(':id')
  @ApiOperation({ summary: 'The methods of a report' })
  reportOptions(@Res() reply: FastifyReply): void {
    answerOptions(reply, ALLOW);
  }

  private write(request: FastifyRequest, reply: FastifyReply, command: ReportCommand): Promise<readonly ReportEvent[]> {
    const stream = streamOfReports(tenantAdmission(request).caller.tenantId);
    return this.writer.write(request, reply, { stream, decider: reports, command });
  }

  /** The report that the body describes, with the profiles' names as they are stored. @throws MalformedJson */
  private async draftOf(request: FastifyRequest): Promise<ReportDraft> {
    const { info, weight, disabled, computations, thresholds, topology_schema, profiles, filter_tags } = readBody(
      reportBody,
      bodyOf(request),
    );
    const { name, description } = info;
    const { tenantId } = tenantAdmission(request).caller;
    if (profiles.length > STATUS_LIMITS.profilesPerReport.value) throw overLimit('profilesPerReport');
    const named: ProfileReference[] = [];
    for (const { id, type } of profiles) named.push(await this.named(tenantId, id, type)); // one by one: each may be long
    return { name, description, weight, disabled, computations, thresholds, topology_schema, profiles: named, filter_tags };
  }

  /** The name is that of the snapshot of today, or else of the newest. */
  private async named(tenantId: string, id: string, type: string): Promise<ProfileReference> {
    const kind = profileKind(type);
    return { id, type, name: kind && (await new DatedQueries(this.store, kind).referencedName({ tenantId, id }, today(this.clock))) };
  }
}
