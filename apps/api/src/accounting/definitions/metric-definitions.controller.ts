import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { ADMIN, READERS, requireOperations } from '#api/accounting/access/permissions.js';
import { created, json, message, page } from '#api/accounting/answers.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { existing } from '#api/accounting/catalogue/existing.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import { PAGE_QUERY, SIZE_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { AccountingRoute } from '#api/accounting/http-policy.js';
import {
  Caller,
  Context,
  type ContextOfCall,
  contextAfter,
  GivenBody,
  Location,
  type LocationOf,
  Page,
  type PageOfCall,
} from '#api/accounting/parameters.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { DefinitionQueries, type DefinitionRecord, ownDefinition } from '#projections/accounting/definitions/queries.js';
import { DefineMetric, DeleteMetricDefinition, ReviseMetricDefinition } from './definition-commands.js';

const definitionBody = members({ metric_name: text, metric_description: text, metric_type: text, unit_type: text });
type DefinitionBody = Infer<typeof definitionBody> | undefined;

type DefinitionPath = Readonly<{ id: string }>;

/** What metrics measure, and in which unit (accounting contract 3.5). */
@ApiTags('accounting: metric definitions')
@ApiBearerAuth()
@Controller('accounting-system/metric-definitions')
export class MetricDefinitionsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: DefinitionQueries,
  ) {}

  @Post()
  @HttpCode(201)
  @AccountingRoute()
  @ApiOperation({ summary: 'Creates a metric definition of an existing unit type and metric type' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: definitionBody.schema })
  async create(
    @GivenBody(definitionBody) given: DefinitionBody,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
    @Location() locationOf: LocationOf,
  ): Promise<Answer> {
    requireOperations(caller, ADMIN);
    const body = present(given);
    const definition = {
      metric_name: required(body.metric_name, 'metric_name'),
      metric_description: orNull(body.metric_description),
      metric_type: required(body.metric_type, 'metric_type'),
      unit_type: required(body.unit_type, 'unit_type'),
    };
    const { record, readable } = await this.bus.execute(new DefineMetric(context(), caller.id, definition));
    return created(locationOf(record.metric_definition_id), JSON.stringify(record), { readable });
  }

  @Get()
  @AccountingRoute()
  @ApiOperation({ summary: 'All metric definitions, in the order of their creation' })
  @ApiQuery(PAGE_QUERY)
  @ApiQuery(SIZE_QUERY)
  async list(@Caller() caller: AccountingCaller, @Page() pageOf: PageOfCall): Promise<Answer> {
    requireOperations(caller, READERS);
    const asked = pageOf();
    return page(asked, await this.queries.definitionList(asked));
  }

  @Get(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'One metric definition' })
  async get(@Param() { id }: DefinitionPath, @Caller() caller: AccountingCaller): Promise<Answer> {
    requireOperations(caller, READERS);
    return json(JSON.stringify(ownDefinition(await this.definition(id))));
  }

  @Patch(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Changes a metric definition without metrics' })
  @ApiBody({ schema: definitionBody.schema })
  async update(
    @Param() { id }: DefinitionPath,
    @GivenBody(definitionBody) given: DefinitionBody,
    @Caller() caller: AccountingCaller,
    @Context() context: ContextOfCall,
  ): Promise<Answer> {
    requireOperations(caller, ADMIN);
    if (given === undefined) await this.definition(id); // an unknown definition comes before an empty body
    const changes = changesIn(present(given));
    const { record, readable } = await this.bus.execute(
      new ReviseMetricDefinition(await contextAfter(context, () => this.definition(id)), id, changes),
    );
    return json(JSON.stringify(record), { readable });
  }

  @Delete(':id')
  @AccountingRoute()
  @ApiOperation({ summary: 'Deletes a metric definition that nothing refers to' })
  async delete(@Param() { id }: DefinitionPath, @Caller() caller: AccountingCaller, @Context() context: ContextOfCall): Promise<Answer> {
    requireOperations(caller, ADMIN);
    const { readable } = await this.bus.execute(new DeleteMetricDefinition(await contextAfter(context, () => this.definition(id)), id));
    return message('Metric Definition has been deleted successfully.', { readable });
  }

  /** @throws AccountingError 404 */
  private definition(id: string): Promise<DefinitionRecord> {
    return existing(this.queries.definition(id), errors.definitionNotFound, id);
  }
}
