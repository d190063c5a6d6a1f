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
  closing: 'c',
});
const closed: DefinitionEvent = { type: 'MetricDefinitionClosed', data: { definitionId: '1', closing: 'c' } };
const reopened: DefinitionEvent = { type: 'MetricDefinitionReopened', data: { definitionId: '1', closing: 'c' } };
const revised = (metric_name: string, more: object = {}): DefinitionEvent => ({
  type: 'MetricDefinitionRevised',
  data: { definitionId: '1', ...definition(metric_name, more) },
});

describe('metric definitions', () => {
  it('need known types and are unique by unit and name, ignoring letter case', () => {
    given()
      .when(create('n', { unit_type: 'tb', metric_type: 'COUNT' }))
      .then(created('1', 'n', { unit_type: 'tb', metric_type: 'COUNT' }));
    given()
      .when(create('n', { unit_type: 'x', metric_type: 'y' }))
      .thenRejected('TYPE_VALUE_NOT_FOUND', { kind: 'metric', value: 'y' });
    given()
      .when(create('n', { unit_type: 'x' }))
      .thenRejected('TYPE_VALUE_NOT_FOUND', { kind: 'unit', value: 'x' });
    const taken = { definitionId: '7', unit_type: 'tb', metric_name: 'N' };
    given(created('7', 'n'))
      .when(create('N', { unit_type: 'tb' }))
      .thenRejected('DEFINITION_TAKEN', taken);
    given(created('7', 'n'))
      .when(create('n', { unit_type: 's' }))
      .then(created('1', 'n', { unit_type: 's' }));
  });

  it('can share a name if they were migrated, until the last one is gone', () => {
    const [first, second] = [created('1', 'n'), created('2', 'N')];
    const deleted = (definitionId: string): DefinitionEvent => ({ type: 'MetricDefinitionDeleted', data: { definitionId } });
    given(first, second, closed)
      .when(revise({ metric_description: 'd' }))
      .then(revised('n', { metric_description: 'd' }));
    given(first, second, deleted('2')).when(create('n')).thenRejected('DEFINITION_TAKEN', { definitionId: '1' });
    given(created('1', 'n'), second, deleted('2'), deleted('1')).when(create('n')).then(created('1', 'n'));
  });

  it('can be revised while they have no metrics', () => {
    const known = [created('1', 'n'), created('2', 'm')];
    given(...known, closed)
      .when(revise({ metric_name: 'N', metric_description: 'd' }))
      .then(revised('N', { metric_description: 'd' }));
    given(...known)
      .when(revise({ metric_name: 'n' }))
      .then();
    given(...known)
      .when(revise({ unit_type: 'x', metric_type: 'y' }))
      .thenRejected('TYPE_VALUE_NOT_FOUND', { kind: 'metric', value: 'y' });
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
      ({ type: 'DeleteMetricDefinition', definitionId: '1', measured, accessed, closing: 'c' }) as const;
    given(created('1', 'n')).when(remove(true, true)).thenRejected('DEFINITION_MEASURED_DELETE');
    given(created('1', 'n')).when(remove(false, true)).thenRejected('DEFINITION_ACCESSED');
    given(created('1', 'n'), closed)
      .when(remove(false, false))
      .then({ type: 'MetricDefinitionDeleted', data: { definitionId: '1' } });
    given().when(remove(false, false)).thenRejected('DEFINITION_NOT_FOUND');
  });
});

describe('references to metric definitions', () => {
  const target = { kind: 'definition', id: '1' } as const;
  const known = created('1', 'n');
  const holder = { projectId: 'p' };
  const deletion = { type: 'DeleteMetricDefinition', definitionId: '1', measured: false, accessed: false } as const;
  const close = { type: 'CloseReferences', ...target, closing: 'c', next: deletion } as const;
  const hold = { type: 'HoldReference', ...target, hold: 'h', holder, now: '2031-01-01T00:00:00.000Z' } as const;
  const held: DefinitionEvent = { type: 'MetricDefinitionHeld', data: { definitionId: '1', hold: 'h', holder, heldAt: hold.now } };
  const released: DefinitionEvent = { type: 'MetricDefinitionReleased', data: { definitionId: '1', hold: 'h' } };

  it('are blocked until the change, and only the change that closed them is accepted', () => {
    given(known).when(close).then(closed);
    given(known)
      .when({ ...deletion, closing: 'c' })
      .thenRejected('CLOSING_LOST');
    given(known).when(deletion).thenRejected('CLOSING_LOST');
    given(known, closed, reopened)
      .when({ ...deletion, closing: 'c' })
      .thenRejected('CLOSING_LOST');
    given(known, closed, revised('n', { metric_description: 'd' }))
      .when({ ...deletion, closing: 'c' })
      .thenRejected('CLOSING_LOST');
    given(known, closed)
      .when({ ...deletion, closing: 'other' })
      .thenRejected('CLOSING_LOST');
  });

  it('are not closed twice, nor for a change that is invalid or changes nothing', () => {
    given(known)
      .when({ ...close, next: { type: 'ReviseMetricDefinition', definitionId: '1', changes: {}, measured: false } })
      .then();
    given().when(close).thenRejected('DEFINITION_NOT_FOUND', { definitionId: '1' });
    given(known, closed)
      .when({ ...close, closing: 'other' })
      .thenRejected('REFERENCES_CLOSED', { closing: 'c' });
    given(known, closed, reopened).when(close).then(closed);
  });

  it('are held while they are created, which blocks changes of the definition', () => {
    given(known).when(hold).then(held);
    given().when(hold).thenRejected('DEFINITION_NOT_FOUND', { definitionId: '1' });
    given(known, closed).when(hold).thenRejected('REFERENCES_CLOSED', { closing: 'c' });
    given(known, held, closed)
      .when({ ...deletion, closing: 'c' })
      .thenRejected('REFERENCES_HELD', { holds: [{ hold: 'h', holder, heldAt: hold.now }] });
    const unheld = { type: 'RequireUnheld', ...target, closing: 'c' } as const;
    given(known, held, closed).when(unheld).thenRejected('REFERENCES_HELD');
    given(known, held, closed, released).when(unheld).then();
    given(known, held, closed, released)
      .when({ ...deletion, closing: 'c' })
      .then({ type: 'MetricDefinitionDeleted', data: { definitionId: '1' } });
    given(known, held, closed, reopened).when(unheld).thenRejected('CLOSING_LOST');
    given(known, held)
      .when({ type: 'ReleaseReference', ...target, hold: 'h' })
      .then(released);
    given(known)
      .when({ type: 'ReleaseReference', ...target, hold: 'h' })
      .then();
  });

  it('are reopened by anyone who names the closing', () => {
    const reopen = { type: 'ReopenReferences', ...target, closing: 'c' } as const;
    given(known, closed).when(reopen).then(reopened);
    given(known, closed, reopened).when(reopen).then();
    given(known)
      .when({ ...reopen, closing: 'other' })
      .then();
  });

  it('report whether they were closed since', () => {
    const open = { type: 'RequireOpen', ...target } as const;
    given(known)
      .when({ ...open, times: 0 })
      .then();
    given(known, closed).when(open).thenRejected('REFERENCES_CLOSED', { closing: 'c' });
    given(known, closed, reopened).when(open).then();
    given(known, closed, reopened)
      .when({ ...open, times: 0 })
      .thenRejected('REFERENCES_CLOSED');
    given(known, closed, reopened)
      .when({ ...open, times: 1 })
      .then();
    given().when(open).thenRejected('DEFINITION_NOT_FOUND');
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

  it('are unique ignoring letter case, including shipped types', () => {
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

  it('can share a value if they were migrated, until the last one is gone', () => {
    const gone = (typeId: string): DefinitionEvent => ({ type: `${prefix}Deleted`, data: { typeId } }) as DefinitionEvent;
    const both = [added('2', 'x'), added('3', 'X')];
    given(...both)
      .when(change('3', { description: 'e' }))
      .then({ type: `${prefix}Revised`, data: type('3', 'X', 'e') });
    given(...both, gone('3'))
      .when(add('x'))
      .thenRejected('TYPE_TAKEN', { kind, typeId: '2' });
    given(...both, gone('2'))
      .when(add('x'))
      .thenRejected('TYPE_TAKEN', { kind, typeId: '3' });
    given(...both, gone('2'), gone('3'))
      .when(add('x'))
      .then(added('1', 'x'));
  });

  it('that are shipped may be migrated with other ids, and stay unchanged', () => {
    const { typeId: replaces = '', value = '' } = first ?? {};
    const broughtOver = { type: `${prefix}Created`, data: { creatorId: '', ...type('7', value), replaces } } as DefinitionEvent;
    given(broughtOver).when(add(value.toUpperCase())).thenRejected('TYPE_TAKEN', { kind, typeId: '7' });
    given(broughtOver).when(change('7', {})).thenRejected('TYPE_SHIPPED_UPDATE', { kind });
    given(broughtOver).when(remove('7')).thenRejected('TYPE_SHIPPED_DELETE', { kind });
    given(broughtOver).when(remove(replaces)).thenRejected('TYPE_NOT_FOUND', { kind, typeId: replaces });
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
