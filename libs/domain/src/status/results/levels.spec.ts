import { describe, expect, it } from '@jest/globals';
import {
  AGGREGATION,
  at,
  compute,
  DAY,
  DAY_BEFORE,
  downtime,
  figureTexts,
  okBefore,
  planOf,
  point,
  recomputation,
  shown,
  web,
} from '#test/support/results/plans.js';
import { atSecond, supergroupDays } from './compute-group.js';
import { computeMetric } from './metric-days.js';
import { endpointKey, type PlannedRecomputation } from './plan.js';
import { DAY_SECONDS } from './timeline.js';
import { timeOfDay } from './windows.js';

type Changes = PlannedRecomputation['applied_status_changes'];
const OUTAGE = [okBefore(), point('06:00', 'CRITICAL'), point('07:30', 'OK')];

describe('endpoints (results contract 6)', () => {
  it('combine their metrics in order of their names, with the operation of metrics', () => {
    const points = [point('06:00', 'CRITICAL'), okBefore(), okBefore({ metric: 'b', status: 'WARNING' })];
    const plan = planOf({}, web(['h1'], ['a', 'b']));
    expect(shown(compute(plan, points).endpoint.timeline)).toEqual(['00:00:00 WARNING', '06:00:00 CRITICAL']);
    expect(shown(compute({ ...plan, aggregation: { ...AGGREGATION, metric_operation: 'OR' } }, points).endpoint.timeline)).toEqual([
      '00:00:00 OK',
      '06:00:00 WARNING',
    ]);
  });

  it('are down in each of their downtimes, even if these overlap', () => {
    const plan = planOf({ downtimes: downtime(['10:00', '12:00'], ['01:00', '02:00'], ['11:00', '13:00'], ['15:00', '15:00']) });
    expect(shown(compute(plan, OUTAGE).endpoint.timeline)).toEqual([
      '00:00:00 OK',
      '01:00:00 DOWNTIME',
      '02:00:00 OK',
      '06:00:00 CRITICAL',
      '07:30:00 OK',
      '10:00:00 DOWNTIME',
      '13:00:00 OK',
    ]);
  });

  it('are not down in downtimes of another service or host', () => {
    const window = [{ from: 0, to: 86_400 }];
    const downtimes = new Map([endpointKey('db', 'h1'), endpointKey('web', 'h2')].map((key) => [key, window]));
    expect(shown(compute(planOf({ downtimes }), [okBefore()]).endpoint.timeline)).toEqual(['00:00:00 OK']);
  });

  it('are down today up to now', () => {
    const plan = planOf({ downtimes: downtime(['10:00', '12:00']) });
    const { endpoint, nextChangeAt } = compute(plan, [okBefore()], at('10:30'));
    expect(shown(endpoint.timeline)).toEqual(['00:00:00 OK', '10:00:00 DOWNTIME']);
    expect(nextChangeAt).toBe(at('12:00'));
    expect(compute(plan, [okBefore()], at('09:59')).nextChangeAt).toBe(at('10:00'));
  });

  it('have the tags of the topology', () => {
    const info = { ID: 'x1' };
    expect(compute(planOf({}, [{ service: 'web', host: 'h1', metrics: ['a'], info }]), []).endpoint).toMatchObject({ host: 'h1', info });
    expect(compute(planOf(), []).endpoint).not.toHaveProperty('info');
  });
});

describe('services and groups (results contract 6)', () => {
  const db = { service: 'db', host: 'h1', metrics: ['a'] };
  const both = [db, ...web(['h1', 'h2'])];
  const points = [okBefore(), okBefore({ host: 'h2' }), okBefore({ service: 'db', status: 'WARNING' }), point('06:00', 'CRITICAL')];

  it('combine endpoints with the operation of the service, functions with that of the profile', () => {
    const { group } = compute(planOf({}, both), points);
    expect(group.services.map(({ service, timeline }) => [service, ...shown(timeline)])).toEqual([
      ['db', '00:00:00 WARNING'],
      ['web', '00:00:00 OK'],
    ]);
    expect(shown(group.timeline)).toEqual(['00:00:00 WARNING']);
  });

  it('ignore functions and services without endpoints in the group', () => {
    const { group } = compute(planOf(), OUTAGE);
    expect(group.services.map(({ service }) => service)).toEqual(['web']);
    expect(group.timeline).toEqual(group.services[0]!.timeline);
  });

  it('include a service in each function that has it; its operation is that of the first one', () => {
    const services = [{ name: 'web', operation: 'AND' }];
    const groups = [
      { name: 'z', operation: 'OR', services },
      {
        name: 'a',
        operation: 'OR',
        services: [
          { name: 'web', operation: 'OR' },
          { name: 'db', operation: 'OR' },
        ],
      },
    ];
    const { group } = compute(planOf({ aggregation: { ...AGGREGATION, groups } }, both), points);
    expect(group.services.map(({ timeline }) => shown(timeline).at(-1))).toEqual(['00:00:00 WARNING', '06:00:00 CRITICAL']);
    // from 06:00 on, function a is WARNING or CRITICAL, function z CRITICAL
    expect(shown(group.timeline)).toEqual(['00:00:00 OK', '06:00:00 CRITICAL']);
  });

  it('are flagged if one of their inputs is', () => {
    const thresholds = [{ metric: 'a', host: 'h2', thresholds: 'x=0;1:2' }];
    const { group } = compute(planOf({ thresholds }, both), [...points, point('09:00', 'OK', { host: 'h2', actualData: 'x=1.5' })]);
    const [ofDb, ofWeb] = group.services;
    expect([group.flagged, ofDb!.flagged, ofWeb!.flagged]).toEqual([true, false, true]);
    expect(ofWeb!.endpoints.map(({ flagged }) => flagged)).toEqual([false, true]);
  });

  it('have the same figures at a later second as if they were computed then', () => {
    const plan = planOf({ recomputations: [recomputation('01:00', '02:00', { exclude: ['site'] })] });
    expect(atSecond(plan, compute(plan, OUTAGE, at('06:10')).group, at('07:20'))).toEqual(compute(plan, OUTAGE, at('07:20')).group);
  });
});

describe('groups of groups (results contract 9)', () => {
  const figures = (availability: number, reliability = availability) => ({ availability, reliability, unknown: 0, uptime: 0, downtime: 0 });
  const plan = planOf({
    supergroups: new Map([
      ['ngi', ['a', 'b', 'c']],
      ['other', ['b']],
    ]),
    weights: new Map([
      ['a', 2],
      ['x', 9],
    ]),
  });

  it('are means of their groups with weight plus one, each measure without groups that lack it', () => {
    const days = [
      { name: 'a', figures: figures(50, -1) },
      { name: 'b', figures: figures(90, 80) },
      { name: 'c', figures: figures(-1) },
    ];
    expect(supergroupDays(plan, days)).toEqual([
      { name: 'ngi', groups: ['a', 'b', 'c'], availability: 60, reliability: 80 },
      { name: 'other', groups: ['b'], availability: 90, reliability: 80 },
    ]);
  });

  const TWO = [
    { name: 'a', figures: figures(50) },
    { name: 'b', figures: figures(90) },
  ];
  const meanOf = (a: number, b: number): number | undefined => {
    const weights = new Map([
      ['a', a],
      ['b', b],
    ]);
    return supergroupDays({ ...plan, weights }, TWO)[0]?.availability;
  };

  it.each([
    [1e308, 1e308, 70],
    [Number.MAX_VALUE, Number.MAX_VALUE, 70],
    [1e308, 0, 50],
    [3e299, 1e299, 60],
  ])('are means also with the largest weights: %d and %d', (a, b, mean) => expect(meanOf(a, b)).toBe(mean));

  it.each([
    [-1, -1],
    [1e308, -1e308],
    [2 ** -53 - 1, -1],
    [-Number.MAX_VALUE, Number.MAX_VALUE],
  ])('have no figures if negative weights leave no mean: %d and %d', (a, b) => {
    const mean = meanOf(a, b) ?? Number.NaN;
    expect(mean === -1 || (mean >= 0 && mean <= 100)).toBe(true);
  });

  it('have no figures if no group has', () => {
    expect(supergroupDays(plan, [{ name: 'b', figures: figures(-1) }]).map(({ availability }) => availability)).toEqual([-1, -1]);
  });
});

describe('recomputations (results contract 7)', () => {
  const both = planOf({}, [{ service: 'db', host: 'h1', metrics: ['a'] }, ...web(['h1', 'h2'], ['a', 'b'])]);
  const all = ['db/h1/a', 'web/h1/a', 'web/h1/b', 'web/h2/a', 'web/h2/b'];
  /** Results if these metrics are excluded between 06:00 and 07:00. */
  const excluded = (...exclude_metrics: PlannedRecomputation['exclude_metrics']) => {
    const { group, metrics } = compute({ ...both, recomputations: [recomputation('06:00', '07:00', { exclude_metrics })] }, []);
    const names = group.services.flatMap(({ service, endpoints }) =>
      endpoints.flatMap(({ host, metrics: counts }) => counts.map(({ metric }) => `${service}/${host}/${metric}`)),
    );
    return names.filter((_, index) => metrics[index]!.points.some(({ status }) => status === 'EXCLUDED'));
  };

  it.each([
    [{ metric: 'a' }, ['db/h1/a', 'web/h1/a', 'web/h2/a']],
    [{ hostname: 'h1' }, ['db/h1/a', 'web/h1/a', 'web/h1/b']],
    [{ service: 'db' }, ['db/h1/a']],
    [{ group: 'site' }, all],
    [{ group: 'other' }, []],
    [{ metric: 'a', hostname: 'h2' }, ['web/h2/a']],
    [{ metric: 'b', service: 'db' }, []],
    [{ metric: 'b', hostname: 'h1', service: 'web', group: 'site' }, ['web/h1/b']],
    [{}, []],
    [{ metric: '' }, []],
  ])('exclude the metrics that match all of %j', (element, names) => expect(excluded(element)).toEqual(names));

  /** Timelines of the first service `web`, its endpoint `h1` and the group, with status changes from 06:00 to 07:00. */
  const changed = (...applied_status_changes: Changes) => {
    const { group, service, endpoint } = compute(
      planOf({ recomputations: [recomputation('06:00', '07:00', { applied_status_changes })] }),
      [okBefore()],
    );
    return [endpoint, service, group].map(({ timeline }) => timeline[1]?.status ?? '-').join(' ');
  };

  it.each([
    ['the metric', { metric: 'a' }, 'CRITICAL CRITICAL CRITICAL'],
    ['the endpoint', { hostname: 'h1' }, 'CRITICAL CRITICAL CRITICAL'],
    ['the service', { service: 'web' }, '- CRITICAL CRITICAL'],
    ['the group', { group: 'site' }, '- - CRITICAL'],
    ['the deepest of several levels', { group: 'site', service: 'web' }, '- CRITICAL CRITICAL'],
    ['nothing if one member does not match', { group: 'other', service: 'web' }, '- - -'],
    ['nothing without members', {}, '- - -'],
  ])('change %s', (_, place, statuses) => expect(changed({ ...place, state: 'CRITICAL' })).toBe(statuses));

  it('change to unknown if the profile does not have the state', () => {
    expect(changed({ hostname: 'h1', state: 'ODD' })).toBe('UNKNOWN UNKNOWN UNKNOWN');
    expect(changed({ hostname: 'h1' })).toBe('UNKNOWN UNKNOWN UNKNOWN');
    expect(changed({ service: 'web', state: 'EXCLUDED' })).toBe('- EXCLUDED EXCLUDED');
  });

  it('prefer the more specific change at one level, then the later one in the list', () => {
    const specific = { hostname: 'h1', service: 'web', state: 'WARNING' };
    expect(changed(specific, { hostname: 'h1', state: 'CRITICAL' })).toBe('WARNING WARNING WARNING');
    expect(changed(specific, { hostname: 'h1', group: 'site', state: 'CRITICAL' })).toBe('CRITICAL CRITICAL CRITICAL');
  });

  it('prefer the later recomputation, and within one prefer changes to exclusions', () => {
    const change = { applied_status_changes: [{ metric: 'a', state: 'CRITICAL' }] };
    const exclusion = { exclude_metrics: [{ metric: 'a' }] };
    const statusOf = (...recomputations: readonly PlannedRecomputation[]) =>
      compute(planOf({ recomputations }), [okBefore()]).endpoint.timeline[1]?.status;
    expect(statusOf(recomputation('06:00', '07:00', change), recomputation('06:00', '07:00', exclusion))).toBe('EXCLUDED');
    expect(statusOf(recomputation('06:00', '07:00', exclusion), recomputation('06:00', '07:00', change))).toBe('CRITICAL');
    expect(statusOf(recomputation('06:00', '07:00', { ...change, ...exclusion }))).toBe('CRITICAL');
  });

  it('of many elements take little time for each metric', () => {
    const hosts = Array.from({ length: 20_000 }, (_, index) => ({ hostname: `other-${index}`, group: 'site' }));
    const changes = Array.from({ length: 20_000 }, (_, index) => ({ group: 'site', service: `other-${index}`, metric: 'a', state: 'OK' }));
    const recomputations = [
      recomputation('06:00', '07:00', { exclude_metrics: hosts }),
      recomputation('06:00', '06:30', { applied_status_changes: [...changes, ...changes.map(() => ({ metric: 'a', state: 'WARNING' }))] }),
    ];
    const metrics = Array.from({ length: 2_000 }, (_, index) => `m${index}`);
    const plan = planOf({ recomputations }, web(['h1'], ['a', ...metrics]));
    const start = performance.now();
    expect(shown(compute(plan, OUTAGE).endpoint.timeline)).toEqual(['00:00:00 MISSING', '06:30:00 CRITICAL', '07:30:00 MISSING']);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('override downtimes', () => {
    const recomputations = [recomputation('06:00', '07:00', { applied_status_changes: [{ hostname: 'h1', state: 'OK' }] })];
    const plan = planOf({ recomputations, downtimes: downtime(['05:00', '08:00']) });
    expect(shown(compute(plan, [okBefore()]).endpoint.timeline)).toEqual([
      '00:00:00 OK',
      '05:00:00 DOWNTIME',
      '06:00:00 OK',
      '07:00:00 DOWNTIME',
      '08:00:00 OK',
    ]);
  });

  it('leave the day unchanged outside their window', () => {
    const recomputations = [recomputation('06:30', '07:00', { applied_status_changes: [{ metric: 'a', state: 'OK' }] })];
    expect(shown(compute(planOf({ recomputations }), OUTAGE).group.timeline)).toEqual([
      '00:00:00 OK',
      '06:00:00 CRITICAL',
      '06:30:00 OK',
      '07:00:00 CRITICAL',
      '07:30:00 OK',
    ]);
  });

  it('exclude a group from its figures, counting overlaps once', () => {
    const recomputations = [
      recomputation('06:00', '07:00', { exclude: ['site'] }),
      recomputation('06:30', '07:30', { exclude: ['site', 'x'] }),
    ];
    const { group, supergroups } = compute(planOf({ recomputations }), OUTAGE);
    expect(figureTexts(group.figures)).toBe('100 / 100 / 0.0625 / 0.9375 / 0');
    expect(supergroups).toMatchObject([{ availability: 100 }]);
  });

  describe('of a monitoring host', () => {
    const ignoring = (start: string, end: string, window: readonly [string, string] = ['10:00', '11:00']) =>
      planOf({
        recomputations: [recomputation(...window, { exclude_monitoring_source: [{ host: 'mon1', start_time: start, end_time: end }] })],
      });
    const mon1 = { monitoringHost: 'mon1' };
    const points = [
      okBefore(),
      point('06:00', 'CRITICAL', mon1),
      point('07:00', 'WARNING', mon1),
      point('08:00', 'OK', { monitoringHost: 'mon2' }),
    ];

    it('exclude its points, including those at both ends of any window', () => {
      const plan = ignoring('2024-05-02T06:00:00Z', '2024-05-02T07:00:00Z');
      expect(shown(compute(plan, points).group.timeline)).toEqual(['00:00:00 OK']);
      expect(compute(plan, points).metric.points).toEqual([{ at: at('08:00'), status: 'OK' }]);
      const empty = ignoring('2024-05-02T06:00:01Z', '2024-05-02T08:00:00Z', ['00:00', '00:00']);
      expect(shown(compute(empty, points).group.timeline)).toEqual(['00:00:00 OK', '06:00:00 CRITICAL', '08:00:00 OK']);
    });

    it('exclude its last point of the previous day', () => {
      const before = [point('22:00', 'WARNING', { day: DAY_BEFORE }), okBefore({ status: 'CRITICAL', ...mon1 })];
      const plan = ignoring('2024-05-01T23:00:00Z', '2024-05-01T23:00:00Z');
      expect(compute(plan, before).metric.previous).toEqual({ timestamp: '2024-05-01T22:00:00Z', status: 'WARNING' });
    });

    it('exclude its points in any number of windows in little time', () => {
      const instant = (second: number) => `${DAY}T${timeOfDay(second)}Z`;
      const exclude_monitoring_source = Array.from({ length: 20_000 }, (_, index) => ({
        host: 'mon',
        start_time: instant(4 * index),
        end_time: instant(4 * index + 1),
      })).reverse();
      const plan = planOf({ recomputations: [recomputation('00:00', '00:00', { exclude_monitoring_source })] });
      const today = Array.from({ length: DAY_SECONDS }, (_, second) => ({
        ...{ at: second, status: 'OK', position: 0, index: second },
        origin: { monitoringHost: 'mon' },
      }));
      const start = performance.now();
      const place = { group: 'site', service: 'web', host: 'h1', metric: 'a' };
      expect(computeMetric(plan, place, { today, before: [] }, DAY_SECONDS).day.points).toHaveLength(DAY_SECONDS - 40_000);
      expect(performance.now() - start).toBeLessThan(10_000);
    });

    it('ignore invalid times', () => {
      expect(shown(compute(ignoring('2024-05-02', '2024-05-03'), points).group.timeline)[1]).toBe('06:00:00 CRITICAL');
    });
  });
});
