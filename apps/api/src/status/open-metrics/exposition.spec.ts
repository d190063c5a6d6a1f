import { expect, it } from '@jest/globals';
import * as errors from '#api/status/errors.js';
import type { StatusCall } from '#api/status/parameters.js';
import { Work } from '#api/status/work.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { exposition, seriesIn } from './exposition.js';
import { measurementOf } from './measurements.js';
import { OpenMetricsController } from './open-metrics.controller.js';

const GROUPS = 500;
const groups = Array.from({ length: GROUPS }, (_, at) => ({
  name: `SITE-${at}`,
  timeline: [{ time: 0, status: 'OK' }],
  figures: { availability: 100, reliability: -1, up: 1, unknown: 0, down: 0 },
}));
const reader = {
  name: 'R',
  computations: { ar: true, status: true },
  now: Date.parse('2026-11-25T12:00:00Z'),
  days: async function* () {
    yield { day: '2026-11-25', groups };
  },
  plan: async () => ({ operations: { available_states: ['OK', 'CRITICAL'], defaults: {} }, recomputations: [] }),
} as unknown as ReportReader;

it('gives way to other work after each group when its slice is over', async () => {
  let pauses = 0;
  const slice = { isOver: true, next: async () => void pauses++ };
  const measurement = await measurementOf(reader, { availability: 80, reliability: 90 } as never, slice);
  expect(pauses).toBe(2 * GROUPS);
  const series = await seriesIn(measurement, slice);
  expect(pauses).toBe(3 * GROUPS);

  const batches: number[] = [];
  for await (const lines of exposition([measurement])) batches.push(lines.filter((line) => !String(line).startsWith('#')).length);
  expect(batches.reduce((sum, lines) => sum + lines, 0)).toBe(series);
  expect(Math.max(...batches)).toBeLessThan(20);
});

it('is not made for a client that is gone', async () => {
  const reports = {
    byName: async ({ name }: Readonly<{ name: string }>) => ({ id: name }),
    record: async ({ id }: Readonly<{ id: string }>) => Buffer.from(JSON.stringify({ info: { name: id } })),
  };
  let isGone = false;
  const asked: unknown[] = [];
  const results: Results = {
    report: async (tenantId, name, isGoneToo) => {
      isGone = true;
      asked.push([tenantId, name, isGoneToo?.()]);
      return undefined;
    },
  };
  const call = { tenantId: 't', work: new Work(() => isGone) } as StatusCall;
  const scrape = new OpenMetricsController(results, reports as unknown as ReportQueries).measurements(call, ['One', 'Other']);
  await expect(scrape).rejects.toEqual(errors.nobodyWaits());
  expect(asked).toEqual([['t', 'One', true]]);
});
