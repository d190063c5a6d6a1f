import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { given } from '#test/e2e/status/metric-data/metric-points.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Answer, idOf, recordsOf } from '#test/support/status-client.js';
import { OPERATIONS } from './results-scene.js';

const [BEFORE, DAY] = ['2016-02-28', '2016-02-29'];
const SINCE = '?date=2016-01-01';
const SPAN = `?start_time=${DAY}T00:00:00Z&end_time=${DAY}T00:00:00Z`;

/** Host, metric, instant, status; of one host with one metric unless the name of the host has a suffix. */
type Point = readonly [host: string, metric: string, at: string, status: string, more?: object];
const of = (host: string, metric: string, points: string, more?: object): readonly Point[] =>
  points.split(', ').map((point) => {
    const [time = '', status = ''] = point.split(' ');
    const at = time.startsWith('-') ? `${BEFORE}T${time.slice(1)}` : `${DAY}T${time}`;
    return [host, metric, at.length === 16 ? `${at}:00Z` : `${at}Z`, status, more];
  });

type Vector = Readonly<{
  points: readonly Point[];
  /** Times with statuses, without the closing element; `!`: a threshold rule was applied that day. */
  timeline: string;
  figures: string;
  /** Figures of the service where they are others. */
  ofService?: string;
  /** Start and end on the day, and on the day before, as the connectors cut it. */
  downtime?: string;
  downtimeBefore?: string;
}>;

/** Results contract 14, each in an endpoint group of its name; `-` = the day before. */
const VECTORS: Readonly<Record<string, Vector>> = {
  V1: {
    points: of('V1', 'a', '-23:00 OK, 06:00 CRITICAL, 07:30 OK'),
    timeline: '00:00:00 OK, 06:00:00 CRITICAL, 07:30:00 OK',
    figures: '93.75 93.75 0 0.9375 0',
  },
  V2: { points: of('V2', 'a', '08:00 OK'), timeline: '00:00:00 MISSING, 08:00:00 OK', figures: '100 100 0.33333 0.66667 0' },
  V3: {
    points: of('V3', 'a', '-23:00 OK, 09:00 CRITICAL, 13:00 OK'),
    timeline: '00:00:00 OK, 09:00:00 CRITICAL, 10:00:00 DOWNTIME, 12:00:00 CRITICAL, 13:00:00 OK',
    figures: '83.33333 90.90909 0 0.83333 0.08333',
    downtime: '10:00:00 11:59:00',
  },
  V4: {
    points: [...of('V4', 'a', '-23:00 OK, 10:00 WARNING'), ...of('V4', 'b', '-23:00 OK, 12:00 UNKNOWN, 18:00 OK')],
    timeline: '00:00:00 OK, 10:00:00 WARNING, 12:00:00 UNKNOWN, 18:00:00 WARNING',
    figures: '100 100 0.25 0.75 0',
  },
  V5: { points: of('V5', 'a', '-23:00 CRITICAL'), timeline: '00:00:00 CRITICAL', figures: '0 0 0 0 0' },
  V6: { points: [], timeline: '00:00:00 MISSING', figures: '-1 -1 1 0 0' },
  V7: {
    points: [...of('V7', 'a', '-23:00 OK, 06:00 CRITICAL'), ...of('V7-2', 'a', '-23:00 OK, 05:00 WARNING, 07:00 CRITICAL, 08:00 OK')],
    timeline: '00:00:00 OK, 06:00:00 WARNING, 07:00:00 CRITICAL, 08:00:00 OK',
    figures: '95.83333 95.83333 0 0.95833 0',
  },
  V8: {
    points: of('V8', 'a', '-23:00 OK, 23:59:59 OK, 00:00 CRITICAL'),
    timeline: '00:00:00 CRITICAL, 23:59:59 OK',
    figures: '0.00116 0.00116 0 1e-05 0',
  },
  V9: {
    points: of('V9', 'a', '-23:00 OK, 06:00 CRITICAL, 07:30 OK'),
    timeline: '00:00:00 OK, 06:00:00 CRITICAL, 07:30:00 OK',
    figures: '97.82609 97.82609 0.04167 0.9375 0',
    ofService: '93.75 93.75 0 0.9375 0',
  },
  V10: {
    points: of('V10', 'a', '-23:00 OK, 06:00 CRITICAL, 07:30 OK'),
    timeline: '00:00:00 OK, 06:00:00 EXCLUDED, 07:30:00 OK',
    figures: '100 100 0.0625 0.9375 0',
  },
  V11: {
    points: [...of('V11', 'a', '-23:00 OK, 06:00 CRITICAL, 18:00 OK'), ...of('V11', 'b', '-23:00 OK')],
    timeline: '00:00:00 OK',
    figures: '100 100 0 1 0',
  },
  V12: {
    points: [...of('V12', 'a', '-23:00 OK'), ...of('V12', 'a', '08:00 OK', { actual_data: 'load=95%;' })],
    timeline: '00:00:00 OK!, 08:00:00 CRITICAL!',
    figures: '33.33333 33.33333 0 0.33333 0',
  },
  V13: {
    points: of('V13', 'a', '00:00 OK, 23:35 CRITICAL'),
    timeline: '00:00:00 OK, 23:35:00 CRITICAL',
    figures: '98.26389 98.26389 0 0.98264 0',
  },
  V14: {
    points: of('V14', 'a', '00:00 OK, 12:50 UNKNOWN, 13:05 DOWNTIME, 21:05 CRITICAL'),
    timeline: '00:00:00 OK, 12:50:00 UNKNOWN, 13:05:00 DOWNTIME, 21:05:00 CRITICAL',
    figures: '54.03509 81.48148 0.01042 0.53472 0.33333',
  },
  V19: {
    points: of('V19', 'a', '-23:00 OK, 09:00 CRITICAL, 13:00 OK'),
    timeline: '00:00:00 OK, 09:00:00 CRITICAL, 10:00:00 DOWNTIME, 12:01:00 CRITICAL, 13:00:00 OK',
    figures: '83.33333 90.97801 0 0.83333 0.08403',
    downtime: '10:00:00 12:00:00',
  },
  V20: {
    points: of('V20', 'a', '-08:00 OK'),
    timeline: '00:00:00 DOWNTIME, 12:01:00 OK',
    figures: '49.93056 100 0 0.49931 0.50069',
    downtime: '00:00:00 12:00:00',
    downtimeBefore: '12:00:00 23:59:00',
  },
  V21: {
    points: of('V21', 'a', '-23:00 OK'),
    timeline: '00:00:00 DOWNTIME',
    figures: '0 -1 0 0 1',
    downtime: '00:00:00 23:59:00',
  },
  V22: {
    points: [...of('V22', 'a', '-23:00 OK, 06:00 CRITICAL, 07:30 OK'), ...of('V22-2', 'a', '-23:00 OK')],
    timeline: '00:00:00 OK',
    figures: '100 100 0 1 0',
  },
};
const hostsOf = (name: string) => (name === 'V7' || name === 'V22' ? [name, `${name}-2`] : [name]);
/** Two metrics are expected of service `two`, one of the others. */
const serviceOf = (host: string) => ({ V4: 'two', V11: 'two', V22: 'three', 'V22-2': 'four' })[host] ?? 'one';

const profilesOf = async (tenant: TestTenant) => {
  const make = async (type: string, path: string, body: object) => ({ type, id: idOf(await tenant.post(`/${path}${SINCE}`, body)) });
  const metric = await make('metric', 'metric_profiles', {
    name: 'metrics',
    services: [
      { service: 'one', metrics: ['a'] },
      { service: 'two', metrics: ['a', 'b'] },
      ...['three', 'four'].map((service) => ({ service, metrics: ['a'] })),
    ],
  });
  const services = ['one', 'two'].map((name) => ({ name, operation: 'OR' }));
  return [
    metric,
    await make('operations', 'operations_profiles', { name: 'V', ...OPERATIONS }),
    await make('aggregation', 'aggregation_profiles', {
      name: 'aggregation',
      namespace: 'n',
      endpoint_group: 'SITES',
      metric_operation: 'AND',
      profile_operation: 'AND',
      metric_profile: { name: 'metrics', id: metric.id },
      groups: [
        { name: 'all', operation: 'OR', services },
        { name: 'same', operation: 'OR', services: [{ name: 'three', operation: 'OR' }] },
        { name: 'same', operation: 'AND', services: [{ name: 'four', operation: 'OR' }] },
      ],
    }),
    await make('thresholds', 'thresholds_profiles', { name: 't', rules: [{ metric: 'a', thresholds: 'load=0%;50:90;90:100' }] }),
    await make('weights', 'weights', { name: 'w', weight_type: 'x', group_type: 'SITES', groups: [{ name: 'V1', value: 3 }] }),
  ];
};

type Row = Readonly<Record<'availability' | 'reliability' | 'unknown' | 'uptime' | 'downtime', string>>;
const figuresIn = ({ text }: Answer): string | undefined => {
  const row = /\{[^{]*"availability"[^}]*\}/.exec(text)?.[0];
  if (row === undefined) return undefined;
  const { availability, reliability, unknown, uptime, downtime } = JSON.parse(row) as Row;
  return [availability, reliability, unknown, uptime, downtime].join(' ');
};

type Status = Readonly<{ timestamp: string; value: string; affected_by_threshold_rule?: boolean }>;
const timelineIn = ({ json }: Answer): string => {
  const statuses = (json as { groups: readonly { statuses: readonly Status[] }[] }).groups[0]?.statuses ?? [];
  const shown = statuses.map(
    ({ timestamp, value, affected_by_threshold_rule: flag }) => `${timestamp.slice(11, 19)} ${value}${flag ? '!' : ''}`,
  );
  return shown.slice(0, -1).join(', ');
};

describe('the vectors of the contract', () => {
  const scene = serving(embedded);
  let tenant: TestTenant;

  const recompute = async (window: string, more: object): Promise<void> => {
    const [start_time, end_time] = window.split(' ').map((time) => `${DAY}T${time}Z`);
    const body = {
      requester_name: 'n',
      requester_email: 'n@example.org',
      reason: 'r',
      report: 'R',
      exclude: [],
      start_time,
      end_time,
      ...more,
    };
    const id = idOf(await tenant.post('/recomputations', body));
    expect((await tenant.post(`/recomputations/${id}/status`, { status: 'approved' })).status).toBe(200);
  };

  const givenDowntimes = async (date: string, part: 'downtime' | 'downtimeBefore'): Promise<void> => {
    const endpoints = Object.entries(VECTORS).flatMap(([hostname, { [part]: window }]) => {
      const [start_time, end_time] = window?.split(' ').map((time) => `${date}T${time}Z`) ?? [];
      return window ? [{ hostname, service: 'one', start_time, end_time }] : [];
    });
    expect((await tenant.post(`/downtimes?date=${date}`, { endpoints })).status).toBe(201);
  };

  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    const names = Object.keys(VECTORS);
    const group = (name: string, subgroup: string) => ({ group: name, type: 'NGI', subgroup });
    const groups = [...names.map((name) => group('all', name)), group('weighed', 'V1'), group('weighed', 'V14')];
    expect((await tenant.post(`/topology/groups${SINCE}`, groups)).status).toBe(201);
    const endpoint = (name: string, hostname: string) => ({ group: name, type: 'SITES', service: serviceOf(hostname), hostname });
    const endpoints = names.flatMap((name) => hostsOf(name).map((host) => endpoint(name, host)));
    expect((await tenant.post(`/topology/endpoints${SINCE}`, endpoints)).status).toBe(201);
    await givenDowntimes(DAY, 'downtime');
    await givenDowntimes(BEFORE, 'downtimeBefore');
    const topology_schema = { group: { type: 'NGI', group: { type: 'SITES' } } };
    idOf(await tenant.post('/reports', { info: { name: 'R' }, topology_schema, profiles: await profilesOf(tenant) }));
    const points = Object.values(VECTORS).flatMap((vector) =>
      vector.points.map(([host, metric, timestamp, status, more]) => ({
        host,
        service: serviceOf(host),
        metric,
        timestamp,
        status,
        ...more,
      })),
    );
    await given(tenant, ...points.reverse());
    await recompute('06:00:00 06:59:59', { exclude: ['V9'] });
    await recompute('06:00:00 07:29:59', { exclude_metrics: [{ metric: 'a', group: 'V10' }] });
    await recompute('00:00:00 23:59:59', { exclude_metrics: [{ metric: 'a', hostname: 'V11' }] });
    const all = () => tenant.get('/recomputations');
    await eventually(all).until((answer) => recordsOf(answer).every(({ status }) => status === 'done'));
  });

  it.each(Object.entries(VECTORS))('%s come out over HTTP', async (name, { timeline, figures, ofService = figures }) => {
    expect(timelineIn(await tenant.get(`/status/R/SITES/${name}${SPAN}&view=details`))).toBe(timeline);
    expect(figuresIn(await tenant.get(`/results/R/SITES/${name}${SPAN}`))).toBe(figures);
    const below = { V7: ['services'], V22: [] }[name] ?? ['services', 'endpoints'];
    for (const path of below) expect(figuresIn(await tenant.get(`/results/R/SITES/${name}/${path}${SPAN}`))).toBe(ofService);
  });

  it('a downtime that was cut into days is one', async () => {
    const days = `?start_time=${BEFORE}T00:00:00Z&end_time=${DAY}T00:00:00Z`;
    const { json } = await tenant.get(`/status/R/SITES/V20${days}`);
    const [{ statuses }] = (json as { groups: readonly [{ statuses: readonly Status[] }] }).groups;
    const shown = statuses.map(({ timestamp, value }) => `${timestamp} ${value}`);
    expect(shown.slice(1, -1)).toEqual([
      `${BEFORE}T08:00:00Z OK`,
      `${BEFORE}T12:00:00Z DOWNTIME`,
      `${DAY}T00:00:00Z DOWNTIME`,
      `${DAY}T12:01:00Z OK`,
    ]);
  });

  it('V17, weighed, does, too', async () => {
    const { text } = await tenant.get(`/results/R/NGI/weighed${SPAN}`);
    expect([...text.matchAll(/ability": "([^"]+)"/g)].map(([, value]) => value)).toEqual(['85.807018', '91.29629600000001']);
  });
});
