import {
  DEFINITIONS_CATEGORY,
  DEFINITIONS_STREAM,
  type DefinitionClosing,
  type DefinitionRecordEvent,
  type MetricDefinition,
} from '#domain/accounting/definitions/definition-events.js';
import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
import { known } from '#projections/accounting/known.js';
import { orderOf } from '#projections/accounting/log-order.js';
import { ofDefinitionEvent } from '#projections/accounting/partitions.js';
import type { AnyCollection } from '#projections/shared/collection.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, type Handlers, reading, readModel } from '#projections/shared/read-model.js';
import {
  DEFINITIONS,
  type DefinitionRecord,
  definitionDocument,
  definitions,
  definitionsInOrder,
  ownDefinition,
  type TypeRecord,
  typeDocument,
  types,
} from './documents.js';

/** The events that this read model uses. */
type DefinitionEvent = DefinitionRecordEvent | Extract<DefinitionClosing, { type: 'MetricDefinitionClosed' }>;
type EventNamed<Type extends DefinitionEvent['type']> = EventOf<Extract<DefinitionEvent, { type: Type }>>;
type TypeEvent<Change extends 'Created' | 'Revised' | 'Deleted'> = EventNamed<`UnitType${Change}` | `MetricType${Change}`>;

export const definitionCollections: readonly AnyCollection[] = [
  definitions,
  definitionsInOrder,
  ...Object.values(types).flatMap(({ byId, inOrder, broughtOver }) => [byId, inOrder, broughtOver]),
];

const definitionWritten = (
  id: string,
  definition: MetricDefinition,
  { creatorId, order, closings }: Omit<DefinitionRecord, 'document'>,
): readonly DocumentChange[] => {
  const document = definitionDocument(id, definition);
  const record: DefinitionRecord = { document, creatorId, order, ...(closings !== undefined && { closings }) };
  return [definitions.put(id, record), definitionsInOrder.put(order, ownDefinition(record))];
};

const definitionHandlers: Handlers<Extract<DefinitionEvent, { type: `MetricDefinition${string}` }>> = {
  MetricDefinitionCreated: (event) =>
    definitionWritten(event.data.definitionId, event.data, { creatorId: event.data.creatorId, order: orderOf(event) }),
  MetricDefinitionRevised: reading(
    ({ data }: EventNamed<'MetricDefinitionRevised'>) => ({ before: definitions.at(data.definitionId) }),
    ({ data }, { before }) => definitionWritten(data.definitionId, data, known(before, 'metric definition')),
  ),
  MetricDefinitionClosed: reading(
    ({ data }: EventNamed<'MetricDefinitionClosed'>) => ({ before: definitions.at(data.definitionId) }),
    ({ data }, { before }) => {
      const record = known(before, 'metric definition');
      return [definitions.put(data.definitionId, { ...record, closings: (record.closings ?? 0) + 1 })];
    },
  ),
  MetricDefinitionDeleted: reading(
    ({ data }: EventNamed<'MetricDefinitionDeleted'>) => ({ before: definitions.at(data.definitionId) }),
    ({ data }, { before }) => [definitions.remove(data.definitionId), definitionsInOrder.remove(known(before, 'metric definition').order)],
  ),
};

/** Handlers of the types of one kind. */
const typeHandlers = (kind: TypeKind) => {
  const { byId, inOrder, broughtOver } = types[kind];
  const written = (record: TypeRecord): readonly DocumentChange[] => [
    byId.put(record.typeId, record),
    inOrder.put(record.order, typeDocument(kind, record)),
  ];
  return {
    created: (event: TypeEvent<'Created'>) => {
      const { typeId, value, description, creatorId, replaces } = event.data;
      if (replaces !== undefined) return [broughtOver.put(replaces, { typeId, value, description, creatorId })];
      return written({ typeId, value, description, creatorId, order: orderOf(event) });
    },
    revised: reading(
      ({ data }: TypeEvent<'Revised'>) => ({ before: byId.at(data.typeId) }),
      ({ data: { typeId, value, description } }, { before }) => {
        const { creatorId, order } = known(before, `${kind} type`);
        return written({ typeId, value, description, creatorId, order });
      },
    ),
    deleted: reading(
      ({ data }: TypeEvent<'Deleted'>) => ({ before: byId.at(data.typeId) }),
      ({ data }, { before }) => [byId.remove(data.typeId), inOrder.remove(known(before, `${kind} type`).order)],
    ),
  };
};

const [unit, metric] = [typeHandlers('unit'), typeHandlers('metric')];

/** Metric definitions, and the unit and metric types that were added to the shipped ones. */
export const definitionsProjection = readModel<DefinitionEvent>(
  {
    name: DEFINITIONS,
    version: 3,
    service: 'accounting',
    needed: { fixed: [DEFINITIONS_STREAM] },
    categories: [DEFINITIONS_CATEGORY],
    collections: definitionCollections,
    partitionsOf: ofDefinitionEvent,
  },
  {
    ...definitionHandlers,
    UnitTypeCreated: unit.created,
    UnitTypeRevised: unit.revised,
    UnitTypeDeleted: unit.deleted,
    MetricTypeCreated: metric.created,
    MetricTypeRevised: metric.revised,
    MetricTypeDeleted: metric.deleted,
  },
);
