import { describe, expect, it } from '@jest/globals';
import type { MetricPoint, Plan, PlannedRecomputation, PointOrigin } from './plan.js';
import { countsIn, lastBefore, usesOfPoints } from './point-uses.js';

const recomputation: PlannedRecomputation = {
  id: 'r',
  window: { from: 0, to: 0 },
  exclude: [],
  exclude_metrics: [],
  exclude_monitoring_source: ['mon', ''].map((host) => ({ host, start_time: '2024-01-01T23:00:00Z', end_time: '2024-01-02T01:00:00Z' })),
  applied_status_changes: [],
};
const plan: Plan = {
  report: 'report',
  day: '2024-01-02',
  operations: { name: 'o', available_states: ['OK'], defaults: { down: 'D', missing: 'M', unknown: 'U' }, operations: [] },
  aggregation: {
    name: 'a',
    namespace: '',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { id: 'm', name: 'm' },
    groups: [],
  },
  thresholds: [],
  groups: new Map(),
  supergroups: new Map(),
  downtimes: new Map(),
  weights: new Map(),
  recomputations: [recomputation],
};
const point = (at: number, index: number, origin: PointOrigin = {}): MetricPoint => ({ at, status: 'OK', position: 0, index, origin });

describe('uses of points', () => {
  it('of the day state which point counts, and why the others do not', () => {
    const today = [
      point(0, 1, { monitoringHost: 'mon' }),
      point(10, 2),
      point(10, 3),
      point(10, 4, { report: 'another' }),
      point(20, 5, { group: 'SITE-B' }),
      point(30, 6, { report: 'report', group: 'SITE-A', monitoringHost: 'other' }),
      point(3601, 7, { monitoringHost: 'mon' }),
      point(4000, 8),
    ];
    const usesIn = (from: number, to: number) =>
      usesOfPoints(plan, 'SITE-A', today, 3700, { from, to }).map(({ point: { index }, use }) => [index, use]);
    const all = usesIn(0, Number.POSITIVE_INFINITY);
    expect(all).toEqual([
      [1, 'monitoring source excluded'],
      [2, 'superseded'],
      [3, 'counts'],
      [4, 'other report'],
      [5, 'other group'],
      [6, 'counts'],
      [7, 'counts'],
      [8, 'not yet'],
    ]);
    for (let from = 0; from <= all.length; from++)
      for (let to = from; to <= all.length + 1; to++) expect(usesIn(from, to)).toEqual(all.slice(from, to));
    expect(today.filter(countsIn(plan, 'SITE-A')).map(({ index }) => index)).toEqual([2, 3, 6, 7, 8]);
  });

  it('of the previous day: the last point that counts is used', () => {
    const before = [point(80_000, 1), point(80_000, 2), point(86_000, 3, { monitoringHost: 'mon' })];
    expect(lastBefore(plan, 'SITE-A', before)).toEqual(before[1]);
    expect(lastBefore(plan, 'SITE-A', before.slice(2))).toBeUndefined();
  });
});
