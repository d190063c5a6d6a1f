import type { MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
import type { Static } from '#domain/shared/shape.js';
import type { METRIC_DEFINITION, METRIC_TYPE, UNIT_TYPE } from '#projections/accounting/components.js';
import { DEFINITION, TYPE } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const DEFINITIONS = 'accounting.definitions';

/** A metric definition in answers about definitions themselves. */
export type OwnDefinitionDocument = Required<Static<typeof METRIC_DEFINITION>>;

/** A metric definition as part of other answers. */
export type DefinitionDocument = Omit<OwnDefinitionDocument, 'creator_id'>;

/** `order`: log position of the creation, 20 digits. `closings`: times it was closed to new references, absent for 0 (docs/decisions/0031). */
export type DefinitionRecord = Readonly<{ document: DefinitionDocument; creatorId: string; order: string; closings?: number }>;

/** `order`: as for definitions. */
export type TypeRecord = Readonly<{ typeId: string; value: string; description: string | null; creatorId: string; order: string }>;

/** A type in the format of answers. */
export type TypeDocument = Static<typeof UNIT_TYPE | typeof METRIC_TYPE>;

export const typeDocument = (kind: TypeKind, { typeId: id, value, description, creatorId }: Omit<TypeRecord, 'order'>): TypeDocument => {
  const rest = { description, creator_id: creatorId };
  return kind === 'unit' ? { id, unit_type: value, ...rest } : { id, metric_type: value, ...rest };
};

export const definitionDocument = (definitionId: string, definition: MetricDefinition): DefinitionDocument => ({
  metric_definition_id: definitionId,
  metric_name: definition.metric_name,
  metric_description: definition.metric_description,
  unit_type: definition.unit_type,
  metric_type: definition.metric_type,
});

export const ownDefinition = ({ document, creatorId }: Pick<DefinitionRecord, 'document' | 'creatorId'>): OwnDefinitionDocument => ({
  ...document,
  creator_id: creatorId,
});

/** By definition id. */
export const definitions = collection<DefinitionRecord>('definitions', { owner: firstPart(DEFINITION) });

/** In order of creation, in the format of answers. */
export const definitionsInOrder = collection<OwnDefinitionDocument>('definitions.ordered', {
  owner: inMember(DEFINITION, 'metric_definition_id'),
});

const typeCollections = (kind: TypeKind) => ({
  /** By type id. */
  byId: collection<TypeRecord>(`${kind}-types`, { owner: firstPart(TYPE) }),
  /** In order of creation, in the format of answers. */
  inOrder: collection<TypeDocument>(`${kind}-types.ordered`, { owner: inMember(TYPE, 'id') }),
  /** Shipped types that were migrated with another id, by their usual id. They are in no other collection. */
  broughtOver: collection<Omit<TypeRecord, 'order'>>(`${kind}-types.brought-over`, { owner: inMember(TYPE, 'typeId') }),
});

/** Added types, without the shipped ones. */
export const types = { unit: typeCollections('unit'), metric: typeCollections('metric') } as const;
