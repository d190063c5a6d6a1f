import { describe, expect, it, jest } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { PlannedGroup } from '#domain/status/results/plan.js';
import { resultsProjection } from '#projections/status/metric-results/projection.js';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { memoryView } from '#test/support/memory-view.js';
import { storedAfter } from '#test/support/projection-spec.js';
import { ExpectedItems } from './expected-items.js';
import { MetricDataQueries } from './queries.js';

const [tenantId, day] = ['t', '2015-05-01'];
const slice = new TimeSlice();
const PLANNED = { service: 'web', host: 'h', metrics: Array.from({ length: 50 }, (_, n) => `m${n}`).sort(), info: { ID: 'one' } };

/** A report that expects one endpoint in very many groups. `looks`: number of times that a group was looked up. */
const inGroups = (count: number) => {
  const seen = { looks: 0 };
  const groups = new Map<string, PlannedGroup>();
  for (let n = 0; n < count; n++) {
    const name = `g${String(n).padStart(6, '0')}`;
    const group = {
      get name() {
        seen.looks++;
        return name;
      },
      endpoints: [PLANNED],
    };
    groups.set(name, group);
  }
  return { names: [...groups.keys()], expected: new ExpectedItems(groups), seen };
};

const result = (metric: string, second: number, changes: Partial<MetricResult> = {}): MetricResult => ({
  ...{ host: 'h', timestamp: `${day}T00:00:${second}Z`, endpoint_group: '', service: 'web', metric, status: 'CRITICAL' },
  ...{ summary: '', message: '', ...changes },
});

const queriesAfter = (...events: readonly (readonly MetricResult[])[]): MetricDataQueries => {
  const given = events.map((results) => ({ type: 'MetricResultsRecorded', data: { tenantId, results } }));
  const view = memoryView(storedAfter(resultsProjection, given));
  return new MetricDataQueries({ view: () => view });
};

/** One point of each metric. */
const oneOfEach = (changes: Partial<MetricResult>): MetricDataQueries =>
  queriesAfter(PLANNED.metrics.map((metric) => result(metric, 10 + Number(metric.slice(1)), changes)));

const collected = async (pages: AsyncIterable<readonly Buffer[]>): Promise<readonly Record<string, unknown>[]> => {
  const all: Record<string, unknown>[] = [];
  for await (const page of pages) all.push(...page.map((bytes) => JSON.parse(bytes.toString())));
  return all;
};

describe('expected metrics of an endpoint in very many groups', () => {
  it('are found without a search through the groups', () => {
    const { names, expected, seen } = inGroups(1_000);
    const infos = names.map((group) => expected.infoOf(PLANNED, group));
    expect(infos).toEqual(names.map(() => PLANNED.info));
    const item = { ...PLANNED, metric: 'm0' };
    expect(names.every((group) => expected.counts(item, group) && [...expected.groupsOf(item, group)].join() === group)).toBe(true);
    expect(seen.looks).toBe(0);
  });

  it('do not exist for other endpoints', () => {
    const { expected } = inGroups(3);
    for (const [host, group] of [
      ['h', 'g'],
      ['g', 'g000000'],
      ['i', 'g000000'],
    ] as const) {
      expect(expected.infoOf({ service: 'web', host }, group)).toBeUndefined();
      expect(expected.counts({ service: 'web', host, metric: 'm0' }, group)).toBe(false);
    }
    expect([...expected.groupsOf({ ...PLANNED, metric: 'other' }, '')]).toEqual([]);
    expect([...expected.groupsOf({ ...PLANNED, metric: 'm0' }, '')]).toEqual(['g000000', 'g000001', 'g000002']);
  });

  it('are found among many endpoints of a group', () => {
    const hosts = Array.from({ length: 100 }, (_, n) => `h${String(n).padStart(3, '0')}`);
    const endpoints = ['\u{ffff}', '\u{10000}'].flatMap((service) =>
      hosts.map((host) => ({ ...PLANNED, service, host, info: { ID: host } })),
    );
    const expected = new ExpectedItems(new Map([['g', { name: 'g', endpoints }]]));
    expect(endpoints.map(({ service, host }) => expected.infoOf({ service, host }, 'g')?.ID)).toEqual([...hosts, ...hosts]);
  });
});

describe.each([{}, { report: 'r' }])('points without a group (%j), of an endpoint in very many groups', (named) => {
  const GROUPS = 2_500;
  const query = (expected: ExpectedItems, group?: string) => ({
    ...{ tenantId, day, report: 'r', group, wanted: undefined, limit: Number.POSITIVE_INFINITY, expecting: async () => expected },
  });

  it('are generated in pages, so that reading few of them is cheap', async () => {
    const { names, expected, seen } = inGroups(GROUPS);
    for await (const page of oneOfEach(named).latestPoints(query(expected), slice)) {
      expect(page.map(({ point }) => [point.endpoint_group, point.metric])).toEqual(names.slice(0, 1_000).map((name) => [name, 'm49']));
      break;
    }
    expect(seen.looks).toBeLessThanOrEqual(1_000 + PLANNED.metrics.length);
  });

  it.each(['', 'g000007'])('of one group are found without a lookup of the others (%j)', async (endpoint_group) => {
    const { expected, seen } = inGroups(GROUPS);
    const shown = (await collected(oneOfEach({ ...named, endpoint_group }).latest(query(expected, 'g000007'), slice))).map(
      (one) => `${one.endpoint_group} ${one.metric}`,
    );
    expect(shown).toEqual(Array.from({ length: 50 }, (_, n) => `g000007 m${49 - n}`));
    expect(seen.looks).toBe(0);
  });

  it('include the last ones of the endpoint in each group, found once for all groups', async () => {
    const { names, expected, seen } = inGroups(GROUPS);
    const last = await collected(oneOfEach(named).endpoints(query(expected), () => true, slice));
    expect(last.map((one) => [one.endpoint_group, one.timestamp])).toEqual(names.map((name) => [name, `${day}T00:00:59Z`]));
    expect(seen.looks).toBe(GROUPS);
  });
});

describe('points of a report with a group', () => {
  it('need no topology, which may be unreadable', async () => {
    const queries = oneOfEach({ report: 'r', endpoint_group: 'g' });
    const query = { tenantId, day, report: 'r', expecting: () => Promise.reject(new Error('asked for the topology')) };
    const limit = Number.POSITIVE_INFINITY;
    for (const group of [undefined, 'g'])
      expect(await collected(queries.latest({ ...query, group, wanted: undefined, limit }, slice))).toHaveLength(50);
    expect(await collected(queries.endpoints(query, () => true, slice))).toHaveLength(1);
    expect(await collected(queries.statuses({ ...query, group: 'g' }, () => true, slice))).toHaveLength(50);
  });
});

describe('the last points of endpoints', () => {
  it('without a report give way to later ones of the report, not to those of the same second', async () => {
    const { names, expected } = inGroups(3);
    const own = (group: string, second: number) => result('m0', second, { report: 'r', endpoint_group: group, status: 'OK' });
    const queries = queriesAfter([result('m0', 30)], [own('g000000', 31), own('g000001', 30), own('elsewhere', 10)]);
    const last = await collected(queries.endpoints({ tenantId, day, report: 'r', expecting: async () => expected }, () => true, slice));
    expect(last.map((one) => [one.endpoint_group, one.status])).toEqual([
      ['elsewhere', 'OK'],
      [names[0], 'OK'],
      [names[1], 'CRITICAL'],
      [names[2], 'CRITICAL'],
    ]);
  });
});

describe('the statuses of a group', () => {
  it('show the last point of each in the log: of the report, else of those with the group, else of those without one', async () => {
    const at = (second: number, url: string, changes: Partial<MetricResult>) => result('m0', second, { info: { URL: url }, ...changes });
    const group = { endpoint_group: 'g000000' };
    const queries = queriesAfter(
      [at(50, 'own', { ...group, report: 'r', status: 'OK' }), at(59, 'of another report', { ...group, report: 's', status: 'OK' })],
      [at(20, 'given', { ...group, status: 'CRITICAL' }), at(10, 'given later', { ...group, status: 'CRITICAL' })],
      [at(51, 'given', { ...group, status: 'OK' }), at(52, 'none', { status: 'CRITICAL' }), at(53, 'none', { status: 'WARNING' })],
      [at(54, 'elsewhere', { endpoint_group: 'g000001', status: 'UNKNOWN' }), at(55, 'not expected', { metric: 'x', status: 'UNKNOWN' })],
    );
    const of = { tenantId, day, report: 'r', group: 'g000000', expecting: async () => inGroups(2).expected };
    const found = await collected(queries.statuses(of, () => true, slice));
    expect(found.map(({ status, info }) => [status, (info as { URL: string }).URL])).toEqual([
      ['CRITICAL', 'given later'],
      ['OK', 'own'],
      ['WARNING', 'none'],
    ]);
  });
});

describe('results with long members', () => {
  const own = { report: 'r', endpoint_group: 'g' };
  const of = { tenantId, day, report: 'r', group: 'g', expecting: async () => new ExpectedItems(new Map()) };
  const span = { from: day, to: day };
  const read = async (pages: AsyncIterable<readonly unknown[]>): Promise<number> => {
    let count = 0;
    for await (const page of pages) count += page.length;
    return count;
  };

  it('are refused where all of them would be in memory, by the sum of what an answer shows', async () => {
    const long = 'x'.repeat(1_000);
    const results = ['h', 'i'].flatMap((host) =>
      ['m0', 'm1'].map((metric) => result(metric, 10, { ...own, host, info: { URL: long }, actual_data: long, original_status: long })),
    );
    const queries = queriesAfter(results);
    const timeline = async () => (await queries.timeline({ ...of, service: 'web', host: 'h' }, span, slice)).length;
    const reads: readonly (readonly [characters: number, read: () => Promise<number>])[] = [
      [2 * 3_003, timeline],
      [2 * 1_003, () => read(queries.endpoints(of, () => true, slice))],
      [4 * 1_003, () => read(queries.statuses(of, () => true, slice))],
    ];
    const refusal = { code: 'OVER_LIMIT', details: { text: expect.stringContaining('characters') } };
    for (const [characters, count] of reads) {
      const limited = (value: number) =>
        jest.replaceProperty(STATUS_LIMITS, 'statusTexts', { ...STATUS_LIMITS.statusTexts, value } as typeof STATUS_LIMITS.statusTexts);
      const replaced = limited(characters);
      expect(await count()).toBeGreaterThan(0);
      replaced.restore();
      const lower = limited(characters - 1);
      await expect(count()).rejects.toMatchObject(refusal);
      lower.restore();
    }
  });

  it('of a host are in memory page by page, and the newest ones without these members', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const queries = queriesAfter(...PLANNED.metrics.slice(0, 16).map((metric) => [result(metric, 10, { actual_data: long })]));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const pages = queries.ofDay(tenantId, 'h', day, () => true, slice);
    const first = await pages.next();
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(9 * 1024 * 1024);
    expect(JSON.parse(first.value?.[0]?.detail.toString() ?? '')).toMatchObject({ actual_data: long });
    expect(await read(pages)).toBe(15);
    const { expected } = inGroups(1);
    const newest = queries.latest({ ...of, group: undefined, wanted: undefined, limit: 20, expecting: async () => expected }, slice);
    expect((await newest.next()).value).toHaveLength(16);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(9 * 1024 * 1024);
    await newest.return(undefined);
  });
});
