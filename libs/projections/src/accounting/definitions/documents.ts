import type { MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { DEFINITION, TYPE } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const DEFINITIONS = 'accounting.definitions';

/** A metric definition as part of answers about something else; members in the order of the wire (accounting contract 3.0). */
export type DefinitionDocument = Readonly<{
  metric_definition_id: string;
  metric_name: string;
  metric_description: string | null;
  unit_type: string;
  metric_type: string;
}>;

/** A metric definition in answers about definitions themselves. */
export type OwnDefinitionDocument = DefinitionDocument & Readonly<{ creator_id: string }>;

/**
 * `order`: log position of the creation, 20 digits. `closings`: how many times it was closed to new references; absent: never (docs/decisions/0031).
 */
export type DefinitionRecord = Readonly<{ document: DefinitionDocument; creatorId: string; order: string; closings?: number }>;

/** `order`: as for definitions. */
export type TypeRecord = Readonly<{ typeId: string; value: string; description: string; creatorId: string; order: string }>;

/** A type as it stands in an answer: `unit_type` or `metric_type` is its value. */
export type TypeDocument = Readonly<{ id: string; unit_type?: string; metric_type?: string; description: string; creator_id: string }>;

export const typeDocument = (kind: TypeKind, { typeId, value, description, creatorId }: Omit<TypeRecord, 'order'>): TypeDocument => ({
  id: typeId,
  [`${kind}_type`]: value,
  description,
  creator_id: creatorId,
});

export const definitionDocument = (definitionId: string, definition: MetricDefinition): DefinitionDocument => ({
  metric_definition_id: definitionId,
  metric_name: definition.metric_name,
  metric_description: definition.metric_description,
  unit_type: definition.unit_type,
  metric_type: definition.metric_type,
});

/** The definition with its creator. */
export const ownDefinition = ({ document, creatorId }: Pick<DefinitionRecord, 'document' | 'creatorId'>): OwnDefinitionDocument => ({
  ...document,
  creator_id: creatorId,
});

/** By definition id. */
export const definitions = collection<DefinitionRecord>('definitions', { owner: firstPart(DEFINITION) });

/** By order; the documents stand in answers as they are stored. */
export const definitionsInOrder = collection<OwnDefinitionDocument>('definitions.ordered', {
  owner: inMember(DEFINITION, 'metric_definition_id'),
});

const typeCollections = (kind: TypeKind) => ({
  /** By type id. */
  byId: collection<TypeRecord>(`${kind}-types`, { owner: firstPart(TYPE) }),
  /** By order; the documents stand in answers as they are stored. */
  inOrder: collection<TypeDocument>(`${kind}-types.ordered`, { owner: inMember(TYPE, 'id') }),
  /** Types that come with the service and were brought over with another id: by the id that they would have here. They are in no other collection. */
  broughtOver: collection<Omit<TypeRecord, 'order'>>(`${kind}-types.brought-over`, { owner: inMember(TYPE, 'typeId') }),
});

/** The types that were added; types that come with the service are not among them. */
export const types = { unit: typeCollections('unit'), metric: typeCollections('metric') } as const;
