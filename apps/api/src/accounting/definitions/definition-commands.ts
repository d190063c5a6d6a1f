import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { References } from '#api/accounting/references/references.js';
import { definitionTarget } from '#api/accounting/references/targets.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { DEFINITIONS_STREAM, type DefinitionEvent, type MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import {
  DefinitionQueries,
  type DefinitionRecord,
  definitionDocument,
  type OwnDefinitionDocument,
  ownDefinition,
} from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';

/** Creates a metric definition of an existing unit type and metric type. */
export class DefineMetric extends Command<WrittenRecord<OwnDefinitionDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly creatorId: string,
    readonly definition: MetricDefinition,
  ) {
    super();
  }
}

/** Changes a metric definition that has no metrics. `definitionId`: as the caller spells it. */
export class ReviseMetricDefinition extends Command<WrittenRecord<OwnDefinitionDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly definitionId: string,
    readonly changes: Partial<MetricDefinition>,
  ) {
    super();
  }
}

/** Deletes a metric definition that nothing refers to. `definitionId`: as the caller spells it. */
export class DeleteMetricDefinition extends Command<Outcome<DefinitionEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly definitionId: string,
  ) {
    super();
  }
}

const [stream, decider] = [DEFINITIONS_STREAM, definitions];

/** @throws DomainError `DEFINITION_NOT_FOUND` */
const current = async (queries: DefinitionQueries, definitionId: string): Promise<DefinitionRecord> => {
  const found = await queries.definition(definitionId);
  if (!found) throw new DomainError('DEFINITION_NOT_FOUND', { definitionId });
  return found;
};

@CommandHandler(DefineMetric)
export class DefineMetricHandler implements ICommandHandler<DefineMetric> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, creatorId, definition }: DefineMetric): Promise<WrittenRecord<OwnDefinitionDocument>> {
    const command = { type: 'CreateMetricDefinition', definitionId: this.ids.next(), creatorId, definition } as const;
    const { events, readable } = await this.gateway.execute({ stream, decider, context, command });
    const [event] = events;
    if (event?.type !== 'MetricDefinitionCreated') throw new Error('a creation made no event');
    const { data } = event;
    return { record: ownDefinition({ document: definitionDocument(data.definitionId, data), creatorId: data.creatorId }), readable };
  }
}

@CommandHandler(ReviseMetricDefinition)
export class ReviseMetricDefinitionHandler implements ICommandHandler<ReviseMetricDefinition> {
  constructor(
    private readonly references: References,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
  ) {}

  async execute({ context, definitionId: spelledId, changes }: ReviseMetricDefinition): Promise<WrittenRecord<OwnDefinitionDocument>> {
    const before = await current(this.definitions, spelledId);
    const definitionId = before.document.metric_definition_id;
    const { events, readable } = await this.references.change(
      definitionTarget(definitionId),
      { type: 'ReviseMetricDefinition', definitionId, changes, measured: false },
      async () => ({ measured: await this.metrics.isDefinitionUsed(definitionId) }),
      context,
    );
    const [event] = events;
    const document = event?.type === 'MetricDefinitionRevised' ? definitionDocument(definitionId, event.data) : before.document;
    return { record: ownDefinition({ document, creatorId: before.creatorId }), readable };
  }
}

@CommandHandler(DeleteMetricDefinition)
export class DeleteMetricDefinitionHandler implements ICommandHandler<DeleteMetricDefinition> {
  constructor(
    private readonly references: References,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
    private readonly catalogue: CatalogueQueries,
  ) {}

  async execute({ context, definitionId: spelledId }: DeleteMetricDefinition): Promise<Outcome<DefinitionEvent>> {
    const { metric_definition_id: definitionId } = (await current(this.definitions, spelledId)).document;
    const find = async () => {
      const [measured, accessed] = await Promise.all([
        this.metrics.isDefinitionUsed(definitionId),
        this.catalogue.isReferred('definition', definitionId),
      ]);
      return { measured, accessed };
    };
    const deletion = { type: 'DeleteMetricDefinition', definitionId, measured: false, accessed: false } as const;
    return this.references.change(definitionTarget(definitionId), deletion, find, context);
  }
}

export const definitionHandlers = [DefineMetricHandler, ReviseMetricDefinitionHandler, DeleteMetricDefinitionHandler];
