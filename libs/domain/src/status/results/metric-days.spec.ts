import { describe, expect, it } from '@jest/globals';
import { at, compute, DAY_BEFORE, okBefore, planOf, point, recomputation, shown } from '#test/support/results/plans.js';
import { timeOfDay } from './windows.js';

type Points = Parameters<typeof compute>[1];
const metricOf = (points: Points, plan = planOf(), now?: number) => compute(plan, points, now);
const steps = (points: Points, plan = planOf(), now?: number) => shown(metricOf(points, plan, now).endpoint.timeline);
const listed = (points: Points, plan = planOf(), now?: number) =>
  metricOf(points, plan, now).metric.points.map((one) => `${timeOfDay(one.at)} ${one.status}`);

describe('points that count (results contract 1, 3)', () => {
  it('are valid until the next one, starting with the last of the previous day', () => {
    const points = [point('22:00', 'CRITICAL', { day: DAY_BEFORE }), okBefore({ status: 'WARNING' }), point('08:00', 'OK')];
    expect(steps(points)).toEqual(['00:00:00 WARNING', '08:00:00 OK']);
  });

  it('are missing before the first one if the previous day has none', () => {
    expect(steps([point('08:00', 'OK')])).toEqual(['00:00:00 MISSING', '08:00:00 OK']);
  });

  it('at midnight start the day', () => expect(steps([okBefore(), point('00:00', 'CRITICAL')])).toEqual(['00:00:00 CRITICAL']));

  it('are carried over one day, and listed at midnight', () => {
    const points = [okBefore({ status: 'CRITICAL', actualData: 'load=1' })];
    expect(steps(points)).toEqual(['00:00:00 CRITICAL']);
    expect(metricOf(points).metric.points).toEqual([{ at: 0, status: 'CRITICAL' }]);
    expect(listed([])).toEqual(['00:00:00 MISSING']);
  });

  it('are ordered by their time, in any order of arrival', () => {
    expect(steps([point('08:00', 'OK'), point('06:00', 'CRITICAL'), okBefore()])).toEqual([
      '00:00:00 OK',
      '06:00:00 CRITICAL',
      '08:00:00 OK',
    ]);
  });

  it('of one second count once: the last one to arrive', () => {
    const points = [okBefore({ status: 'CRITICAL' }), okBefore(), point('06:00', 'CRITICAL'), point('06:00', 'WARNING')];
    expect(steps(points)).toEqual(['00:00:00 OK', '06:00:00 WARNING']);
    expect(listed(points)).toEqual(['06:00:00 WARNING']);
  });

  it('are all listed, even without a change', () => {
    const points = [okBefore(), point('06:00', 'OK', { actualData: 'load=1' }), point('07:00', 'OK')];
    expect(metricOf(points).metric.points).toEqual([
      { at: at('06:00'), status: 'OK', actualData: 'load=1' },
      { at: at('07:00'), status: 'OK' },
    ]);
    expect(steps(points)).toEqual(['00:00:00 OK']);
  });

  it('of today count up to now; the time of the next one is reported', () => {
    const points = [okBefore(), point('06:00', 'CRITICAL'), point('06:01', 'OK')];
    expect(steps(points, planOf(), at('05:59'))).toEqual(['00:00:00 OK']);
    expect(steps(points, planOf(), at('06:00'))).toEqual(['00:00:00 OK', '06:00:00 CRITICAL']);
    expect([at('05:59'), at('06:00'), at('06:01')].map((now) => metricOf(points, planOf(), now).nextChangeAt)).toEqual([
      at('06:00'),
      at('06:01'),
      undefined,
    ]);
  });

  it('of another report or group do not count', () => {
    const points = [
      okBefore({ report: 'report-1', group: 'site' }),
      okBefore({ status: 'CRITICAL', report: 'other' }),
      point('06:00', 'CRITICAL', { report: 'other' }),
      point('07:00', 'CRITICAL', { group: 'other' }),
      point('08:00', 'WARNING', { report: 'report-1' }),
      point('09:00', 'OK', { group: 'site' }),
      point('09:00', 'CRITICAL', { report: 'other' }),
    ];
    expect(steps(points)).toEqual(['00:00:00 OK', '08:00:00 WARNING', '09:00:00 OK']);
  });

  it('count only for expected metrics', () =>
    expect(steps([okBefore(), point('06:00', 'CRITICAL', { metric: 'b' })])).toEqual(['00:00:00 OK']));

  it('with a status that the profile lacks are unknown, also on the previous day', () => {
    const points = [okBefore({ status: 'ODD' }), point('06:00', 'OK'), point('07:00', 'ok'), point('08:00', 'EXCLUDED')];
    expect(steps(points)).toEqual(['00:00:00 UNKNOWN', '06:00:00 OK', '07:00:00 UNKNOWN']);
    expect(metricOf(points).metric.previous.status).toBe('UNKNOWN');
  });
});

describe('previous state (results contract 3)', () => {
  it('is the last point of the previous day', () => {
    expect(metricOf([okBefore(), point('06:00', 'CRITICAL')]).metric.previous).toEqual({
      timestamp: `${DAY_BEFORE}T23:00:00Z`,
      status: 'OK',
    });
  });
  it('is missing at midnight if there is none', () => {
    expect(metricOf([point('06:00', 'CRITICAL')]).metric.previous).toEqual({ timestamp: '2024-05-02T00:00:00Z', status: 'MISSING' });
  });
});

describe('thresholds (results contract 4)', () => {
  const plan = planOf({ thresholds: [{ metric: 'a', thresholds: 'load=0%;50:90;90:100' }] });

  it('apply to the point of the previous day, without flagging it', () => {
    const { metric, endpoint } = metricOf([okBefore({ actualData: 'load=95%' })], plan);
    expect(metric).toEqual({
      metric: 'a',
      previous: { timestamp: `${DAY_BEFORE}T23:00:00Z`, status: 'CRITICAL' },
      points: [{ at: 0, status: 'CRITICAL' }],
    });
    expect(endpoint.flagged).toBe(false);
  });

  it('apply before the states of the profile', () => {
    const { metric } = metricOf([point('06:00', 'ODD', { actualData: 'load=60%' })], plan);
    expect(metric.points).toEqual([
      { at: at('06:00'), status: 'WARNING', actualData: 'load=60%', originalStatus: 'ODD', thresholdRule: 'load=0%;50:90;90:100' },
    ]);
  });

  it('do not flag a point that they do not change', () => {
    expect(metricOf([point('06:00', 'CRITICAL', { actualData: 'load=95%' })], plan).endpoint.flagged).toBe(false);
    expect(metricOf([point('06:00', 'OK', { actualData: 'load=5%' })], plan).endpoint.flagged).toBe(false);
    expect(metricOf([point('06:00', 'OK')], plan).endpoint.flagged).toBe(false);
  });

  it('neither flag nor detail a point covered by a recomputation', () => {
    const recomputations = [recomputation('05:00', '07:00', { exclude_metrics: [{ metric: 'a' }] })];
    const { metric, endpoint } = metricOf([okBefore(), point('06:00', 'OK', { actualData: 'load=95%' })], { ...plan, recomputations });
    expect(metric.points).toEqual([
      { at: at('05:00'), status: 'EXCLUDED' },
      { at: at('06:00'), status: 'EXCLUDED' },
      { at: at('07:00'), status: 'CRITICAL' },
    ]);
    expect(endpoint.flagged).toBe(false);
  });
});

describe('windows of recomputations among listed points (results contract 3)', () => {
  const excluding = (from: string, to: string) =>
    planOf({ recomputations: [recomputation(from, to, { exclude_metrics: [{ metric: 'a' }] })] });
  const points = [okBefore(), point('06:00', 'CRITICAL'), point('08:00', 'OK')];

  it('start and end with a point', () => {
    expect(listed(points, excluding('05:00', '07:00'))).toEqual([
      '05:00:00 EXCLUDED',
      '06:00:00 EXCLUDED',
      '07:00:00 CRITICAL',
      '08:00:00 OK',
    ]);
    expect(listed(points, excluding('02:00', '03:00'))).toEqual(['02:00:00 EXCLUDED', '03:00:00 OK', '06:00:00 CRITICAL', '08:00:00 OK']);
  });
  it('add no point if there is one', () =>
    expect(listed(points, excluding('06:00', '08:00'))).toEqual(['06:00:00 EXCLUDED', '08:00:00 OK']));
  it('add no point at the end of the day', () => {
    expect(listed(points, excluding('09:00', '24:00'))).toEqual(['06:00:00 CRITICAL', '08:00:00 OK', '09:00:00 EXCLUDED']);
  });
  it('add both points to a day without points', () => {
    expect(listed([okBefore()], excluding('05:00', '07:00'))).toEqual(['00:00:00 OK', '05:00:00 EXCLUDED', '07:00:00 OK']);
    expect(listed([okBefore()], excluding('00:00', '07:00'))).toEqual(['00:00:00 EXCLUDED', '07:00:00 OK']);
  });
  it('add a point at each end if one window ends in another', () => {
    const recomputations = [
      recomputation('05:00', '07:00', { exclude_metrics: [{ metric: 'a' }] }),
      recomputation('06:30', '09:00', { applied_status_changes: [{ metric: 'a', state: 'WARNING' }] }),
    ];
    const expected = ['05:00:00 EXCLUDED', '06:00:00 EXCLUDED', '06:30:00 WARNING', '07:00:00 WARNING', '08:00:00 WARNING', '09:00:00 OK'];
    expect(listed(points, planOf({ recomputations }))).toEqual(expected);
  });

  it('add the points up to now today', () => {
    const plan = excluding('05:00', '07:00');
    expect(listed(points, plan, at('04:59'))).toEqual(['00:00:00 OK']);
    expect(listed(points, plan, at('05:00'))).toEqual(['05:00:00 EXCLUDED'].toSpliced(0, 0, '00:00:00 OK'));
    expect(listed(points, plan, at('06:59'))).toEqual(['05:00:00 EXCLUDED', '06:00:00 EXCLUDED']);
    expect(steps(points, plan, at('06:59'))).toEqual(['00:00:00 OK', '05:00:00 EXCLUDED']);
    expect(metricOf(points, plan, at('06:59')).nextChangeAt).toBe(at('07:00'));
  });
});

describe('counts for trends (results contract 12.7)', () => {
  const countsOf = (...given: Parameters<typeof metricOf>) => metricOf(...given).endpoint.metrics[0];

  it('are the changes within the day and the points of each status', () => {
    const points = [okBefore(), point('13:00', 'CRITICAL'), point('18:00', 'CRITICAL'), point('20:00', 'OK')];
    expect(countsOf(points)).toEqual({ metric: 'a', flapping: 2, events: { OK: 2, CRITICAL: 2 } });
  });
  it('count the points up to now', () => {
    const points = [okBefore(), point('13:00', 'CRITICAL'), point('18:00', 'CRITICAL')];
    expect(countsOf(points, planOf(), at('13:00'))).toMatchObject({ events: { OK: 1, CRITICAL: 1 } });
  });
  it('count a day without points as one of the status carried over', () => {
    expect(countsOf([okBefore({ status: 'CRITICAL' })])).toMatchObject({ flapping: 0, events: { CRITICAL: 1 } });
    expect(countsOf([])).toMatchObject({ flapping: 0, events: { MISSING: 1 } });
  });
  it('count the points that windows of recomputations change and add', () => {
    const recomputations = [recomputation('05:00', '07:00', { applied_status_changes: [{ metric: 'a', state: 'WARNING' }] })];
    const points = [okBefore(), point('06:00', 'CRITICAL'), point('08:00', 'CRITICAL')];
    expect(countsOf(points, planOf({ recomputations }))).toMatchObject({ flapping: 2, events: { OK: 1, WARNING: 2, CRITICAL: 2 } });
    const whole = [recomputation('00:00', '07:00', { applied_status_changes: [{ metric: 'a', state: 'WARNING' }] })];
    expect(countsOf(points, planOf({ recomputations: whole }))).toMatchObject({ events: { WARNING: 2, CRITICAL: 2 } });
  });
  it('start with the status of the previous day', () => {
    const points = [
      point('23:00', 'CRITICAL', { day: DAY_BEFORE }),
      point('06:00', 'CRITICAL'),
      point('07:00', 'OK'),
      point('08:00', 'CRITICAL'),
    ];
    expect(countsOf(points)).toEqual({ metric: 'a', flapping: 2, events: { CRITICAL: 3, OK: 1 } });
  });
  it('do not include a change between days', () => {
    expect(countsOf([okBefore(), point('00:00', 'CRITICAL')])).toEqual({ metric: 'a', flapping: 0, events: { CRITICAL: 1 } });
  });
});
