import { describe, expect, it } from '@jest/globals';
import { Work } from '#api/status/work.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { DAY_SECONDS, type Timeline } from '#domain/status/results/timeline.js';
import { endpointTrends, FLAPPING, type Measure, metricTrends, STATUSES } from './trend-rows.js';
import { trendLists } from './trends.js';

const figures = { availability: 100, reliability: 100, unknown: 0, uptime: 1, downtime: 0 };
const OK: Timeline = [{ at: 0, status: 'OK' }];

type Events = Readonly<Record<string, number>>;
/** Endpoints of the service `web` of SITE-A, each with its timeline and the events and changes of its metric `http`. */
type GivenEndpoints = Readonly<Record<string, Readonly<{ timeline?: Timeline; events?: Events; flapping?: number }>>>;

const dayOf = (day: string, endpoints: GivenEndpoints, seconds = DAY_SECONDS): ResultsDay<GroupDay> => {
  const row = { timeline: OK, flagged: false, figures };
  const of = Object.entries(endpoints).map(([host, { timeline = OK, events = {}, flapping = 0 }]) => ({
    ...row,
    host,
    timeline,
    metrics: [{ metric: 'http', flapping, events }],
  }));
  return { day, seconds, groups: [{ ...row, name: 'SITE-A', services: [{ ...row, service: 'web', endpoints: of }] }], supergroups: [] };
};

async function* all<Day>(days: readonly Day[]): AsyncGenerator<Day> {
  yield* days;
}

/** Lists as `date status tag: host sum, …`. */
const listsOf = async (rowsOf: typeof metricTrends, measure: Measure, days: readonly ResultsDay<GroupDay>[], options = {}) => {
  const lists = await trendLists(all(days), (day) => rowsOf(day, measure), { monthly: false, top: undefined, ...options }, new Work());
  return lists.map(({ date, status, tag, items }) => {
    const sums = items.map(({ names, sum }) => `${names[2]} ${sum}`).join(', ');
    return `${[date, status, tag].filter((text) => text !== undefined).join(' ')}: ${sums}`;
  });
};

describe('trends', () => {
  it('count minutes that are whole on their day, of the seconds that have passed', async () => {
    const ninety = (status: string): Timeline => [
      { at: 0, status: 'OK' },
      { at: 100, status },
      { at: 160, status: 'OK' },
      { at: 1_000, status },
      { at: 1_030, status: 'MISSING' },
    ];
    const short: Timeline = [
      { at: 0, status: 'OK' },
      { at: 10, status: 'WARNING' },
    ];
    const days = [
      dayOf('2015-05-01', { h1: { timeline: ninety('CRITICAL') } }),
      dayOf('2015-05-02', { h1: { timeline: ninety('CRITICAL') }, h2: { timeline: short } }, 70),
      dayOf('2015-05-03', { h1: { timeline: ninety('CRITICAL') }, h2: { timeline: short } }, 69),
    ];
    expect(await listsOf(endpointTrends, STATUSES, days)).toEqual(['CRITICAL: h1 1', 'WARNING: h2 1']);
    expect(await listsOf(endpointTrends, STATUSES, [days[0], { ...days[0], day: '2015-05-09' }] as never)).toEqual(['CRITICAL: h1 2']);
    expect(await listsOf(endpointTrends, FLAPPING, days)).toEqual([': h1 12, h2 2']);
  });

  it('come by sum, then by name', async () => {
    const days = [
      dayOf('2015-05-01', { h3: { flapping: 1 }, h2: { flapping: 2 }, h10: { flapping: 1 }, quiet: {} }),
      dayOf('2015-05-31', { h1: { flapping: 1 }, h3: { flapping: 1 } }),
      dayOf('2015-06-01', { h10: { flapping: 5 } }),
    ];
    expect(await listsOf(metricTrends, FLAPPING, days)).toEqual([': h10 6, h2 2, h3 2, h1 1']);
    const monthly = ['2015-05: h2 2, h3 2, h1 1, h10 1', '2015-06: h10 5'];
    expect(await listsOf(metricTrends, FLAPPING, days, { monthly: true })).toEqual(monthly);
    expect(await listsOf(metricTrends, FLAPPING, days, { top: 2 })).toEqual([': h10 6, h2 2']);
  });

  it('tell statuses apart, and tags, each once', async () => {
    const events = { WARNING: 1, CRITICAL: 2, OK: 9, DOWNTIME: 4, UNKNOWN: 0 };
    const metrics = [
      { name: 'http', tags: ['b', 'a', 'b'] },
      { name: 'http', tags: ['a', 'c'] },
      { name: 'other', tags: ['z'] },
    ];
    const days = [dayOf('2015-05-01', { h1: { events } }), dayOf('2015-06-01', { h2: { events: { CRITICAL: 1 } } })];
    expect(await listsOf(metricTrends, STATUSES, days)).toEqual(['CRITICAL: h1 2, h2 1', 'WARNING: h1 1']);
    expect(await listsOf(metricTrends, STATUSES, days, { metrics, top: 1, monthly: true })).toEqual([
      '2015-05 CRITICAL a: h1 2',
      '2015-05 CRITICAL b: h1 2',
      '2015-05 CRITICAL c: h1 2',
      '2015-05 WARNING a: h1 1',
      '2015-05 WARNING b: h1 1',
      '2015-05 WARNING c: h1 1',
      '2015-06 CRITICAL a: h2 1',
      '2015-06 CRITICAL b: h2 1',
      '2015-06 CRITICAL c: h2 1',
    ]);
    expect(await listsOf(metricTrends, STATUSES, days, { metrics: [] })).toEqual([]);
  });
});
