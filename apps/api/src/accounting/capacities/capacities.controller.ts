import { Controller, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN } from '#api/accounting/access/permissions.js';
import { bodyFrom, decimal, members, present, required, text } from '#api/accounting/bodies.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { EXTERNAL_ID_QUERY, PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import { capacitiesIn, UsageReader } from '#api/accounting/metrics/usage-reader.js';
import { UsageScopes, usagePlace } from '#api/accounting/metrics/usage-scopes.js';
import { offsetOf, type Paging, pagingOf } from '#api/accounting/paging.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { newObjectId, sendJson, sendMessage } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import { capacities } from '#domain/accounting/capacities/capacity-rules.js';
import { anyInstant, type Instant } from '#domain/accounting/metrics/instants.js';
import { capacitiesStream } from '#domain/accounting/metrics/usage-events.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import { capacitiesCodec } from '#projections/accounting/metrics/usage-documents.js';

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

const PART_QUERY = { ...PAGE_QUERY, description: 'With this or size: only one page' };

/** Nothing where the caller wants the whole list. @throws AccountingError 400 */
const pagingIfAny = (request: FastifyRequest): Paging | undefined => {
  const { page, size } = request.query as Readonly<Record<string, unknown>>;
  return page === undefined && size === undefined ? undefined : pagingOf(request);
};

/** What is allocated to an installation from when on (accounting contract 7). */
@ApiTags('accounting: capacities')
@ApiBearerAuth()
@Controller('accounting-system/installations')
export class CapacitiesController {
  constructor(
    private readonly scopes: UsageScopes,
    private readonly catalogue: CatalogueReader,
    private readonly usage: UsageReader,
    private readonly writer: AccountingWriter,
  ) {}

  @Get('external/capacities')
  @AccountingRoute()
  @ApiOperation({ summary: 'All capacities in the order of their creation, or a page of them' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiQuery(PART_QUERY)
  @ApiQuery(SIZE_QUERY)
  async listExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const externalId = requiredQuery(request, EXTERNAL_ID_QUERY.name);
    const paging = pagingIfAny(request);
    await this.list(reply, await this.scopes.externalInstallation(request, externalId, ADMIN), paging);
  }

  @Post('external/capacities')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a capacity; registered_on is a day or a timestamp, now when it is left out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: newCapacityBody.schema })
  async registerExternal(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, newCapacityBody);
    await this.register(request, reply, await this.external(request), given);
  }

  @Patch('external/capacities/:capacity_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes the value of a capacity, or when it begins to count' })
  @ApiQuery(EXTERNAL_ID_QUERY)
  @ApiBody({ schema: capacityChangesBody.schema })
  async reviseExternal(@Param('capacity_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, capacityChangesBody);
    await this.revise(request, reply, await this.external(request), id, given);
  }

  @Get(':installation_id/capacities')
  @AccountingRoute()
  @ApiOperation({ summary: 'All capacities in the order of their creation, or a page of them' })
  @ApiQuery(PART_QUERY)
  @ApiQuery(SIZE_QUERY)
  async listInternal(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const installation = await this.scopes.installation(request, path.installation_id, ADMIN);
    await this.list(reply, installation, pagingIfAny(request));
  }

  @Post(':installation_id/capacities')
  @HttpCode(200)
  @AccountingRoute()
  @ApiOperation({ summary: 'Registers a capacity; registered_on is a day or a timestamp, now when it is left out' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: newCapacityBody.schema })
  async registerInternal(@Param() path: InstallationPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, newCapacityBody);
    await this.register(request, reply, await this.scopes.installation(request, path.installation_id, ADMIN), given);
  }

  @Patch(':installation_id/capacities/:capacity_id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes the value of a capacity, or when it begins to count' })
  @ApiBody({ schema: capacityChangesBody.schema })
  async reviseInternal(@Param() path: CapacityPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, capacityChangesBody);
    const installation = await this.scopes.installation(request, path.installation_id, ADMIN);
    await this.revise(request, reply, installation, path.capacity_id, given);
  }

  private external(request: FastifyRequest): Promise<InstallationDocument> {
    return this.scopes.externalInstallation(request, requiredQuery(request, EXTERNAL_ID_QUERY.name), ADMIN);
  }

  private async list(reply: FastifyReply, installation: InstallationDocument, paging: Paging | undefined): Promise<void> {
    const list = await this.usage.capacityList(usagePlace(installation));
    if (!paging) return sendJson(reply, list);
    const offset = offsetOf(paging);
    sendJson(reply, capacitiesCodec.encode(capacitiesIn(list).slice(offset, offset + paging.size)));
  }

  private async register(
    request: FastifyRequest,
    reply: FastifyReply,
    { project, id }: InstallationDocument,
    given: Infer<typeof newCapacityBody> | undefined,
  ): Promise<void> {
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

  private async revise(
    request: FastifyRequest,
    reply: FastifyReply,
    installation: InstallationDocument,
    spelledId: string,
    given: Infer<typeof capacityChangesBody> | undefined,
  ): Promise<void> {
    const capacityId = storedObjectId(spelledId);
    const known = capacitiesIn(await this.usage.capacityList(usagePlace(installation)));
    if (!known.some(({ id }) => id === capacityId) || capacityId === undefined) throw errors.capacityNotFound(spelledId);
    const { value, registered_on } = present(given);
    await this.writer.write(request, reply, {
      stream: capacitiesStream(installation.id),
      decider: capacities,
      command: { type: 'ReviseCapacity', capacityId, value, registeredOn: registeredOn(registered_on) },
    });
    sendMessage(reply, 'Capacity was updated successfully.');
  }
}
