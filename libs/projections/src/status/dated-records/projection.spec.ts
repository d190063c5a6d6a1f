import { describe, it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { datedRecordsProjection } from './projection.js';

describe('dated records', () => {
  const given = projectionSpec(datedRecordsProjection);
  /** Id of the n-th given event. */
  const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const weights = (tenant: string, id: string, date: string, name: string) =>
    ({
      stream: `status.weights-${tenant}`,
      type: 'WeightsSnapshotDated',
      data: {
        id,
        date,
        change: 'created',
        record: { name, weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'S', value: 1.5 }] },
      },
    }) as const;
  const document = (id: string, date: string, name: string) => ({
    head: { date, name, weight_type: 'hepspec' },
    body: { id, date, name, weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'S', value: 1.5 }] },
  });

  it('stores every snapshot, the records of each tenant, and the last change of each tenant', () =>
    given(weights('t-1', 'a', '2024-01-01', 'x'), weights('t-1', 'a', '2024-02-01', 'y'), weights('t-2', 'b', '2024-01-01', 'x')).then({
      weights: {
        't-1/a/2024-01-01': document('a', '2024-01-01', 'x'),
        't-1/a/2024-02-01': document('a', '2024-02-01', 'y'),
        't-2/b/2024-01-01': document('b', '2024-01-01', 'x'),
      },
      'weights.records': { 't-1/a': {}, 't-2/b': {} },
      'weights.stamps': { 't-1': idOf(2), 't-2': idOf(3) },
    }));

  it('replaces the snapshot of the same day', () =>
    given(weights('t', 'a', '2024-01-01', 'x'), weights('t', 'a', '2024-01-01', 'y')).then({
      weights: { 't/a/2024-01-01': document('a', '2024-01-01', 'y') },
      'weights.records': { 't/a': {} },
      'weights.stamps': { t: idOf(2) },
    }));

  it('removes all snapshots of a deleted record, and no others', () =>
    given(weights('t', 'a', '2024-01-01', 'x'), weights('t', 'a', '2024-02-01', 'x'), weights('t', 'ab', '2024-01-01', 'z'), {
      stream: 'status.weights-t',
      type: 'WeightsDeleted',
      data: { id: 'a' },
    }).then({
      weights: { 't/ab/2024-01-01': document('ab', '2024-01-01', 'z') },
      'weights.records': { 't/ab': {} },
      'weights.stamps': { t: idOf(4) },
    }));

  it('removes all records of a deleted tenant, and no others', () =>
    given(weights('t', 'a', '2024-01-01', 'x'), weights('t2', 'b', '2024-01-01', 'x'), {
      stream: 'status.tenants-global',
      type: 'TenantDeleted',
      data: { tenantId: 't', userIds: [] },
    }).then({
      weights: { 't2/b/2024-01-01': document('b', '2024-01-01', 'x') },
      'weights.records': { 't2/b': {} },
      'weights.stamps': { t2: idOf(2) },
    }));

  it('separates the kinds', () =>
    given(weights('t', 'a', '2024-01-01', 'x'), {
      stream: 'status.operations_profiles-t',
      type: 'OperationsProfileSnapshotDated',
      data: {
        id: 'a',
        date: '2024-01-01',
        change: 'created',
        record: { name: 'x', available_states: [], defaults: { down: '', missing: '', unknown: '' }, operations: [] },
      },
    }).then({
      weights: { 't/a/2024-01-01': document('a', '2024-01-01', 'x') },
      'weights.records': { 't/a': {} },
      'weights.stamps': { t: idOf(1) },
      operations_profiles: {
        't/a/2024-01-01': {
          head: { date: '2024-01-01', name: 'x' },
          body: {
            id: 'a',
            date: '2024-01-01',
            name: 'x',
            available_states: [],
            defaults: { down: '', missing: '', unknown: '' },
            operations: [],
          },
        },
      },
      'operations_profiles.records': { 't/a': {} },
      'operations_profiles.stamps': { t: idOf(2) },
    }));
});
