import { Controller, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { capacities } from '#domain/accounting/capacity-rules.js';
import { anyInstant, type Instant } from '#domain/accounting/instants.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { capacitiesStream } from '#domain/accounting/usage-events.js';
import { capacitiesCodec } from '#projections/accounting/usage-documents.js';
import { AccountingRoute } from './accounting-edge.js';
import { bodyFrom, decimal, members, present, required, text } from './bodies.js';
import { CatalogueReader } from './catalogue-reader.js';
import { PAGE_QUERY, SIZE_QUERY } from './documented-queries.js';
import * as errors from './errors.js';
import { offsetOf, pagingOf } from './paging.js';
import { ADMIN } from './permissions.js';
import { newObjectId, sendJson, sendMessage } from './responses.js';
import { capacitiesIn, UsageReader } from './usage-reader.js';
import { UsageScopes, usagePlace } from './usage-scopes.js';
import { AccountingWriter } from './writer.js';

type InstallationPath = Readonly<{ installation_id: string }>;
type CapacityPath = InstallationPath & Readonly<{ capacity_id: string }>;

const newCapacityBody = members({ value: decimal, metric_definition_id: text, registered_on: text });
const capacityChangesBody = members({ value: decimal, registered_on: text });

/** When a capacity begins to count; nothing when the caller does not say. @throws AccountingError 400 */
const registeredOn = (given: string | null): Instant | null => {
  if (!given) return null;
  const instant = anyInstant(given);
  if (instant === undefined) throw errors.badDate();
  return instant;
};

/** What is allocated to an installation from when on (accounting contract 7). */
@ApiTags('accounting: capacities')
@ApiBearerAuth()
@Controller('accounting-system/installations/:installation_id/capacities')
export class CapacitiesController {
  constructor(
    private readonly scopes: UsageScopes,
    private readonly catalogue: CatalogueReader,
    private readonly usage: UsageReader,
    private readonly writer: AccountingWriter,
  ) {}

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'All capacities in the order of their creation, or a page of them' })
  @ApiQuery({ ...PAGE_QUERY, description: 'With this or size: only one page' })
  @ApiQuery(SIZE_QUERY)
  async list(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.installation(request, path.installation_id, ADMIN);
    const query = request.query as Readonly<Record<string, unknown>>;
    const paging = query.page === undefined && query.size === undefined ? undefined : pagingOf(request);
    const list = await this.usage.capacityList(usagePlace(installation));
    if (!paging) return sendJson(reply, list);
    const offset = offsetOf(paging);
    sendJson(reply, capacitiesCodec.encode(capacitiesIn(list).slice(offset, offset + paging.size)));
  }

  @Post()
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a capacity; registered_on is a day or a timestamp, now when it is left out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newCapacityBody.schema })
  async register(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, newCapacityBody);
    const { project, id } = await this.scopes.installation(request, path.installation_id, ADMIN);
    const body = present(given);
    const value = required(body.value, 'value');
    const { document } = await this.catalogue.definition(required(body.metric_definition_id, 'metric_definition_id'));
    const { clock } = this.writer;
    await this.writer.write(request, reply, {
      stream: capacitiesStream(id),
      decider: capacities,
      command: {
        type: 'RegisterCapacity',
        projectId: project,
        installationId: id,
        capacityId: newObjectId(clock),
        definitionId: document.metric_definition_id,
        value,
        registeredOn: registeredOn(body.registered_on) ?? new Date(clock()).toISOString(),
      },
    });
    sendMessage(reply, 'Capacity has been successfully registered.');
  }

  @Patch(':capacity_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes the value of a capacity, or when it begins to count' })
  @ApiBody({ schema: capacityChangesBody.schema })
  async revise(@Param() path: CapacityPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, capacityChangesBody);
    const installation = await this.scopes.installation(request, path.installation_id, ADMIN);
    const capacityId = storedObjectId(path.capacity_id);
    const known = capacitiesIn(await this.usage.capacityList(usagePlace(installation)));
    if (!known.some(({ id }) => id === capacityId) || capacityId === undefined) throw errors.capacityNotFound(path.capacity_id);
    const { value, registered_on } = present(given);
    await this.writer.write(request, reply, {
      stream: capacitiesStream(installation.id),
      decider: capacities,
      command: { type: 'ReviseCapacity', capacityId, value, registeredOn: registeredOn(registered_on) },
    });
    sendMessage(reply, 'Capacity was updated successfully.');
  }
}
