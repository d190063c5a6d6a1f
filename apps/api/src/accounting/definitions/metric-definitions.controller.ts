import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, READERS, requireOperations } from '#api/accounting/access/permissions.js';
import { bodyFrom, members, present, required, text } from '#api/accounting/bodies.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import { AccountingRoute, accountingCaller } from '#api/accounting/http-policy.js';
import { UsageLookup } from '#api/accounting/metrics/usage-lookup.js';
import { pageOfDocuments, pagingOf, sendPage } from '#api/accounting/paging.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import { newObjectId, sendCreated, sendJson, sendMessage } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { type DefinitionCommand, definitions } from '#domain/accounting/definitions/definition-rules.js';
import { DEFINITIONS_STREAM, type DefinitionEvent } from '#domain/accounting/metrics/usage-events.js';
import {
  type DefinitionRecord,
  definitionCollections,
  definitionView,
  ownDefinition,
} from '#projections/accounting/definitions/definitions.js';

const definitionBody = members({ metric_name: text, metric_description: text, metric_type: text, unit_type: text });

type DefinitionPath = Readonly<{ id: string }>;

/** What metrics measure, and in which unit (accounting contract 3.5). */
@ApiTags('accounting: metric definitions')
@ApiBearerAuth()
@Controller('accounting-system/metric-definitions')
export class MetricDefinitionsController {
  constructor(
    private readonly reader: CatalogueReader,
    private readonly writer: AccountingWriter,
    private readonly usage: UsageLookup,
    private readonly gate: ReferenceGate,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Creates a metric definition of an existing unit type and metric type' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: definitionBody.schema })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = bodyFrom(request, definitionBody);
    const caller = accountingCaller(request);
    requireOperations(caller, ADMIN);
    const body = present(given);
    const definition = {
      metric_name: required(body.metric_name, 'metric_name'),
      metric_description: orNull(body.metric_description),
      metric_type: required(body.metric_type, 'metric_type'),
      unit_type: required(body.unit_type, 'unit_type'),
    };
    const command = {
      type: 'CreateMetricDefinition',
      definitionId: newObjectId(this.writer.clock),
      creatorId: caller.id,
      definition,
    } as const;
    const [event] = await this.write(request, reply, command);
    if (event?.type !== 'MetricDefinitionCreated') throw new Error('a creation made no event');
    const { definitionId, creatorId } = event.data;
    sendCreated(request, reply, definitionId, textOf({ document: definitionView(definitionId, event.data), creatorId }));
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'All metric definitions, in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), READERS);
    const paging = pagingOf(request);
    sendPage(request, reply, paging, await pageOfDocuments(this.reader.definitions, definitionCollections.definitionsInOrder, {}, paging));
  }

  @Get(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One metric definition' })
  async get(@Param() { id }: DefinitionPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), READERS);
    sendJson(reply, textOf(await this.reader.definition(id)));
  }

  @Patch(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a metric definition without metrics' })
  @ApiBody({ schema: definitionBody.schema })
  async update(@Param() { id }: DefinitionPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = bodyFrom(request, definitionBody);
    requireOperations(accountingCaller(request), ADMIN);
    const after = await this.gate.removing(target('definition', id), async () => {
      const { document, creatorId } = await this.reader.definition(id);
      const definitionId = document.metric_definition_id;
      const changes = changesIn(present(body));
      const measured = await this.usage.ofDefinition(definitionId);
      const [event] = await this.write(request, reply, { type: 'ReviseMetricDefinition', definitionId, changes, measured });
      return { document: event?.type === 'MetricDefinitionRevised' ? definitionView(definitionId, event.data) : document, creatorId };
    });
    sendJson(reply, textOf(after));
  }

  @Delete(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a metric definition that nothing refers to' })
  async delete(@Param() { id }: DefinitionPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireOperations(accountingCaller(request), ADMIN);
    await this.gate.removing(target('definition', id), async () => {
      const { metric_definition_id: definitionId } = (await this.reader.definition(id)).document;
      const [measured, accessed] = await Promise.all([
        this.usage.ofDefinition(definitionId),
        this.reader.isReferred('definition', definitionId),
      ]);
      await this.write(request, reply, { type: 'DeleteMetricDefinition', definitionId, measured, accessed });
    });
    sendMessage(reply, 'Metric Definition has been deleted successfully.');
  }

  private write(request: FastifyRequest, reply: FastifyReply, command: DefinitionCommand): Promise<readonly DefinitionEvent[]> {
    return this.writer.write(request, reply, { stream: DEFINITIONS_STREAM, decider: definitions, command });
  }
}

const textOf = (definition: Pick<DefinitionRecord, 'document' | 'creatorId'>): string => JSON.stringify(ownDefinition(definition));
