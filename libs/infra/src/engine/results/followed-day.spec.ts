import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { endpointKey, type Plan, type PlannedEndpoint, type PlannedRecomputation } from '#domain/status/results/plan.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { resultsProjection } from '#projections/status/metric-results/projection.js';
import { computeDay } from '#projections/status/results/compute-day.js';
import { EndpointsPoints } from '#projections/status/results/endpoint-points.js';
import { forAny } from '#test/support/for-any.js';
import { memoryView } from '#test/support/memory-view.js';
import { storedAfter } from '#test/support/projection-spec.js';
import { runs } from '#test/support/test-runs.js';
import { type DayStamps, FollowedDay } from './followed-day.js';

const [BEFORE, DAY, AFTER] = ['2015-05-01', '2015-05-02', '2015-05-03'];
const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];
const table = STATES.flatMap((a, place) => STATES.slice(place).map((b) => ({ a, b, x: b })));

const endpoint = (service: string, host: string): PlannedEndpoint => ({ service, host, metrics: ['load', 'ping'] });
const GROUPS = new Map([
  ['SITE-A', { name: 'SITE-A', endpoints: [endpoint('CE', 'h1'), endpoint('CE', 'h2'), endpoint('SE', 'h1')] }],
  ['SITE-B', { name: 'SITE-B', endpoints: [endpoint('CE', 'h2'), endpoint('SE', 'h3')] }],
]);

const plan = (recomputations: readonly PlannedRecomputation[], downtimes: Plan['downtimes']): Plan => ({
  report: 'r',
  day: DAY,
  operations: {
    name: 'o',
    available_states: STATES,
    defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
    operations: [{ name: 'AND', truth_table: table }],
  },
  aggregation: {
    name: 'a',
    namespace: '',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { name: 'm', id: 'm' },
    groups: [
      {
        name: 'all',
        operation: 'AND',
        services: [
          { name: 'CE', operation: 'AND' },
          { name: 'SE', operation: 'AND' },
        ],
      },
    ],
  },
  thresholds: [{ metric: 'ping', thresholds: 'time=1;0:50;50:90' }],
  groups: GROUPS,
  supergroups: new Map([['NGI', ['SITE-A', 'SITE-B']]]),
  downtimes,
  weights: new Map([['SITE-B', 3]]),
  recomputations,
});

type Recorded = readonly MetricResult[];

const result: fc.Arbitrary<MetricResult> = fc.record(
  {
    host: fc.constantFrom('h1', 'h2', 'h3', 'h4'),
    timestamp: fc
      .tuple(fc.constantFrom(BEFORE, DAY, DAY, DAY, AFTER), fc.constantFrom('00', '05', '11', '12', '23'), fc.constantFrom('00', '30'))
      .map(([day, hour, minute]) => `${day}T${hour}:${minute}:00Z`),
    service: fc.constantFrom('CE', 'SE', 'other'),
    metric: fc.constantFrom('load', 'ping', 'other'),
    status: fc.constantFrom('OK', 'OK', 'WARNING', 'CRITICAL', 'strange'),
    endpoint_group: fc.constantFrom('', '', 'SITE-A', 'SITE-B'),
    summary: fc.constant(''),
    message: fc.constant(''),
    report: fc.constantFrom('r', 'other'),
    monitoring_host: fc.constantFrom('mon', 'mon2'),
    actual_data: fc.constantFrom('time=20', 'time=60', 'x'),
  },
  { requiredKeys: ['host', 'timestamp', 'service', 'metric', 'status', 'endpoint_group', 'summary', 'message'] },
);

/** One step: points, then a read of the results at a second of the day not before the last one. */
const step: fc.Arbitrary<Readonly<{ points: readonly Recorded[]; passed: number }>> = fc.record({
  points: fc.array(fc.array(result, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
  passed: fc.constantFrom(0, 1, 1_800, 20_000),
});

const window = { from: 6 * 3_600, to: 12 * 3_600 };
const recomputation: fc.Arbitrary<PlannedRecomputation> = fc.constantFrom<PlannedRecomputation>(
  { id: '1', window, exclude: ['SITE-A'], exclude_metrics: [], exclude_monitoring_source: [], applied_status_changes: [] },
  { id: '2', window, exclude: [], exclude_metrics: [{ metric: 'load' }], exclude_monitoring_source: [], applied_status_changes: [] },
  {
    id: '3',
    window,
    exclude: [],
    exclude_metrics: [],
    exclude_monitoring_source: [{ host: 'mon', start_time: `${BEFORE}T12:00:00Z`, end_time: `${DAY}T11:00:00Z` }],
    applied_status_changes: [{ service: 'CE', state: 'CRITICAL' }],
  },
);
const downtimes = fc.constantFrom<Plan['downtimes']>(new Map(), new Map([[endpointKey('CE', 'h2'), [{ from: 40_000, to: 50_000 }]]]));

const slice = new TimeSlice();

/** The points so far, and the stamps of their days. */
const pointsOf = async (events: readonly Recorded[]): Promise<Readonly<{ queries: PointQueries; stamps: DayStamps }>> => {
  const given = events.map((results) => ({ type: 'MetricResultsRecorded', data: { tenantId: 't', results } }));
  const view = memoryView(storedAfter(resultsProjection, given));
  const queries = new PointQueries({ view: () => view });
  const found = await queries.stamps('t', BEFORE, DAY, slice);
  return { queries, stamps: { today: found.get(DAY) ?? '', before: found.get(BEFORE) ?? '' } };
};

/** One object that reads the documents of each step. */
class Moving {
  current: PointQueries | undefined;
  readonly ofTwoDays: PointQueries['ofTwoDays'] = (...asked) => this.now.ofTwoDays(...asked);
  readonly ofEndpoint: PointQueries['ofEndpoint'] = (...asked) => this.now.ofEndpoint(...asked);
  readonly look: PointQueries['look'] = (...asked) => this.now.look(...asked);
  readonly touchedAfter: PointQueries['touchedAfter'] = (...asked) => this.now.touchedAfter(...asked);
  readonly addAfter: PointQueries['addAfter'] = (...asked) => this.now.addAfter(...asked);

  private get now(): PointQueries {
    if (!this.current) throw new Error('there are no documents');
    return this.current;
  }
}

const over = (points: Pick<PointQueries, 'ofTwoDays' | 'ofEndpoint' | 'look' | 'touchedAfter' | 'addAfter'>) => ({
  points,
  endpointsPoints: new EndpointsPoints(points as PointQueries),
});

describe('Results kept up to date', () => {
  it('are those computed from scratch, whatever comes in whatever order', () =>
    forAny(
      runs(60),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.uniqueArray(recomputation, { selector: ({ id }) => id, maxLength: 2 }),
      downtimes,
      async (steps, recomputations, downtimesOfDay) => {
        const parts = { tenantId: 't', plan: plan(recomputations, downtimesOfDay) };
        const moving = new Moving();
        const events: Recorded[] = [];
        let kept: FollowedDay | undefined;
        let now = 1;
        for (const { points, passed } of steps) {
          events.push(...points);
          now = Math.min(DAY_SECONDS, now + passed);
          const { queries, stamps } = await pointsOf(events);
          moving.current = queries;
          if (kept) await kept.advance(stamps, now, slice);
          else kept = await FollowedDay.compute({ ...parts, ...over(moving) }, stamps, now, slice);
          const anew = await computeDay(parts.plan, 't', over(queries).endpointsPoints, now, slice);
          expect(await kept.at(now, slice)).toEqual(anew.day);
          expect(kept.until).toBe(anew.nextChangeAt);
          const later = Math.min(now + 100, (kept.until ?? DAY_SECONDS + 1) - 1, DAY_SECONDS);
          const thenAnew = await computeDay(parts.plan, 't', over(queries).endpointsPoints, later, slice);
          expect(await kept.at(later, slice)).toEqual(thenAnew.day);
        }
      },
    ));

  it('name the groups that are touched by a point, and no others', async () => {
    const point = { timestamp: `${DAY}T12:00:00Z`, metric: 'ping', status: 'CRITICAL', endpoint_group: '', summary: '', message: '' };
    const moving = new Moving();
    const events: Recorded[] = [];
    const see = async (...more: readonly Recorded[]): Promise<DayStamps> => {
      events.push(...more);
      const { queries, stamps } = await pointsOf(events);
      moving.current = queries;
      return stamps;
    };
    const day = await FollowedDay.compute({ ...over(moving), tenantId: 't', plan: plan([], new Map()) }, await see(), DAY_SECONDS, slice);
    const advance = async (...more: readonly Recorded[]) => [...(await day.advance(await see(...more), DAY_SECONDS, slice))];
    expect(await advance()).toEqual([]);
    expect(await advance([{ ...point, host: 'h3', service: 'SE' }])).toEqual(['SITE-B']);
    expect(await advance([{ ...point, host: 'h2', service: 'CE' }])).toEqual(['SITE-A', 'SITE-B']);
    expect(await advance([{ ...point, host: 'h1', service: 'CE', timestamp: `${BEFORE}T12:00:00Z` }])).toEqual(['SITE-A']);
    expect(await advance([{ ...point, host: 'h1', service: 'CE', timestamp: `${AFTER}T12:00:00Z` }])).toEqual([]);
    expect(await advance([{ ...point, host: 'h9', service: 'CE' }])).toEqual([]);
  });
});
