import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { created, done, json, page } from '#api/accounting/answers.js';
import { changesOf, filled, present, recordOf, required, text } from '#api/accounting/bodies.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { METRIC_DEFINITION } from '#api/accounting/openapi/components.js';
import { creates, lists, says } from '#api/accounting/openapi/envelopes.js';
import * as examples from '#api/accounting/openapi/examples.js';
import { type AccountingCall, Call, contextAfter } from '#api/accounting/parameters.js';
import { ADMIN, READERS, requireOperations } from '#api/accounting/permissions.js';
import { PAGES } from '#api/accounting/queries.js';
import { AccountingController, Delete, Get, Patch, Post } from '#api/accounting/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { DefinitionQueries, type DefinitionRecord, ownDefinition } from '#projections/accounting/definitions/queries.js';
import { DefineMetric, DeleteMetricDefinition, ReviseMetricDefinition } from './definition-commands.js';

const DELETED = 'Metric Definition has been deleted successfully.';

const MEMBERS = {
  metric_name: filled('unique for its unit type, in any letter case'),
  metric_description: text,
  metric_type: filled('one of the metric types, such as `aggregated`, `count`'),
  unit_type: filled('one of the unit types, such as `TB`, `count`'),
};
const newBody = recordOf('AccountingNewMetricDefinition', MEMBERS);
const changesBody = changesOf('AccountingMetricDefinitionChange', MEMBERS);

type DefinitionPath = Readonly<{ id: string }>;

/** Metric definitions, each with the measured quantity and its unit (accounting contract 3.5). */
@AccountingController('accounting-system/metric-definitions', 'accounting: metric definitions')
export class MetricDefinitionsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: DefinitionQueries,
  ) {}

  @Post('', {
    id: 'createMetricDefinition',
    summary: 'Creates a metric definition of an existing unit type and metric type',
    body: newBody,
    example: examples.NEW_METRIC_DEFINITION,
    errors: [
      errors.missing('metric_name'),
      errors.unknownUnitType('x'),
      errors.unknownMetricType('x'),
      errors.definitionTaken('TB', 'name', '507f1f77bcf86cd799439011'),
    ],
    answers: creates(METRIC_DEFINITION),
  })
  async create(@Call() { caller, context, locationOf, given }: AccountingCall<typeof newBody>): Promise<Answer> {
    requireOperations(caller, ADMIN);
    const body = present(given);
    const definition = {
      metric_name: required(body.metric_name, 'metric_name'),
      metric_description: orNull(body.metric_description),
      metric_type: required(body.metric_type, 'metric_type'),
      unit_type: required(body.unit_type, 'unit_type'),
    };
    const { record, readable } = await this.bus.execute(new DefineMetric(context(), { creatorId: caller.id, definition }));
    return created(locationOf(record.metric_definition_id), JSON.stringify(record), { readable });
  }

  @Get('', {
    id: 'listMetricDefinitions',
    summary: 'All metric definitions, in the order of their creation',
    query: PAGES,
    answers: lists(METRIC_DEFINITION),
  })
  async list(@Call() { caller, pageOf }: AccountingCall): Promise<Answer> {
    requireOperations(caller, READERS);
    const asked = pageOf();
    return page(asked, await this.queries.definitionList(asked));
  }

  @Get(':id', { id: 'getMetricDefinition', summary: 'One metric definition', answers: shows(METRIC_DEFINITION) })
  async get(@Call() { caller }: AccountingCall, @Param() { id }: DefinitionPath): Promise<Answer> {
    requireOperations(caller, READERS);
    return json(JSON.stringify(ownDefinition(await this.definition(id))));
  }

  @Patch(':id', {
    id: 'updateMetricDefinition',
    summary: 'Changes a metric definition without metrics',
    body: changesBody,
    example: { metric_description: 'allocated disk space' },
    errors: [errors.unknownUnitType('x'), errors.unknownMetricType('x'), errors.definitionNotUnique(), errors.definitionInUse('updated')],
    answers: shows(METRIC_DEFINITION),
  })
  async update(@Call() { caller, context, given }: AccountingCall<typeof changesBody>, @Param() { id }: DefinitionPath): Promise<Answer> {
    requireOperations(caller, ADMIN);
    if (given === undefined) await this.definition(id); // an unknown definition takes precedence over an empty body
    const changes = changesIn(present(given));
    const { record, readable } = await this.bus.execute(
      new ReviseMetricDefinition(await contextAfter(context, () => this.definition(id)), { definitionId: id, changes }),
    );
    return json(JSON.stringify(record), { readable });
  }

  @Delete(':id', {
    id: 'deleteMetricDefinition',
    summary: 'Deletes a metric definition that nothing refers to',
    errors: [errors.definitionInUse('deleted'), errors.definitionOfInstallation()],
    answers: says(DELETED),
  })
  async delete(@Call() { caller, context }: AccountingCall, @Param() { id }: DefinitionPath): Promise<Answer> {
    requireOperations(caller, ADMIN);
    return done(
      DELETED,
      this.bus.execute(new DeleteMetricDefinition(await contextAfter(context, () => this.definition(id)), { definitionId: id })),
    );
  }

  /** @throws AccountingError 404 */
  private definition(id: string): Promise<DefinitionRecord> {
    return existing(this.queries.definition(id), errors.definitionNotFound, id);
  }
}
