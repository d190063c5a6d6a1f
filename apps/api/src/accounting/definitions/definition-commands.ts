import { known } from '#api/accounting/existing.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { References } from '#api/accounting/references/references.js';
import { definitionTarget } from '#api/accounting/references/targets.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { DEFINITIONS_STREAM, type MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import { definitions as decider } from '#domain/accounting/definitions/definition-rules.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import {
  DefinitionQueries,
  type DefinitionRecord,
  definitionDocument,
  ownDefinition,
} from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';

/** @throws DomainError `DEFINITION_NOT_FOUND` */
export const currentDefinition = (queries: Pick<DefinitionQueries, 'definition'>, definitionId: string): Promise<DefinitionRecord> =>
  known(queries.definition(definitionId), 'DEFINITION_NOT_FOUND', { definitionId });

/** Creates a metric definition with an existing unit type and metric type. */
export class DefineMetric extends commandWith(
  [ObjectIds],
  async (given: Readonly<{ creatorId: string; definition: MetricDefinition }>, { context, gateway }, ids) => {
    const command = { type: 'CreateMetricDefinition', definitionId: ids.next(), ...given } as const;
    const { events, readable } = await gateway.execute({ stream: DEFINITIONS_STREAM, decider, context, command });
    const { data } = eventOf(events, 'MetricDefinitionCreated');
    return { record: ownDefinition({ document: definitionDocument(data.definitionId, data), creatorId: data.creatorId }), readable };
  },
) {}

/** Changes a metric definition without metrics. `definitionId`: in the caller's spelling. */
export class ReviseMetricDefinition extends commandWith(
  [References, DefinitionQueries, MetricQueries],
  async (
    { definitionId: spelledId, changes }: Readonly<{ definitionId: string; changes: Partial<MetricDefinition> }>,
    { context },
    references,
    definitions,
    metrics,
  ) => {
    const before = await currentDefinition(definitions, spelledId);
    const definitionId = before.document.metric_definition_id;
    const { events, readable } = await references.change(
      definitionTarget(definitionId),
      { type: 'ReviseMetricDefinition', definitionId, changes, measured: false },
      async () => ({ measured: await metrics.isDefinitionUsed(definitionId) }),
      context,
    );
    const [event] = events;
    if (event?.type !== 'MetricDefinitionRevised') {
      return { record: ownDefinition((await definitions.definition(definitionId)) ?? before), readable };
    }
    const document = definitionDocument(definitionId, event.data);
    return { record: ownDefinition({ document, creatorId: before.creatorId }), readable };
  },
) {}

/** Deletes an unreferenced metric definition. `definitionId`: in the caller's spelling. */
export class DeleteMetricDefinition extends commandWith(
  [References, DefinitionQueries, MetricQueries, CatalogueQueries],
  async ({ definitionId: spelledId }: Readonly<{ definitionId: string }>, { context }, references, definitions, metrics, catalogue) => {
    const { metric_definition_id: definitionId } = (await currentDefinition(definitions, spelledId)).document;
    const find = async () => {
      const [measured, accessed] = await Promise.all([
        metrics.isDefinitionUsed(definitionId),
        catalogue.isReferred('definition', definitionId),
      ]);
      return { measured, accessed };
    };
    const deletion = { type: 'DeleteMetricDefinition', definitionId, measured: false, accessed: false } as const;
    return references.change(definitionTarget(definitionId), deletion, find, context);
  },
) {}
