import { describe, expect, it } from '@jest/globals';
import type { MetricPoint } from '#domain/status/results/plan.js';
import { DAY, planOf, web } from '#test/support/results/plans.js';
import { Explainer } from './explainer.js';

const METRICS = ['a', 'b', 'c'];
const PER_METRIC = 2_000;

/** An endpoint with many points, two of each second, and what was done for an explanation of it. */
const explaining = () => {
  const done = { looks: 0, turns: 0 };
  const point = (index: number): MetricPoint => ({
    ...{ at: Math.floor(index / 2), status: index % 3 === 0 ? 'CRITICAL' : 'OK', position: index, index: 0 },
    get origin() {
      done.looks++;
      return {};
    },
  });
  const ofMetrics = (count: number) =>
    new Map(METRICS.map((metric) => [metric, Array.from({ length: count }, (_, index) => point(index))]));
  const points = { today: ofMetrics(PER_METRIC), before: ofMetrics(2) };
  const plan = planOf({}, web(['h1'], METRICS));
  const parts = {
    reports: { byName: async () => ({ id: 'r', types: ['NGI', 'SITES'], filter_tags: [], profiles: [] }) },
    results: {
      report: async () => ({
        now: Date.parse('2030-01-01T00:00:00Z'),
        details: async function* () {
          yield { groups: [{ name: 'site', services: [] }], seconds: 86_400 };
        },
      }),
    },
    configurations: { during: async () => new Map([[DAY, {}]]), changed: () => {} },
    plans: { plan: async () => plan },
    endpointsPoints: {
      inOrder: async function* () {
        yield [{ points }];
      },
    },
  } as unknown as ConstructorParameters<typeof Explainer>[0];
  const slice = { isOver: true, next: async () => void done.turns++ };
  const page = async (row: number, limit: number) => {
    Object.assign(done, { looks: 0, turns: 0 });
    const question = { tenantId: 't', report: 'report-1', group: 'site', day: DAY };
    const found = await new Explainer(parts, slice).explain(question, { endpoint: 0, row }, limit);
    const metrics = found?.endpoints.flatMap((one) => one.metrics) ?? [];
    const rows = metrics.flatMap(({ metric, points: shown }) =>
      shown.map(({ point: { at, position }, use, day, listed }) => [metric, at, position, use, day, listed?.status]),
    );
    return { rows, metrics: metrics.map(({ metric }) => metric), next: found?.next, done: { ...done } };
  };
  return { page };
};

describe('explanations in pages', () => {
  it('have the rows of the whole, wherever they begin', async () => {
    const { page } = explaining();
    const whole = await page(0, 10_000);
    expect([whole.rows.length, whole.next, whole.metrics]).toEqual([METRICS.length * (PER_METRIC + 1), null, METRICS]);
    expect(whole.rows.slice(0, 3)).toEqual([
      ['a', 0, 1, 'counts', 'before', undefined],
      ['a', 0, 0, 'superseded', 'same', undefined],
      ['a', 0, 1, 'counts', 'same', 'OK'],
    ]);
    for (const row of [0, 1, 2, PER_METRIC - 1, PER_METRIC, PER_METRIC + 1, PER_METRIC + 2, whole.rows.length - 2]) {
      for (const limit of [1, 2, 3, PER_METRIC + 2]) {
        const { rows, metrics, next } = await page(row, limit);
        expect(rows).toEqual(whole.rows.slice(row, row + limit));
        expect(metrics).toEqual([...new Set(rows.map(([metric]) => metric))]);
        expect(next).toEqual(row + limit < whole.rows.length ? { endpoint: 0, row: row + limit } : null);
      }
    }
  });

  it('build the rows that they show, in turns of a metric each', async () => {
    const { page } = explaining();
    const { rows, done } = await page(PER_METRIC + 10, 10);
    expect(rows).toHaveLength(10);
    expect(done.turns).toBe(METRICS.length);
    // Each point once for the results and, of each metric, the last ones of the day before; then those of the page.
    expect(done.looks).toBeLessThanOrEqual(METRICS.length * (PER_METRIC + 2) + 11);
  });
});
