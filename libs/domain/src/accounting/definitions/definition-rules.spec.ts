import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { DefinitionEvent } from './definition-events.js';
import { type DefinitionCommand, definitions } from './definition-rules.js';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES } from './shipped-types.js';

const given = deciderSpec(definitions);
const definition = (metric_name: string, more: object = {}) => ({
  metric_name,
  metric_description: null,
  unit_type: 'TB',
  metric_type: 'count',
  ...more,
});
const create = (metric_name: string, more: object = {}): DefinitionCommand => ({
  type: 'CreateMetricDefinition',
  definitionId: '1',
  creatorId: 'me',
  definition: definition(metric_name, more),
});
const created = (definitionId: string, metric_name: string, more: object = {}): DefinitionEvent => ({
  type: 'MetricDefinitionCreated',
  data: { definitionId, creatorId: 'me', ...definition(metric_name, more) },
});
const revise = (changes: object, measured = false): DefinitionCommand => ({
  type: 'ReviseMetricDefinition',
  definitionId: '1',
  changes,
  measured,
});
const revised = (metric_name: string, more: object = {}): DefinitionEvent => ({
  type: 'MetricDefinitionRevised',
  data: { definitionId: '1', ...definition(metric_name, more) },
});

describe('Metric definitions', () => {
  it('need known types, in any letter case, and are unique by unit and name', () => {
    given()
      .when(create('n', { unit_type: 'tb', metric_type: 'COUNT' }))
      .then(created('1', 'n', { unit_type: 'tb', metric_type: 'COUNT' }));
    given()
      .when(create('n', { unit_type: 'x', metric_type: 'y' }))
      .thenRejected('TYPE_VALUE_NOT_FOUND', { kind: 'unit', value: 'x' });
    given()
      .when(create('n', { metric_type: 'y' }))
      .thenRejected('TYPE_VALUE_NOT_FOUND', { kind: 'metric', value: 'y' });
    const taken = { definitionId: '7', unit_type: 'tb', metric_name: 'N' };
    given(created('7', 'n'))
      .when(create('N', { unit_type: 'tb' }))
      .thenRejected('DEFINITION_TAKEN', taken);
    given(created('7', 'n'))
      .when(create('n', { unit_type: 's' }))
      .then(created('1', 'n', { unit_type: 's' }));
  });

  it('can be revised while there are no metrics of them', () => {
    const known = [created('1', 'n'), created('2', 'm')];
    given(...known)
      .when(revise({ metric_name: 'N', metric_description: 'd' }))
      .then(revised('N', { metric_description: 'd' }));
    given(...known)
      .when(revise({ metric_name: 'n' }))
      .then();
    given(...known)
      .when(revise({ unit_type: 'x' }, true))
      .thenRejected('TYPE_VALUE_NOT_FOUND', { kind: 'unit', value: 'x' });
    given(...known)
      .when(revise({ metric_name: 'M' }, true))
      .thenRejected('DEFINITION_MEASURED_UPDATE');
    given(...known)
      .when(revise({ metric_name: 'M' }))
      .thenRejected('DEFINITION_TAKEN_UPDATE');
    given(...known, revised('k'))
      .when(create('n', {}))
      .then(created('1', 'n'));
    given().when(revise({})).thenRejected('DEFINITION_NOT_FOUND', { definitionId: '1' });
  });

  it('can be deleted if nothing refers to them', () => {
    const remove = (measured: boolean, accessed: boolean) =>
      ({ type: 'DeleteMetricDefinition', definitionId: '1', measured, accessed }) as const;
    given(created('1', 'n')).when(remove(true, true)).thenRejected('DEFINITION_MEASURED_DELETE');
    given(created('1', 'n')).when(remove(false, true)).thenRejected('DEFINITION_ACCESSED');
    given(created('1', 'n'))
      .when(remove(false, false))
      .then({ type: 'MetricDefinitionDeleted', data: { definitionId: '1' } });
    given().when(remove(false, false)).thenRejected('DEFINITION_NOT_FOUND');
  });
});

describe.each([
  ['unit', 'UnitType', SHIPPED_UNIT_TYPES, 'unit_type'],
  ['metric', 'MetricType', SHIPPED_METRIC_TYPES, 'metric_type'],
] as const)('%s types', (kind, prefix, shipped, member) => {
  const [first] = shipped;
  const type = (typeId: string, value: string, description = 'd') => ({ typeId, value, description });
  const added = (typeId: string, value: string): DefinitionEvent => ({
    type: `${prefix}Created`,
    data: { creatorId: 'me', ...type(typeId, value) },
  });
  const add = (value: string): DefinitionCommand => ({ type: 'CreateType', kind, creatorId: 'me', ...type('1', value) });
  const change = (typeId: string, changes: object): DefinitionCommand => ({ type: 'ReviseType', kind, typeId, changes });
  const remove = (typeId: string): DefinitionCommand => ({ type: 'DeleteType', kind, typeId });

  it('are unique without regard to letter case, shipped types included', () => {
    expect(new Set(shipped.map(({ typeId }) => typeId)).size).toBe(shipped.length);
    given().when(add('x')).then(added('1', 'x'));
    given(added('7', 'X')).when(add('x')).thenRejected('TYPE_TAKEN', { kind, typeId: '7' });
    given()
      .when(add(first?.value.toUpperCase() ?? ''))
      .thenRejected('TYPE_TAKEN', { kind, typeId: first?.typeId });
    given(added('1', 'x'), { type: `${prefix}Deleted`, data: { typeId: '1' } })
      .when(add('x'))
      .then(added('1', 'x'));
  });

  it('can be changed if they are neither shipped nor in use', () => {
    const used = created('9', 'n', { [member]: 'X' });
    given(added('1', 'x'))
      .when(change('1', { value: 'X' }))
      .then({ type: `${prefix}Revised`, data: type('1', 'X') });
    given(added('1', 'x'))
      .when(change('1', { value: 'x' }))
      .then();
    given(added('1', 'x'))
      .when(change('1', { description: 'e' }))
      .then({ type: `${prefix}Revised`, data: type('1', 'x', 'e') });
    given(added('1', 'x'), added('2', 'y'))
      .when(change('1', { value: 'Y' }))
      .thenRejected('TYPE_TAKEN', { kind, typeId: '2' });
    given(added('1', 'x'), used)
      .when(change('1', { value: first?.value }))
      .thenRejected('TYPE_USED_UPDATE', { kind });
    given(added('1', 'x'), used).when(remove('1')).thenRejected('TYPE_USED_DELETE', { kind });
    const unused: DefinitionEvent = { type: 'MetricDefinitionDeleted', data: { definitionId: '9' } };
    given(added('1', 'x'), used, unused)
      .when(remove('1'))
      .then({ type: `${prefix}Deleted`, data: { typeId: '1' } });
    for (const { typeId } of shipped) {
      given().when(change(typeId, {})).thenRejected('TYPE_SHIPPED_UPDATE', { kind });
      given().when(remove(typeId)).thenRejected('TYPE_SHIPPED_DELETE', { kind });
    }
    given().when(remove('1')).thenRejected('TYPE_NOT_FOUND', { kind, typeId: '1' });
  });
});
