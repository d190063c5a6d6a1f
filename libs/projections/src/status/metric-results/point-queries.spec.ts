import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { EndpointPoints } from '#domain/status/results/plan.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { storedAfter } from '#test/support/projection-spec.js';
import { BucketLengths } from './bucket-lengths.js';
import { PointQueries } from './point-queries.js';
import { resultsProjection } from './projection.js';

const slice = new TimeSlice();
const result = (time: string, changes: Partial<MetricResult> = {}): MetricResult => ({
  host: 'h',
  timestamp: `2015-05-01T${time}Z`,
  endpoint_group: '',
  service: 'CE',
  metric: 'ping',
  status: 'OK',
  summary: '',
  message: '',
  ...changes,
});
type Recorded = Readonly<{ host?: string; results: readonly MetricResult[] }>;
const viewOf = (...events: readonly Recorded[]): ReadView => {
  const given = events.map(({ host, results }) => ({
    type: 'MetricResultsRecorded',
    data: { tenantId: 't', results: results.map((one) => (host === undefined ? one : { ...one, host })) },
  }));
  return memoryView(storedAfter(resultsProjection, given));
};
const queriesOf = (wanted: 'all' | 'without-data', ...events: readonly Recorded[]): PointQueries => {
  const view = viewOf(...events);
  return new PointQueries({ view: () => view }, wanted);
};
/** Notes the buckets whose documents are read. */
class CountedView {
  readonly buckets = new Set<string>();
  readonly view: ReadView;

  constructor(view: ReadView) {
    const getMany: ReadView['getMany'] = (collection, keys) => {
      for (const key of keys) this.buckets.add(key.slice(0, key.lastIndexOf('/')));
      return view.getMany(collection, keys);
    };
    this.view = { ...view, getMany };
  }
}
const queries = (...events: readonly Recorded[]): PointQueries => queriesOf('all', ...events);
const short = (points: EndpointPoints) =>
  Object.fromEntries(
    Array.from(points, ([metric, all]) => [
      metric,
      all.map(({ at, status, position, index }) => `${at} ${status} ${position + index / 1_000}`),
    ]),
  );
const collected = async <T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
};

describe('the points of an endpoint', () => {
  it('are returned by metric in order of time, in any order of arrival', async () => {
    const points = queries(
      { results: [result('12:00:00'), result('00:00:10', { metric: 'load' })] },
      { results: [result('00:00:01', { status: 'CRITICAL' }), result('23:59:59')] },
    );
    expect(short(await points.ofEndpoint('t', '2015-05-01', 'h', 'CE', slice))).toEqual({
      ping: ['1 CRITICAL 20', '43200 OK 10', '86399 OK 20.001'],
      load: ['10 OK 10.001'],
    });
    expect(await points.ofEndpoint('t', '2015-05-01', 'h', 'other', slice)).toEqual(new Map());
  });

  it('contain only the given members', async () => {
    const full = result('00:00:01', { report: 'r', endpoint_group: 'g', monitoring_host: 'm', actual_data: 'a=1' });
    const points = await queries({ results: [full, result('00:00:02')] }).ofEndpoint('t', '2015-05-01', 'h', 'CE', slice);
    expect(points.get('ping')).toEqual([
      { at: 1, status: 'OK', position: 10, index: 0, origin: { report: 'r', group: 'g', monitoringHost: 'm' }, actualData: 'a=1' },
      { at: 2, status: 'OK', position: 10, index: 1, origin: {} },
    ]);
  });

  it('of one second are the last of each report, group and monitoring host', async () => {
    const at = (status: string, changes: Partial<MetricResult> = {}) => result('00:00:05', { status, ...changes });
    const points = queries(
      { results: [at('A'), at('B', { report: 'r' }), at('C', { endpoint_group: 'g' }), at('D', { monitoring_host: 'm' })] },
      { results: [at('E'), result('00:00:06'), at('F', { report: 'r' }), result('00:00:04')] },
    );
    expect(short(await points.ofEndpoint('t', '2015-05-01', 'h', 'CE', slice))).toEqual({
      ping: ['4 OK 20.003', '5 C 10.002', '5 D 10.003', '5 E 20', '5 F 20.002', '6 OK 20.001'],
    });
  });

  it('that arrived many times for one second do not accumulate', async () => {
    const burst = Array.from({ length: 400 }, () => ({
      results: Array.from({ length: 60 }, (_, n) => result('00:00:05', { status: `S${n}` })),
    }));
    const points = await queries(...burst).ofEndpoint('t', '2015-05-01', 'h', 'CE', slice);
    expect(short(points)).toEqual({ ping: ['5 S59 4000.059'] });
  });
});

describe('the points of an endpoint with more actual data than can be computed', () => {
  const half = 'x'.repeat(STATUS_LIMITS.pointsSize.value / 2);
  const both = (wanted: 'all' | 'without-data') =>
    queriesOf(
      wanted,
      { results: [result('00:00:01', { actual_data: half })] },
      { results: [result('00:00:02', { actual_data: `${half}y` })] },
    );

  it('are rejected', () =>
    expect(both('all').ofEndpoint('t', '2015-05-01', 'h', 'CE', slice)).rejects.toMatchObject({ code: 'OVER_LIMIT' }));

  it('are returned without actual data', async () => {
    const points = await both('without-data').ofEndpoint('t', '2015-05-01', 'h', 'CE', slice);
    expect(short(points)).toEqual({ ping: ['1 OK 10', '2 OK 20'] });
    expect(points.get('ping')?.some(({ actualData }) => actualData !== undefined)).toBe(false);
  });
});

describe('the points of a day', () => {
  const long = 'x'.repeat(2_000);
  const many = queries(
    ...Array.from({ length: 1_200 }, (_, n) => ({
      host: n % 2 === 0 ? 'a' : 'a/b',
      results: [result('00:00:01', { service: n % 3 === 0 ? 'CE' : 'a/b', actual_data: long, metric: `m${n}` })],
    })),
  );

  it('contain each endpoint once, with all of its points', async () => {
    const found = await collected(many.ofDay('t', '2015-05-01', slice));
    expect(found.map(({ host, service, points }) => [host, service, points.size]).sort()).toEqual([
      ['a', 'CE', 200],
      ['a', 'a/b', 400],
      ['a/b', 'CE', 200],
      ['a/b', 'a/b', 400],
    ]);
    expect(await collected(many.ofDay('t', '2015-05-02', slice))).toEqual([]);
  });

  it('are returned in several pages if they have very long texts', async () => {
    const services = ['a', 'b', 'c'];
    const actual_data = 'x'.repeat(0.7 * STATUS_LIMITS.pointsSize.value);
    const long = queries(...services.map((service) => ({ results: [result('00:00:01', { service, actual_data })] })), {
      results: [result('00:00:02')],
    });
    const pages: string[][] = [];
    for await (const page of long.ofDay('t', '2015-05-01', slice)) pages.push(page.map(({ service }) => service));
    expect(pages).toEqual([['a', 'b', 'CE'], ['c']]);
    const both = await collected(long.ofTwoDays('t', '2015-05-02', new Set(['h']), slice));
    expect(both.map(({ service, today, before }) => [service, today.size, before.size])).toEqual([
      ['a', 0, 1],
      ['b', 0, 1],
      ['CE', 0, 1],
      ['c', 0, 1],
    ]);
  });

  const days = queries(
    { results: [result('10:00:00', { timestamp: '2015-05-03T00:00:00Z' }), result('10:00:00')] },
    { host: 'h2', results: [result('10:00:00'), result('10:00:00', { service: 'SE' })] },
    { host: 'h', results: [result('10:00:00')] },
  );
  const stamp = (position: number, index = 0): string => `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;

  it('change the stamp of the day', async () => {
    const [first, third] = [['2015-05-01', stamp(30)] as const, ['2015-05-03', stamp(10)] as const];
    expect(await collected(days.days('t', { from: '' }, slice))).toEqual([first, third]);
    expect(await collected(days.days('t', { from: '2015-05-02' }, slice))).toEqual([third]);
    expect(await collected(days.days('t', { from: '2015-05-01', to: '2015-05-02' }, slice))).toEqual([first]);
    expect(await days.stamps('t', '2015-04-01', '2015-05-31', slice)).toEqual(new Map([first, third]));
    expect([...(await days.stamps('t', '2015-05-01', '2015-05-01', slice)).keys()]).toEqual(['2015-05-01']);
    expect(await days.stamps('other', '2015-04-01', '2015-05-31', slice)).toEqual(new Map());
  });

  it('after the view are not the last one', async () => {
    const events: Recorded[] = [
      { results: [result('10:00:00')] },
      { host: 'h2', results: [result('10:00:00')] },
      { results: [result('10:00:00', { timestamp: '2015-05-03T00:00:00Z' })] },
      { results: [result('10:00:00', { message: 'x'.repeat(200_000) })] }, // closes a part
    ];
    const lastAsOf = async (asOf?: bigint) => {
      const points = new PointQueries({ view: () => ({ ...viewOf(...events), ...(asOf !== undefined && { asOf }) }) });
      const stamps = await points.stamps('t', '2015-05-01', '2015-05-01', slice);
      return points.lastOf('t', '2015-05-01', stamps.get('2015-05-01') ?? '', slice);
    };
    expect([await lastAsOf(), await lastAsOf(40n), await lastAsOf(35n), await lastAsOf(20n), await lastAsOf(15n)]).toEqual([
      40, 40, 20, 20, 10,
    ]);
  });

  it('list the endpoints with points after a stamp', async () => {
    const names = async (after: string) =>
      (await days.touchedAfter('t', '2015-05-01', after, slice)).map(({ host, service }) => `${host} ${service}`).sort();
    expect(await names('')).toEqual(['h CE', 'h2 CE', 'h2 SE']);
    expect(await names(stamp(20))).toEqual(['h CE', 'h2 SE']);
    expect(await names(stamp(20, 1))).toEqual(['h CE']);
    expect(await names(stamp(30))).toEqual([]);
  });

  it('are read again only in buckets that have changed', async () => {
    const hosts = Array.from({ length: 30 }, (_, n) => `host-${n}`);
    const call = (...of: readonly string[]) => ({ results: of.map((host) => result('10:00:00', { host })) });
    const long = { results: [result('10:00:00', { host: 'host-3', message: 'x'.repeat(100_000) })] };
    const known = new BucketLengths();
    const touched = async (after: number, ...events: readonly Recorded[]) => {
      const counted = new CountedView(viewOf(...events));
      const points = new PointQueries({ view: () => counted.view });
      const found = await points.touchedAfter('t', '2015-05-01', stamp(after, 999), slice, known);
      return { hosts: found.map(({ host }) => host).sort(), buckets: counted.buckets.size };
    };
    const events: Recorded[] = [call(...hosts)];
    const looked = new CountedView(viewOf(...events));
    await new PointQueries({ view: () => looked.view }).look('t', '2015-05-01', known, slice);
    expect(looked.buckets.size).toBe(0);
    expect(await touched(0, ...events)).toEqual({ hosts: [], buckets: 0 });
    events.push(call('host-3', 'new'));
    expect(await touched(10, ...events)).toEqual({ hosts: ['host-3', 'new'], buckets: 2 });
    expect(await touched(20, ...events)).toEqual({ hosts: [], buckets: 0 });
    events.push(long, long); // parts are closed
    expect(await touched(20, ...events)).toEqual({ hosts: ['host-3'], buckets: 1 });
    expect(await touched(40, ...events)).toEqual({ hosts: [], buckets: 0 });
  });

  it('are those of two days of some hosts, also if these days have another number of buckets', async () => {
    const busy = Array.from({ length: 45 }, (_, call) => ({
      results: Array.from({ length: 900 }, (_one, n) => result('00:00:01', { host: `host-${n}`, metric: `m${call}` })),
    }));
    const next = { timestamp: '2015-05-02T00:00:00Z' };
    const two = queriesOf('all', { results: [result('', { host: 'host-7', timestamp: '2015-04-30T00:00:00Z' })] }, ...busy, {
      results: [result('', { ...next, host: 'host-7' }), result('', { ...next, host: 'new' }), result('', { ...next, host: 'other' })],
    });
    const found = await collected(two.ofTwoDays('t', '2015-05-02', new Set(['host-7', 'host-8', 'new']), slice));
    const counts = found.map(({ host, today, before }) => [host, today.size, before.size]).sort();
    expect(counts).toEqual([
      ['host-7', 1, 45],
      ['host-8', 0, 45],
      ['new', 1, 0],
    ]);
  });
});
