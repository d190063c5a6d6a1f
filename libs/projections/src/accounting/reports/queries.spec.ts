import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimal, decimalText, sum } from '#domain/accounting/decimal.js';
import type { Metric, MetricEvent } from '#domain/accounting/metrics/metric-events.js';
import { objectId } from '#domain/accounting/object-id.js';
import type { CapacityDocument } from '#projections/accounting/capacities/codec.js';
import { EVERYBODY, groupMember, membersOf, userMember } from '#projections/accounting/metrics/documents.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import { metricsProjection } from '#projections/accounting/usage-projection.js';
import { forAny } from '#test/support/for-any.js';
import { memoryView } from '#test/support/memory-view.js';
import { type GivenEvent, textsAfter } from '#test/support/projection-spec.js';
import { runs } from '#test/support/test-runs.js';
import { ReportQueries } from './queries.js';
import { cutPeriods } from './report-periods.js';

const place = { projectId: 'p', providerId: 'v', installationId: 'x' };
const copies = { projectAcronym: 'P', installation: 'vm', infrastructure: 'i', resource: null, creatorId: 'me' };
const installed: GivenEvent = {
  type: 'InstallationCreated',
  data: {
    projectId: 'p',
    generation: 1,
    installationId: 'x',
    externalId: 'e',
    creatorId: 'me',
    organisation: 'v',
    infrastructure: 'i',
    installation: 'vm',
    resource: null,
    unitOfAccess: null,
  },
};

const [HOUR, START] = [3_600_000, Date.parse('2031-01-15T00:00:00.000Z')];
/** Frequently equal, frequently midnight or the beginning of a month, sometimes a millisecond off. */
const instants = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 0, max: 24 * 100 }),
      fc.integer({ min: 0, max: 100 }).map((day) => day * 24),
    ),
    fc.constantFrom(0, 0, 0, -1, 1),
  )
  .map(([hours, beside]) => new Date(START + hours * HOUR + beside).toISOString());
const spans = fc.uniqueArray(instants, { minLength: 2, maxLength: 2 }).map((both) => both.sort());
const metrics = fc
  .record({
    span: spans,
    value: fc.constantFrom('1', '-2.5', '0.1', '1e-3', '100'),
    definitionId: fc.constantFrom('d', 'dd'),
    groupId: fc.constantFrom(null, 'g', ''),
    userId: fc.constant(null),
    userKey: fc.constantFrom(undefined, 'u'),
  })
  .map(
    ({ span: [periodStart = '', periodEnd = ''], ...rest }): Omit<Metric, 'metricId'> => ({ ...place, periodStart, periodEnd, ...rest }),
  );

/** Events of random metrics: each is recorded, then some are revised to equal another, and some are removed. */
const eventsOf = (given: readonly Omit<Metric, 'metricId'>[], fates: readonly number[]) => {
  const kept: Metric[] = [];
  const events = given.flatMap((one, index): MetricEvent[] => {
    const metric: Metric = { metricId: objectId(START, `${index}`.padStart(16, '0')), ...one };
    const recorded: MetricEvent = { type: 'MetricRecorded', data: { ...metric, ...copies } };
    const fate = fates[index % fates.length] ?? 0;
    if (fate === 0) return [recorded, { type: 'MetricRemoved', data: metric }];
    const after = { ...metric, ...given[(index + fate) % given.length], metricId: metric.metricId };
    kept.push(fate === 1 ? after : metric);
    return fate === 1 ? [recorded, { type: 'MetricRevised', data: { ...after, before: metric } }] : [recorded];
  });
  return { events, kept };
};

describe('the sums of a report', () => {
  it('equal the sums over all single metrics', () =>
    forAny(
      runs(150),
      fc.array(metrics, { minLength: 1, maxLength: 25 }),
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }),
      fc.uniqueArray(instants, { maxLength: 5 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 2 }),
      async (given, fates, registered, days) => {
        const { events, kept } = eventsOf(given, fates);
        const [from = '', to = ''] = days.sort((a, b) => a - b).map((day) => new Date(START + day * 24 * HOUR).toISOString());
        const capacities = registered.map(
          (registered_on): CapacityDocument => ({
            id: 'c',
            installation_id: 'x',
            metric_definition_id: 'd',
            value: '1',
            registered_on,
          }),
        );
        const periods = cutPeriods(from, to, capacities);
        const members = [EVERYBODY, groupMember('g'), userMember('u')];
        const view = memoryView(textsAfter(metricsProjection, [installed, ...events]));
        const [{ d: ofDefinition } = {}] = await new MetricQueries({ view: () => view }).seriesOfEach([place]);
        const series = ofDefinition?.series ?? '';
        const queries = members.map((member) => ({ ...place, definitionId: 'd', series, member, spans: periods }));
        const reports = new ReportQueries({ view: () => view });
        const naive = members.map((member) =>
          periods.map((period) =>
            kept
              .filter(({ definitionId }) => definitionId === 'd')
              .filter((metric) => member === EVERYBODY || membersOf(metric).includes(member))
              .filter(({ periodStart }) => period.from <= periodStart && periodStart <= period.to)
              .filter(({ periodEnd }) => period.from <= periodEnd && periodEnd <= period.to),
          ),
        );
        const expected = naive.map((lists) => lists.map((list) => decimalText(sum(list.map(({ value }) => decimal(value))))));
        expect(
          (await reports.totals(queries, { isOver: false, next: async () => undefined })).map((totals) => totals.map(decimalText)),
        ).toEqual(expected);
      },
    ));
});
