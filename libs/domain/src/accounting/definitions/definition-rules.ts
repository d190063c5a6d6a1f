import { requireRoom, requireSize } from '#domain/accounting/limits.js';
import {
  changeIn,
  decideReference,
  forgetReferences,
  keepReference,
  keepReopened,
  noReferences,
  type ReferenceCommand,
  type ReferenceState,
  requireClosed,
} from '#domain/accounting/references/reference-rules.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { DefinitionEvent, MetricDefinition } from './definition-events.js';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES } from './shipped-types.js';
import {
  countUse,
  decideType,
  folded,
  forgetId,
  forgetType,
  keepId,
  keepNewType,
  keepType,
  type TypeCommand,
  type TypeKind,
  type Vocabulary,
  vocabularyOf,
} from './type-vocabulary.js';

/**
 * Commands that change a definition to which others refer. The caller looks up facts of other streams in the read models and passes them as flags.
 * The flags are valid while `closing` is in force, which must be made before the lookup.
 */
export type DefinitionChange =
  /** `measured`: the definition has metrics. */
  | Readonly<{
      type: 'ReviseMetricDefinition';
      definitionId: string;
      changes: Partial<MetricDefinition>;
      measured: boolean;
      closing?: string;
    }>
  /** `accessed`: the definition is the unit of access of an installation. */
  | Readonly<{ type: 'DeleteMetricDefinition'; definitionId: string; measured: boolean; accessed: boolean; closing?: string }>;

export type DefinitionCommand =
  | Readonly<{ type: 'CreateMetricDefinition'; definitionId: string; creatorId: string; definition: MetricDefinition }>
  | DefinitionChange
  | ReferenceCommand<'definition', DefinitionChange>
  | TypeCommand;

type DefinitionsState = Readonly<{
  definitions: Map<string, MetricDefinition>;
  /** Definition ids by unit type and metric name: several only if they were migrated. */
  names: Map<string, readonly string[]>;
  vocabularies: Readonly<Record<TypeKind, Vocabulary>>;
  references: ReferenceState;
}>;

const nameKey = ({ unit_type, metric_name }: MetricDefinition): string => JSON.stringify([folded(unit_type), folded(metric_name)]);

const definitionOf = ({ metric_name, metric_description, unit_type, metric_type }: MetricDefinition): MetricDefinition => ({
  metric_name,
  metric_description,
  unit_type,
  metric_type,
});

const knownDefinition = (state: DefinitionsState, definitionId: string): MetricDefinition => {
  const definition = state.definitions.get(definitionId);
  if (!definition) throw new DomainError('DEFINITION_NOT_FOUND', { definitionId });
  return definition;
};

const requireTypes = ({ vocabularies }: DefinitionsState, { unit_type, metric_type }: Partial<MetricDefinition>): void => {
  if (metric_type !== undefined && !vocabularies.metric.values.has(folded(metric_type)))
    throw new DomainError('TYPE_VALUE_NOT_FOUND', { kind: 'metric', value: metric_type });
  if (unit_type !== undefined && !vocabularies.unit.values.has(folded(unit_type)))
    throw new DomainError('TYPE_VALUE_NOT_FOUND', { kind: 'unit', value: unit_type });
};

type CommandOf<Type> = Extract<DefinitionCommand, { type: Type }>;

const createDefinition = (command: CommandOf<'CreateMetricDefinition'>, state: DefinitionsState): readonly DefinitionEvent[] => {
  const { definitionId, creatorId } = command;
  const definition = definitionOf(command.definition);
  requireTypes(state, definition);
  const [holder] = state.names.get(nameKey(definition)) ?? [];
  if (holder !== undefined) throw new DomainError('DEFINITION_TAKEN', { ...definition, definitionId: holder });
  requireRoom('metricDefinitions', state.definitions.size);
  requireSize(definition);
  return [{ type: 'MetricDefinitionCreated', data: { definitionId, creatorId, ...definition } }];
};

const revisedDefinition = (command: CommandOf<'ReviseMetricDefinition'>, state: DefinitionsState): readonly DefinitionEvent[] => {
  const { definitionId, changes } = command;
  const before = knownDefinition(state, definitionId);
  const after = definitionOf({ ...before, ...changes });
  requireTypes(state, changes);
  if (command.measured) throw new DomainError('DEFINITION_MEASURED_UPDATE');
  if (nameKey(after) !== nameKey(before) && state.names.has(nameKey(after))) throw new DomainError('DEFINITION_TAKEN_UPDATE');
  requireSize(after, definitionOf(before));
  const unchanged = JSON.stringify(after) === JSON.stringify(definitionOf(before));
  return unchanged ? [] : [{ type: 'MetricDefinitionRevised', data: { definitionId, ...after } }];
};

const deletedDefinition = (command: CommandOf<'DeleteMetricDefinition'>, state: DefinitionsState): readonly DefinitionEvent[] => {
  const { definitionId } = command;
  knownDefinition(state, definitionId);
  if (command.measured) throw new DomainError('DEFINITION_MEASURED_DELETE');
  if (command.accessed) throw new DomainError('DEFINITION_ACCESSED');
  return [{ type: 'MetricDefinitionDeleted', data: { definitionId } }];
};

/** The events of a change, if its flags are still valid. */
const changedDefinition = (command: DefinitionChange, state: DefinitionsState): readonly DefinitionEvent[] =>
  command.type === 'ReviseMetricDefinition' ? revisedDefinition(command, state) : deletedDefinition(command, state);

const changeDefinition = (command: DefinitionChange, state: DefinitionsState): readonly DefinitionEvent[] => {
  const events = changedDefinition(command, state);
  if (events.length > 0) requireClosed(state.references, command.definitionId, command.closing);
  return events;
};

const decide = (command: DefinitionCommand, state: DefinitionsState): readonly DefinitionEvent[] => {
  switch (command.type) {
    case 'CreateMetricDefinition':
      return createDefinition(command, state);
    case 'ReviseMetricDefinition':
    case 'DeleteMetricDefinition':
      return changeDefinition(command, state);
    case 'CreateType':
    case 'ReviseType':
    case 'DeleteType':
      return decideType(command, state.vocabularies[command.kind]);
    default:
      return decideReference(command, {
        state: state.references,
        require: (id) => void knownDefinition(state, id),
        decideNext: (next) => changedDefinition(next, state),
        eventOf: (change, definitionId, members) =>
          ({ type: `MetricDefinition${change}`, data: { definitionId, ...members } }) as DefinitionEvent,
      });
  }
};

const forgetDefinition = (state: DefinitionsState, definitionId: string): void => {
  const before = state.definitions.get(definitionId);
  if (!before) return;
  forgetId(state.names, nameKey(before), definitionId);
  countUse(state.vocabularies.unit, before.unit_type, -1);
  countUse(state.vocabularies.metric, before.metric_type, -1);
  state.definitions.delete(definitionId);
};

const keepDefinition = (state: DefinitionsState, definitionId: string, definition: MetricDefinition): void => {
  forgetDefinition(state, definitionId);
  keepId(state.names, nameKey(definition), definitionId);
  countUse(state.vocabularies.unit, definition.unit_type, 1);
  countUse(state.vocabularies.metric, definition.metric_type, 1);
  state.definitions.set(definitionId, definitionOf(definition));
};

const evolve = (state: DefinitionsState, { type, data }: DefinitionEvent): DefinitionsState => {
  const { unit, metric } = state.vocabularies;
  switch (type) {
    case 'MetricDefinitionCreated':
    case 'MetricDefinitionRevised':
      keepDefinition(state, data.definitionId, data);
      keepReopened(state.references, data.definitionId);
      return state;
    case 'MetricDefinitionDeleted':
      forgetDefinition(state, data.definitionId);
      forgetReferences(state.references, data.definitionId);
      return state;
    case 'MetricDefinitionClosed':
    case 'MetricDefinitionReopened':
    case 'MetricDefinitionHeld':
    case 'MetricDefinitionReleased':
      keepReference(state.references, changeIn(type, 'MetricDefinition'), data.definitionId, data);
      return state;
    case 'UnitTypeCreated':
      keepNewType(unit, data);
      return state;
    case 'UnitTypeRevised':
      keepType(unit, data, false);
      return state;
    case 'MetricTypeCreated':
      keepNewType(metric, data);
      return state;
    case 'MetricTypeRevised':
      keepType(metric, data, false);
      return state;
    case 'UnitTypeDeleted':
      forgetType(unit, data.typeId);
      return state;
    case 'MetricTypeDeleted':
      forgetType(metric, data.typeId);
      return state;
  }
};

/**
 * The rules of metric definitions and their types (accounting contract 3.5, 3.6), checked in the order of the contract. Rejects with
 * `DEFINITION_NOT_FOUND`, `TYPE_VALUE_NOT_FOUND`, `DEFINITION_MEASURED_UPDATE`, `DEFINITION_MEASURED_DELETE`, `DEFINITION_ACCESSED`,
 * `DEFINITION_TAKEN`, `DEFINITION_TAKEN_UPDATE`; `TYPE_NOT_FOUND`, `TYPE_SHIPPED_UPDATE`, `TYPE_SHIPPED_DELETE`, `TYPE_USED_UPDATE`,
 * `TYPE_USED_DELETE`, `TYPE_TAKEN` (details `kind`) and, checked last, `OVER_LIMIT`. Errors of references (`reference-rules.ts`) are only for command
 * handlers.
 */
export const definitions: Decider<DefinitionsState, DefinitionCommand, DefinitionEvent> = {
  snapshots: { name: 'definitions', version: 4 },
  initialState: () => ({
    definitions: new Map(),
    names: new Map(),
    vocabularies: { unit: vocabularyOf(SHIPPED_UNIT_TYPES), metric: vocabularyOf(SHIPPED_METRIC_TYPES) },
    references: noReferences(),
  }),
  decide,
  evolve,
};
