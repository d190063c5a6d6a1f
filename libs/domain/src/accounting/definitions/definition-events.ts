import { record } from '#domain/accounting/record.js';
import type { ClosingEvent, HoldingEvent } from '#domain/accounting/references/reference-events.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { ended, none } from '#domain/shared/resource-change.js';

/** One stream for metric definitions, unit types and metric types, because they refer to each other. Names are unique, ignoring letter case. */
export const DEFINITIONS_CATEGORY = 'accounting.definitions';
export const DEFINITIONS_STREAM = `${DEFINITIONS_CATEGORY}-global`;

export type MetricDefinition = Readonly<{ metric_name: string; metric_description: string | null; unit_type: string; metric_type: string }>;

export type DefinitionClosing = ClosingEvent<'MetricDefinition', Readonly<{ definitionId: string }>>;

export type DefinitionEvent =
  | DefinitionRecordEvent
  | DefinitionClosing
  | HoldingEvent<'MetricDefinition', Readonly<{ definitionId: string }>>;

/** `description`: `null` only of migrated types. `replaces`: id of the shipped type that this type replaces. The shipped type's id changes to `typeId`. */
export type NewType = Readonly<{ typeId: string; creatorId: string; value: string; description: string | null; replaces?: string }>;

export type DefinitionRecordEvent =
  | Readonly<{ type: 'MetricDefinitionCreated'; data: Readonly<{ definitionId: string; creatorId: string }> & MetricDefinition }>
  /** All values after the revision. */
  | Readonly<{ type: 'MetricDefinitionRevised'; data: Readonly<{ definitionId: string }> & MetricDefinition }>
  | Readonly<{ type: 'MetricDefinitionDeleted'; data: Readonly<{ definitionId: string }> }>
  | Readonly<{ type: 'UnitTypeCreated'; data: NewType }>
  | Readonly<{ type: 'UnitTypeRevised'; data: Readonly<{ typeId: string; value: string; description: string | null }> }>
  | Readonly<{ type: 'UnitTypeDeleted'; data: Readonly<{ typeId: string }> }>
  | Readonly<{ type: 'MetricTypeCreated'; data: NewType }>
  | Readonly<{ type: 'MetricTypeRevised'; data: Readonly<{ typeId: string; value: string; description: string | null }> }>
  | Readonly<{ type: 'MetricTypeDeleted'; data: Readonly<{ typeId: string }> }>;

const definition = record('metric_definition', 'definitionId');
const unitType = record('unit_type', 'typeId');
const metricType = record('metric_type', 'typeId');

export const definitionEvents: CatalogueOf<DefinitionEvent> = {
  MetricDefinitionCreated: { resource: definition },
  MetricDefinitionRevised: { resource: definition },
  MetricDefinitionDeleted: { resource: ended(definition) },
  MetricDefinitionClosed: { resource: none },
  MetricDefinitionReopened: { resource: none },
  MetricDefinitionHeld: { resource: none },
  MetricDefinitionReleased: { resource: none },
  UnitTypeCreated: { resource: unitType },
  UnitTypeRevised: { resource: unitType },
  UnitTypeDeleted: { resource: ended(unitType) },
  MetricTypeCreated: { resource: metricType },
  MetricTypeRevised: { resource: metricType },
  MetricTypeDeleted: { resource: ended(metricType) },
};
