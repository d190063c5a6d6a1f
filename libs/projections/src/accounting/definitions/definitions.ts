import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { DEFINITIONS_CATEGORY, type DefinitionEvent, type MetricDefinition } from '#domain/accounting/metrics/usage-events.js';
import { orderOf } from '#projections/accounting/log-order.js';
import { DEFINITION, ofDefinitionEvent, TYPE } from '#projections/accounting/partitions.js';
import { defineProjection } from '#projections/shared/define.js';
import { firstPart, inMember, ownedBy } from '#projections/shared/partitions.js';
import { type DocumentChange, type Projection, put, remove } from '#projections/shared/projection.js';

export const DEFINITIONS_PROJECTION = 'accounting.definitions';

/** Orders are log positions of 20 digits, of the creation. The types that are shipped are not among the documents. */
export const definitionCollections = {
  /** Definition id → {@link DefinitionRecord}. */
  definitions: 'definitions',
  /** Order → {@link OwnDefinitionDocument} as it stands in a response. */
  definitionsInOrder: 'definitions.ordered',
  /** Type id → {@link TypeRecord}. */
  types: { unit: 'unit-types', metric: 'metric-types' },
  /** Order → the type as it stands in a response. */
  typesInOrder: { unit: 'unit-types.ordered', metric: 'metric-types.ordered' },
} as const;

/** What answers about something else tell of a definition; members in the order of the wire (accounting contract 3.0). */
export type DefinitionDocument = Readonly<{
  metric_definition_id: string;
  metric_name: string;
  metric_description: string | null;
  unit_type: string;
  metric_type: string;
}>;
/** What answers about definitions themselves tell. */
export type OwnDefinitionDocument = DefinitionDocument & Readonly<{ creator_id: string }>;
export type DefinitionRecord = Readonly<{ document: DefinitionDocument; creatorId: string; order: string }>;

export type TypeRecord = Readonly<{ typeId: string; value: string; description: string; creatorId: string; order: string }>;

/** A type as it stands in a response; the name of its value tells the kinds apart. */
export const typeView = (kind: TypeKind, { typeId, value, description, creatorId }: Omit<TypeRecord, 'order'>): object => ({
  id: typeId,
  [`${kind}_type`]: value,
  description,
  creator_id: creatorId,
});

export const definitionView = (definitionId: string, definition: MetricDefinition): DefinitionDocument => ({
  metric_definition_id: definitionId,
  metric_name: definition.metric_name,
  metric_description: definition.metric_description,
  unit_type: definition.unit_type,
  metric_type: definition.metric_type,
});

/** The definition with who created it. */
export const ownDefinition = ({ document, creatorId }: Pick<DefinitionRecord, 'document' | 'creatorId'>): OwnDefinitionDocument => ({
  ...document,
  creator_id: creatorId,
});

const { definitions, definitionsInOrder, types, typesInOrder } = definitionCollections;

const definitionWritten = (id: string, definition: MetricDefinition, { creatorId, order }: Omit<DefinitionRecord, 'document'>) => {
  const document = definitionView(id, definition);
  const record: DefinitionRecord = { document, creatorId, order };
  return [put(definitions, id, record), put(definitionsInOrder, order, ownDefinition(record))];
};

const typeWritten = (kind: TypeKind, record: TypeRecord): DocumentChange[] => [
  put(types[kind], record.typeId, record),
  put(typesInOrder[kind], record.order, typeView(kind, record)),
];

const kindOf = (type: DefinitionEvent['type']): TypeKind => (type.startsWith('UnitType') ? 'unit' : 'metric');

/** Metric definitions, and the unit types and metric types that were added to those shipped. */
export const definitionsProjection: Projection = defineProjection<DefinitionEvent>({
  name: DEFINITIONS_PROJECTION,
  version: 2,
  service: 'accounting',
  categories: [DEFINITIONS_CATEGORY],
  handles: [
    'MetricDefinitionCreated',
    'MetricDefinitionRevised',
    'MetricDefinitionDeleted',
    'UnitTypeCreated',
    'UnitTypeRevised',
    'UnitTypeDeleted',
    'MetricTypeCreated',
    'MetricTypeRevised',
    'MetricTypeDeleted',
  ],
  partitions: {
    ofEvent: ofDefinitionEvent,
    owners: {
      [definitions]: firstPart(DEFINITION),
      [definitionsInOrder]: inMember(DEFINITION, 'metric_definition_id'),
      ...ownedBy(firstPart(TYPE), Object.values(types)),
      ...ownedBy(inMember(TYPE, 'id'), Object.values(typesInOrder)),
    },
  },
  reads: ({ type, data }) => {
    if ('creatorId' in data) return [];
    return 'definitionId' in data
      ? [{ collection: definitions, key: data.definitionId }]
      : [{ collection: types[kindOf(type)], key: data.typeId }];
  },
  apply: (event, read) => {
    const kind = kindOf(event.type);
    switch (event.type) {
      case 'MetricDefinitionCreated': {
        const { definitionId, creatorId } = event.data;
        return definitionWritten(definitionId, event.data, { creatorId, order: orderOf(event) });
      }
      case 'MetricDefinitionRevised': {
        const before = read(definitions, event.data.definitionId) as DefinitionRecord;
        return definitionWritten(event.data.definitionId, event.data, before);
      }
      case 'MetricDefinitionDeleted': {
        const before = read(definitions, event.data.definitionId) as DefinitionRecord;
        return [remove(definitions, event.data.definitionId), remove(definitionsInOrder, before.order)];
      }
      case 'UnitTypeCreated':
      case 'MetricTypeCreated': {
        const { typeId, value, description, creatorId } = event.data;
        return typeWritten(kind, { typeId, value, description, creatorId, order: orderOf(event) });
      }
      case 'UnitTypeRevised':
      case 'MetricTypeRevised': {
        const { typeId, value, description } = event.data;
        const { creatorId, order } = read(types[kind], typeId) as TypeRecord;
        return typeWritten(kind, { typeId, value, description, creatorId, order });
      }
      case 'UnitTypeDeleted':
      case 'MetricTypeDeleted': {
        const before = read(types[kind], event.data.typeId) as TypeRecord;
        return [remove(types[kind], event.data.typeId), remove(typesInOrder[kind], before.order)];
      }
    }
  },
});
