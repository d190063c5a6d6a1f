import { describe, expect, it } from '@jest/globals';
import { numberText } from '#domain/status/results/figures/number-text.js';
import { sumOfFigures, sumOfMeans } from '#domain/status/results/figures/periods.js';
import {
  AGGREGATION,
  compute,
  DAY_BEFORE,
  downtime,
  figureTexts,
  okBefore,
  planOf,
  point,
  recomputation,
  shown,
  summed,
  web,
} from '#test/support/results/plans.js';
import { supergroupDays } from './compute-group.js';
import type { Figures } from './results.js';

const OUTAGE = [okBefore(), point('06:00', 'CRITICAL'), point('07:30', 'OK')];
const OUTAGE_STEPS = ['00:00:00 OK', '06:00:00 CRITICAL', '07:30:00 OK'];

/** 283 of 288 five-minute slots up. */
const SLOTS_13 = [point('00:00', 'OK'), point('23:35', 'CRITICAL')];
/** 154 slots up, 3 unknown, 96 down, 35 critical. */
const SLOTS_14 = [point('00:00', 'OK'), point('12:50', 'UNKNOWN'), point('13:05', 'OK'), point('21:05', 'CRITICAL')];
const DOWN_14 = downtime(['13:05', '21:05']);
const figures13 = compute(planOf(), SLOTS_13).group.figures;
const figures14 = compute(planOf({ downtimes: DOWN_14 }), SLOTS_14).group.figures;

const expectGroup = ({ group }: ReturnType<typeof compute>, steps: readonly string[], figures: string) => {
  expect(shown(group.timeline)).toEqual(steps);
  expect(figureTexts(group.figures)).toBe(figures);
};

describe('vectors of days (results contract 14)', () => {
  it('1: an outage', () => expectGroup(compute(planOf(), OUTAGE), OUTAGE_STEPS, '93.75 / 93.75 / 0 / 0.9375 / 0'));

  it('2: nothing from the day before', () => {
    expectGroup(compute(planOf(), [point('08:00', 'OK')]), ['00:00:00 MISSING', '08:00:00 OK'], '100 / 100 / 0.33333 / 0.66667 / 0');
  });

  it('3: a downtime', () => {
    const points = [okBefore(), point('09:00', 'CRITICAL'), point('13:00', 'OK')];
    const steps = ['00:00:00 OK', '09:00:00 CRITICAL', '10:00:00 DOWNTIME', '12:00:00 CRITICAL', '13:00:00 OK'];
    expectGroup(compute(planOf({ downtimes: downtime(['10:00', '12:00']) }), points), steps, '83.33333 / 90.90909 / 0 / 0.83333 / 0.08333');
  });

  it('4: two metrics', () => {
    const b = { metric: 'b' };
    const points = [okBefore(), okBefore(b), point('10:00', 'WARNING'), point('12:00', 'UNKNOWN', b), point('18:00', 'OK', b)];
    const steps = ['00:00:00 OK', '10:00:00 WARNING', '12:00:00 UNKNOWN', '18:00:00 WARNING'];
    expectGroup(compute(planOf({}, web(['h1'], ['a', 'b'])), points), steps, '100 / 100 / 0.25 / 0.75 / 0');
  });

  it('5: carried over', () => {
    expectGroup(compute(planOf(), [point('23:00', 'CRITICAL', { day: DAY_BEFORE })]), ['00:00:00 CRITICAL'], '0 / 0 / 0 / 0 / 0');
  });

  it('6: no point two days long', () => expectGroup(compute(planOf(), []), ['00:00:00 MISSING'], '-1 / -1 / 1 / 0 / 0'));

  it('7: two hosts', () => {
    const h2 = { host: 'h2' };
    const points = [
      okBefore(),
      okBefore(h2),
      point('06:00', 'CRITICAL'),
      point('05:00', 'WARNING', h2),
      point('07:00', 'CRITICAL', h2),
      point('08:00', 'OK', h2),
    ];
    const steps = ['00:00:00 OK', '06:00:00 WARNING', '07:00:00 CRITICAL', '08:00:00 OK'];
    expectGroup(compute(planOf({}, web(['h1', 'h2'])), points), steps, '95.83333 / 95.83333 / 0 / 0.95833 / 0');
  });

  it('8: one second up', () => {
    const points = [point('23:59:59', 'OK'), point('00:00', 'CRITICAL')];
    expectGroup(compute(planOf(), points), ['00:00:00 CRITICAL', '23:59:59 OK'], '0.00116 / 0.00116 / 0 / 1e-05 / 0');
  });

  it('9: a group excluded', () => {
    const computed = compute(planOf({ recomputations: [recomputation('06:00', '07:00', { exclude: ['site'] })] }), OUTAGE);
    expectGroup(computed, OUTAGE_STEPS, '97.82609 / 97.82609 / 0.04167 / 0.9375 / 0');
    expect(figureTexts(computed.service.figures)).toBe('93.75 / 93.75 / 0 / 0.9375 / 0');
    expect(figureTexts(computed.endpoint.figures)).toBe('93.75 / 93.75 / 0 / 0.9375 / 0');
  });

  it('10: the only metric excluded', () => {
    const recomputations = [recomputation('06:00', '07:30', { exclude_metrics: [{ metric: 'a' }] })];
    const steps = ['00:00:00 OK', '06:00:00 EXCLUDED', '07:30:00 OK'];
    expectGroup(compute(planOf({ recomputations }), OUTAGE), steps, '100 / 100 / 0.0625 / 0.9375 / 0');
  });

  it('11: one of two metrics excluded all day', () => {
    const recomputations = [recomputation('00:00', '24:00', { exclude_metrics: [{ metric: 'a' }] })];
    const points = [okBefore(), okBefore({ metric: 'b' }), point('06:00', 'CRITICAL'), point('18:00', 'OK')];
    expectGroup(compute(planOf({ recomputations }, web(['h1'], ['a', 'b'])), points), ['00:00:00 OK'], '100 / 100 / 0 / 1 / 0');
  });

  it('12: a threshold', () => {
    const thresholds = [{ metric: 'a', thresholds: 'load=0%;50:90;90:100' }];
    const computed = compute(planOf({ thresholds }), [okBefore(), point('08:00', 'OK', { actualData: 'load=95%;' })]);
    expectGroup(computed, ['00:00:00 OK', '08:00:00 CRITICAL'], '33.33333 / 33.33333 / 0 / 0.33333 / 0');
    expect(computed.metric.points).toEqual([
      { at: 28_800, status: 'CRITICAL', actualData: 'load=95%;', originalStatus: 'OK', thresholdRule: 'load=0%;50:90;90:100' },
    ]);
    expect([computed.group, computed.service, computed.endpoint].map(({ flagged }) => flagged)).toEqual([true, true, true]);
  });

  it('13: 283 of 288 slots', () => expect(figureTexts(figures13)).toBe('98.26389 / 98.26389 / 0 / 0.98264 / 0'));
  it('14: 154 slots', () => expect(figureTexts(figures14)).toBe('54.03509 / 81.48148 / 0.01042 / 0.53472 / 0.33333'));

  it('22: two groups of one name', () => {
    const groups = [
      { name: 'access', operation: 'OR', services: [{ name: 'web', operation: 'OR' }] },
      { name: 'access', operation: 'AND', services: [{ name: 'db', operation: 'OR' }] },
    ];
    const db = { service: 'db' };
    const both = [...web(), { service: 'db', host: 'h1', metrics: ['a'] }];
    const points = [okBefore(), okBefore(db), point('06:00', 'CRITICAL'), point('07:30', 'OK')];
    expectGroup(compute(planOf({ aggregation: { ...AGGREGATION, groups } }, both), points), ['00:00:00 OK'], '100 / 100 / 0 / 1 / 0');
  });
});

describe('vectors of periods (results contract 14)', () => {
  it('15: two days', () => {
    const published = '76.26534166743393 / 91.61418757296076 / 0.00521 / 0.75868 / 0.166665';
    expect(figureTexts(summed(sumOfFigures(), [figures13, figures14]))).toBe(published);
  });

  it('16: one day up', () => {
    const up = compute(planOf(), [okBefore()]).group.figures;
    expect(figureTexts(summed(sumOfFigures(), [up]))).toBe('99.99999900000002 / 99.99999900000002 / 0 / 1 / 0');
  });

  it('17: two groups of weights 3 and 0', () => {
    const plan = planOf({ supergroups: new Map([['ngi', ['one', 'two']]]), weights: new Map([['one', 3]]) });
    const figures = compute(planOf(), OUTAGE).group.figures;
    const [ngi] = supergroupDays(plan, [
      { name: 'one', figures },
      { name: 'two', figures: figures14 },
    ]);
    expect([ngi!.availability, ngi!.reliability].map(numberText)).toEqual(['85.807018', '91.29629600000001']);
  });

  it('18: a day without figures', () => {
    const days = [93.75, -1].map((value) => ({ availability: value, reliability: value }));
    expect(numberText(summed(sumOfMeans(), days).availability)).toBe('93.75');
    const group: readonly Figures[] = [compute(planOf(), OUTAGE).group.figures, compute(planOf(), []).group.figures];
    const { uptime, unknown, availability } = summed(sumOfFigures(), group);
    expect([uptime, unknown]).toEqual([0.46875, 0.5]);
    expect(numberText(availability)).toMatch(/^93\.749998125/);
  });
});
