import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { ReferenceGate, target } from '#api/accounting/reference-gate.js';
import type { Written } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { DEFINITIONS_STREAM, type DefinitionEvent, type MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
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
export class DefineMetric extends Command<Written<OwnDefinitionDocument>> {
  constructor(
    readonly context: CommandContext,
    readonly creatorId: string,
    readonly definition: MetricDefinition,
  ) {
    super();
  }
}

/** Changes a metric definition that has no metrics. `definitionId`: as the caller spells it. */
export class ReviseMetricDefinition extends Command<Written<OwnDefinitionDocument>> {
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

/** The definition, once nothing can begin to refer to it until the gate opens. @throws DomainError `DEFINITION_NOT_FOUND` */
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

  async execute({ context, creatorId, definition }: DefineMetric): Promise<Written<OwnDefinitionDocument>> {
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
    private readonly gateway: CommandGateway,
    private readonly gate: ReferenceGate,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
  ) {}

  execute({ context, definitionId: spelledId, changes }: ReviseMetricDefinition): Promise<Written<OwnDefinitionDocument>> {
    return this.gate.removing(target('definition', spelledId), async () => {
      const before = await current(this.definitions, spelledId);
      const definitionId = before.document.metric_definition_id;
      const measured = await this.metrics.isDefinitionUsed(definitionId);
      const command = { type: 'ReviseMetricDefinition', definitionId, changes, measured } as const;
      const { events, readable } = await this.gateway.execute({ stream, decider, context, command });
      const [event] = events;
      const document = event?.type === 'MetricDefinitionRevised' ? definitionDocument(definitionId, event.data) : before.document;
      return { record: ownDefinition({ document, creatorId: before.creatorId }), readable };
    });
  }
}

@CommandHandler(DeleteMetricDefinition)
export class DeleteMetricDefinitionHandler implements ICommandHandler<DeleteMetricDefinition> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly gate: ReferenceGate,
    private readonly definitions: DefinitionQueries,
    private readonly metrics: MetricQueries,
    private readonly catalogue: CatalogueQueries,
  ) {}

  execute({ context, definitionId: spelledId }: DeleteMetricDefinition): Promise<Outcome<DefinitionEvent>> {
    return this.gate.removing(target('definition', spelledId), async () => {
      const { metric_definition_id: definitionId } = (await current(this.definitions, spelledId)).document;
      const [measured, accessed] = await Promise.all([
        this.metrics.isDefinitionUsed(definitionId),
        this.catalogue.isReferred('definition', definitionId),
      ]);
      return this.gateway.execute({
        stream,
        decider,
        context,
        command: { type: 'DeleteMetricDefinition', definitionId, measured, accessed },
      });
    });
  }
}

export const definitionHandlers = [DefineMetricHandler, ReviseMetricDefinitionHandler, DeleteMetricDefinitionHandler];
