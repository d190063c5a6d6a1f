import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { PlannedGroup } from '#domain/status/results/plan.js';
import { memoryView } from '#test/support/memory-view.js';
import { CommonPoints } from './common-points.js';
import { type MetricsDocument, metricCollections, NO_REPORT } from './documents.js';
import { ExpectedItems } from './expected-items.js';

const { endpoints, latest, metrics } = metricCollections;
const [tenantId, day] = ['t', '2015-05-01'];
const PLANNED = { service: 'web', host: 'h', metrics: Array.from({ length: 50 }, (_, n) => `m${n}`), info: { ID: 'one' } };

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

/** One point of each metric, with or without a group. */
const documentsOf = (given: string) => {
  const points = PLANNED.metrics.map((metric, n) => ({
    point: { endpoint_group: given, service: 'web', endpoint: 'h', metric, timestamp: `${day}T00:00:${10 + n}Z`, status: 'CRITICAL' },
    time: `00:00:${10 + n}`,
    sequence: `${String(n).padStart(20, '0')}.000`,
  }));
  const place = { tenantId, day, host: 'h', service: 'web', group: given, sequence: '' };
  return {
    [latest.name]: Object.fromEntries(
      points.map(({ point, time, sequence }) => [
        latest.key({ tenantId, report: NO_REPORT, day, time, sequence }),
        String(latest.codec?.encode({ head: [0], body: [point] })),
      ]),
    ),
    [metrics.name]: {
      [metrics.key(place)]: JSON.stringify({
        ...{ endpoint_group: given, service: 'web', endpoint: 'h' },
        metrics: points.map(({ point: { metric, timestamp, status }, sequence }) => ({
          ...{ metric, timestamp, sequence, status },
          statuses: [{ status }],
        })),
      } satisfies MetricsDocument),
    },
  };
};

const commonPoints = (expected: ExpectedItems, given = ''): CommonPoints =>
  new CommonPoints(memoryView(documentsOf(given)), { tenantId, day }, expected, new TimeSlice());

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

describe('points without a report, of an endpoint in very many groups', () => {
  const GROUPS = 2_500;

  it('are generated in pages, so that reading few of them is cheap', async () => {
    const { names, expected, seen } = inGroups(GROUPS);
    for await (const page of commonPoints(expected).latest(() => true, undefined)) {
      expect(page.map(({ point }) => [point.endpoint_group, point.metric])).toEqual(names.slice(0, 1_000).map((name) => [name, 'm49']));
      break;
    }
    expect(seen.looks).toBe(1_000);
  });

  it.each(['', 'g000007'])('of one group are found without a lookup of the others (%j)', async (given) => {
    const { expected, seen } = inGroups(GROUPS);
    const shown: string[] = [];
    for await (const page of commonPoints(expected, given).latest(() => true, 'g000007')) {
      for (const { point } of page) shown.push(`${point.endpoint_group} ${point.metric}`);
    }
    expect(shown).toEqual(PLANNED.metrics.map((metric) => `g000007 ${metric}`).reverse());
    expect(seen.looks).toBe(0);
  });

  it('include the last ones of the endpoint in each group, found once for all groups', async () => {
    const { names, expected, seen } = inGroups(GROUPS);
    const last = await commonPoints(expected).lastPoints('r');
    expect(Array.from(last.values(), ({ name, head }) => [name.endpoint_group, head.metric])).toEqual(names.map((name) => [name, 'm49']));
    expect(seen.looks).toBe(GROUPS);
  });
});

describe('the last points without a report', () => {
  it('give way to later points of the report, which are read as a range instead of looked up for each endpoint', async () => {
    const { names, expected } = inGroups(3);
    const place = { tenantId, report: 'r', day, host: 'h', service: 'web' };
    const ofReport = (group: string, time: string) => ({
      [endpoints.key({ ...place, group })]: JSON.stringify({
        ...{ timestamp: `${day}T${time}Z`, endpoint_group: group, service: 'web', endpoint: 'h', status: 'OK' },
      }),
    });
    const view = memoryView({
      ...documentsOf(''),
      [endpoints.name]: { ...ofReport('g000000', '00:01:00'), ...ofReport('g000001', '00:00:59') },
    });
    const onlyRanges = { ...view, get: undefined, getMany: undefined } as unknown as typeof view;
    const last = await new CommonPoints(onlyRanges, { tenantId, day }, expected, new TimeSlice()).lastPoints('r');
    expect(Array.from(last.values(), ({ name }) => name.endpoint_group)).toEqual(names.slice(1));
  });
});

describe('points without a report, of an endpoint with more metrics than one document has', () => {
  it('are shown from all its documents, the newest of each', async () => {
    const metric = (status: string, second: number, url: string) => {
      const current = { status, info: { URL: url } };
      return {
        metric: 'm0',
        timestamp: `${day}T00:00:0${second}Z`,
        sequence: `${second}`.padStart(20, '0'),
        ...current,
        statuses: [current],
      };
    };
    const documents = { '': metric('CRITICAL', 1, 'old'), 20: metric('CRITICAL', 2, 'new'), 30: metric('WARNING', 3, 'last') };
    const view = memoryView({
      [metrics.name]: Object.fromEntries(
        Object.entries(documents).map(([sequence, one]) => [
          metrics.key({ tenantId, day, host: 'h', service: 'web', group: 'g000000', sequence }),
          JSON.stringify({ endpoint_group: 'g000000', service: 'web', endpoint: 'h', metrics: [one] } satisfies MetricsDocument),
        ]),
      ),
    });
    const points = new CommonPoints(view, { tenantId, day }, inGroups(1).expected, new TimeSlice());
    const firstOf = new Map<string, string | undefined>();
    for await (const page of points.statuses('g000000', 'g000000', () => true))
      for (const { entry } of page) if (!firstOf.has(entry.status)) firstOf.set(entry.status, entry.info?.URL);
    expect([...firstOf]).toEqual([
      ['CRITICAL', 'new'],
      ['WARNING', 'last'],
    ]);
    const last: string[] = [];
    for await (const page of points.shown(await points.lastPoints('r'), () => true)) last.push(...page.map(({ bytes }) => String(bytes)));
    expect(last.map((text) => JSON.parse(text))).toEqual([expect.objectContaining({ status: 'WARNING', info: { URL: 'last' } })]);
  });
});
