import { expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { recomputationsProjection } from '#projections/status/recomputations/projection.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { memoryView } from '#test/support/memory-view.js';
import { textsAfter } from '#test/support/projection-spec.js';
import { type ConfigurationSources, Configurations } from './configuration.js';
import { Memo } from './memory.js';
import type { ReportSettings } from './report-settings.js';

const event = (type: string, data: object) => ({
  stream: 'status.recomputation-x',
  type,
  data: { tenantId: 't', id: 'x', ...data },
  metadata: { time: '2024-04-01T00:00:00Z' },
});
const request = {
  requester_name: 'ann',
  requester_email: 'ann@example.org',
  reason: 'r',
  start_time: '2024-02-28T12:00:00Z',
  end_time: '2024-03-01T11:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
  exclude_metrics: [],
  exclude_monitoring_source: [],
  applied_status_changes: [],
};
const view = memoryView(
  textsAfter(recomputationsProjection, [
    event('RecomputationRequested', request),
    event('RecomputationStatusChanged', { status: 'approved', change: 'set' }),
  ]),
);
const recomputations = new RecomputationQueries({ view: () => view } as Partial<ReadStore> as ReadStore);
const configurations = new Configurations({ recomputations } as ConfigurationSources, new Memo(new Map()));

it.each([
  ['2024-02-27', '2024-02-27', []],
  ['2024-02-27', '2024-02-28', ['x']],
  ['2024-02-29', '2024-02-29', ['x']],
  ['2024-03-01', '2024-03-01', ['x']],
  ['2024-03-01', '2024-03-02', ['x']],
  ['2024-03-02', '2024-03-02', []],
])('a recomputation is in force on each day that it overlaps: from %s to %s', async (from, to, expected) => {
  const settings = { tenantId: 't', name: 'Critical' } as ReportSettings;
  const found = await configurations.inForce(settings, { from, to }, new TimeSlice());
  expect(found.map(({ document }) => document.id)).toEqual(expected);
});
