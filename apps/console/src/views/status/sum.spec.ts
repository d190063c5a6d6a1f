import { describe, expect, it } from '@jest/globals';
import type { Explanation } from './load.js';
import { percentOf, soFar, sumOf } from './sum.js';

const DAY = '2026-11-20';
const RANK = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME', 'CRITICAL'];
const DEFAULTS = { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' };

type Span = readonly [from: string, to: string, status: string];
/** `functions`: services that stand in for each other. Default: each service is a function of its own. */
type Given = Readonly<{ until?: string; excluded?: readonly Span[]; functions?: readonly (readonly string[])[] }>;

const second = (text: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
};
const instant = (seconds: number): string => new Date(Date.parse(DAY) + seconds * 1_000).toISOString();

/** A day of services that are OK but for these spans; a function has the best of their states, the group the worst of its functions. */
const dayOf = (services: Readonly<Record<string, readonly Span[]>>, given: Given = {}): Explanation => {
  const { until = '24:00', excluded = [], functions = Object.keys(services).map((name) => [name]) } = given;
  const end = second(until);
  const at = (spans: readonly Span[], when: number): string =>
    spans.find(([from, to]) => second(from) <= when && when < second(to))?.[2] ?? 'OK';
  const instants = [0, ...[...Object.values(services), excluded].flat().flatMap(([from, to]) => [second(from), second(to)])];
  const edges = [...new Set(instants)].filter((one) => one < end).sort((one, other) => one - other);
  const rankOfFunction = (names: readonly string[], when: number): number =>
    Math.min(...names.map((name) => RANK.indexOf(at(services[name] ?? [], when))));
  const worst = (when: number): string => RANK[Math.max(...functions.map((names) => rankOfFunction(names, when)))] ?? 'OK';
  const timelineOf = (statusAt: (when: number) => string) =>
    edges.flatMap((when, index) =>
      index > 0 && statusAt(edges[index - 1] ?? 0) === statusAt(when) ? [] : [{ from: instant(when), status: statusAt(when) }],
    );
  const seconds = (...statuses: readonly string[]): number =>
    edges.reduce((sum, when, index) => {
      const status = at(excluded, when) === 'OK' ? worst(when) : 'UNKNOWN';
      return statuses.includes(status) ? sum + (edges[index + 1] ?? end) - when : sum;
    }, 0);
  const [up, down, unknown] = [seconds('OK', 'WARNING'), seconds('DOWNTIME'), seconds('UNKNOWN', 'MISSING')];
  const text = (whole: number): string => (whole === 0 ? '-1' : `${Math.round((up / whole) * 1e7) / 1e5}`);
  return {
    day: DAY,
    until: instant(end),
    group: 'SITE-02',
    defaults: DEFAULTS,
    figures: { availability: text(end - unknown), reliability: text(end - unknown - down), unknown: '0', uptime: '0', downtime: '0' },
    timeline: timelineOf(worst),
    services: Object.entries(services).map(([service, spans]) => ({ service, timeline: timelineOf((when) => at(spans, when)) })),
    functions: functions.map((names) => ({
      name: names.join(' or '),
      services: names,
      timeline: timelineOf((when) => RANK[rankOfFunction(names, when)] ?? 'OK'),
    })),
    recomputations: excluded.map(([from, to]) => ({ excludesGroup: true, from: instant(second(from)), to: instant(second(to)) })),
  } as unknown as Explanation;
};

it.each([
  ['24:00', ''],
  ['06:20', ' so far (6 h 20 min)'],
  ['00:00', ' so far (0 s)'],
])('a day until %s has figures of the day%s', (until, said) => expect(soFar(dayOf({}, { until }))).toBe(said));

describe('the sum of an availability', () => {
  it('subtracts what was down, by service and times', () => {
    const day = dayOf({ compute: [['12:33', '14:40', 'CRITICAL']], storage: [['20:00', '20:30', 'CRITICAL']] });
    const sum = '100 − 8.82 (compute: down 12:33–14:40) − 2.08 (storage: down 20:00–20:30) = 89.1 %';
    expect([sumOf(day, 'availability'), sumOf(day, 'reliability')]).toEqual([sum, sum]);
  });

  it('is 100 of a day without outages, and 0 of one that was down', () => {
    expect(sumOf(dayOf({ web: [] }), 'availability')).toBe('100 %');
    expect(sumOf(dayOf({ web: [['08:00', '09:00', 'WARNING']] }), 'availability')).toBe('100 %');
    expect(sumOf(dayOf({ web: [['00:00', '24:00', 'CRITICAL']] }), 'availability')).toBe('100 − 100 (web: down 00:00–24:00) = 0 %');
  });

  it('names all services that are down together, and each by itself before and after', () => {
    const day = dayOf({ compute: [['10:00', '12:00', 'CRITICAL']], storage: [['11:00', '13:00', 'CRITICAL']] });
    expect(sumOf(day, 'availability')).toBe(
      '100 − 4.17 (compute: down 10:00–11:00) − 4.17 (compute, storage: down 11:00–12:00) − 4.16 (storage: down 12:00–13:00) = 87.5 %',
    );
  });

  it('names no service that another one of its function stands in for, and both where both are down', () => {
    const functions = [['compute', 'spare'], ['storage']];
    const masked = { compute: [['08:00', '12:00', 'CRITICAL']], spare: [], storage: [['10:00', '11:00', 'CRITICAL']] } as const;
    expect(sumOf(dayOf(masked, { functions }), 'availability')).toBe('100 − 4.17 (storage: down 10:00–11:00) = 95.83 %');
    const both = { ...masked, spare: [['11:00', '12:00', 'CRITICAL']] } as const;
    expect(sumOf(dayOf(both, { functions }), 'availability')).toBe(
      '100 − 4.17 (storage: down 10:00–11:00) − 4.16 (compute, spare: down 11:00–12:00) = 91.67 %',
    );
  });

  it('has scheduled downtime as a term, which reliability leaves out of the whole', () => {
    const day = dayOf({
      web: [
        ['09:00', '10:00', 'CRITICAL'],
        ['10:00', '12:00', 'DOWNTIME'],
        ['12:00', '13:00', 'CRITICAL'],
      ],
    });
    expect(sumOf(day, 'availability')).toBe(
      '100 − 4.17 (web: down 09:00–10:00) − 8.33 (web: scheduled downtime 10:00–12:00) − 4.17 (web: down 12:00–13:00) = 83.33 %',
    );
    expect(sumOf(day, 'reliability')).toBe(
      '100 − 4.55 (web: down 09:00–10:00) − 4.54 (web: down 12:00–13:00) = 90.91 % of the 22 h known outside of scheduled downtime',
    );
    expect(sumOf(dayOf({ web: [['00:00', '24:00', 'DOWNTIME']] }), 'reliability')).toBe('unknown outside of scheduled downtime');
  });

  it('says behind the figure what is unknown and missing', () => {
    const day = dayOf({ compute: [['12:00', '13:09', 'CRITICAL']], storage: [['02:00', '03:00', 'MISSING']] });
    expect(sumOf(day, 'availability')).toBe('100 − 5 (compute: down 12:00–13:09) = 95 % of the 23 h known (storage missing 02:00–03:00)');
    expect(sumOf(dayOf({ web: [['00:00', '24:00', 'MISSING']] }), 'availability')).toBe('unknown (web missing 00:00–24:00)');
  });

  it('leaves out what recomputations exclude, and of today what is still to come', () => {
    const day = dayOf({ web: [['06:00', '07:30', 'CRITICAL']] }, { excluded: [['06:00', '07:00', 'EXCLUDED']], until: '12:00' });
    expect(sumOf(day, 'availability')).toBe(
      '100 − 4.55 (web: down 07:00–07:30) = 95.45 % of the 11 h known (SITE-02 excluded 06:00–07:00)',
    );
  });

  it('has the five largest terms, and the rest as one', () => {
    const spans = Array.from({ length: 8 }, (_, at): Span => [`${at * 2}:00`, `${at * 2}:${at < 3 ? '02' : '30'}`, 'CRITICAL']);
    expect(sumOf(dayOf({ web: spans }), 'availability')).toBe(
      '100 − 2.09 (web: down 06:00–06:30) − 2.08 (web: down 08:00–08:30) − 2.08 (web: down 10:00–10:30) − 2.08 (web: down 12:00–12:30)' +
        ' − 2.08 (web: down 14:00–14:30) − 0.42 (3 more) = 89.17 %',
    );
  });

  it('is right as it stands, whatever the lengths are', () => {
    for (let seed = 1; seed < 400; seed += 1) {
      const count = 1 + (seed % 9);
      const spans = Array.from({ length: count }, (_, at): Span => {
        const [from, length] = [at * 9_000, 1 + ((seed * 7_919 * (at + 1)) % 8_000)];
        return [`0:0:${from}`, `0:0:${from + length}`, 'CRITICAL'];
      });
      const sum = sumOf(dayOf({ web: spans }), 'availability');
      const [whole = '', result = ''] = sum.split(' = ');
      const hundredths = [...whole.matchAll(/(?:^| − )([\d.]+)/g)].map(([, value]) => Math.round(Number(value) * 100));
      const [hundred = 0, ...subtracted] = hundredths;
      expect([sum, hundred - subtracted.reduce((all, one) => all + one, 0)]).toEqual([sum, Math.round(Number.parseFloat(result) * 100)]);
      expect(sum).not.toMatch(/\d\.\d{3}/);
    }
  });

  it('shows times to the second where minutes say nothing', () => {
    expect(sumOf(dayOf({ web: [['08:00:05', '08:00:20', 'CRITICAL']] }), 'availability')).toBe(
      '100 − 0.02 (web: down 08:00:05–08:00:20) = 99.98 %',
    );
    expect(sumOf(dayOf({ web: [['08:00:05', '08:00:07', 'CRITICAL']] }), 'availability')).toBe('100 %');
  });
});

it.each([
  ['93.75', '93.75 %'],
  ['89.09722', '89.1 %'],
  ['99.99999900000002', '100 %'],
  ['1e-05', '0 %'],
  ['-1', 'unknown'],
])('shows the figure %s as %s', (figure, shown) => expect(percentOf(figure)).toBe(shown));
