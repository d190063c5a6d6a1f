import { describe, expect, it } from '@jest/globals';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { PROFILE_V } from '#test/support/results/plans.js';
import { combinationOf } from './combination.js';
import { Thresholds } from './thresholds.js';

const and = combinationOf(PROFILE_V, 'AND');

/** Applies one rule to a point that is OK. */
const judged = (thresholds: string, actualData: string, status = 'OK', profile = PROFILE_V) => {
  const rules = new Thresholds([{ metric: 'm', thresholds }], combinationOf(profile, 'AND'));
  return rules.judging(rules.rangesFor('site', 'h1', 'm')!)({ status, actualData });
};

describe('choice of a threshold rule (results contract 4)', () => {
  const [GROUP_HOST, HOST, GROUP, METRIC] = [
    { endpoint_group: 'site', host: 'h1', metric: 'm', thresholds: 'x=0;1:9' },
    { host: 'h1', metric: 'm', thresholds: 'x=0;2:9' },
    { endpoint_group: 'site', metric: 'm', thresholds: 'x=0;3:9' },
    { metric: 'm', thresholds: 'x=0;4:9' },
  ];
  const chosen = (...rules: ConstructorParameters<typeof Thresholds>[0]) =>
    new Thresholds(rules, and).rangesFor('site', 'h1', 'm')?.get('x')?.text;

  it('prefers group, host and metric', () => expect(chosen(METRIC, GROUP, GROUP_HOST, HOST)).toBe(GROUP_HOST.thresholds));
  it('then prefers host and metric', () => expect(chosen(METRIC, HOST, GROUP)).toBe(HOST.thresholds));
  it('then prefers group and metric', () => expect(chosen(METRIC, GROUP)).toBe(GROUP.thresholds));
  it('then uses the metric alone', () => expect(chosen(METRIC)).toBe(METRIC.thresholds));
  it('uses the last of equal rules', () => expect(chosen(METRIC, { ...METRIC, thresholds: 'x=0;5:9' })).toBe('x=0;5:9'));

  it('uses no rule of another group, host or metric', () => {
    const others = [
      { ...GROUP_HOST, host: 'h2' },
      { ...HOST, host: 'h2' },
      { ...GROUP, endpoint_group: 'other' },
      { ...METRIC, metric: 'n' },
    ];
    expect(chosen(...others)).toBeUndefined();
  });
});

describe('items (results contract 4)', () => {
  it.each([
    ['separated by ;', 'a=0;5:9;b=0;5:9', 'a=6;b=7', 'a=0;5:9 b=0;5:9'],
    ['separated by blanks', 'a=0;5:9  b=0;5:9', 'a=6s;;;0;   b=7KB', 'a=0;5:9 b=0;5:9'],
    ['in the order of the actual data', 'a=0;5:9 b=0;5:9', 'b=6 a=7', 'b=0;5:9 a=0;5:9'],
    ['the last of equal labels', 'a=0;5:9 b=0;5:9', 'a=6 b=7 a=8', 'b=0;5:9 a=0;5:9'],
    ['the last of equal labels of a rule', 'a=0;5:9 a=0;5:8', 'a=6', 'a=0;5:8'],
    ['with decimals and a unit', 'a=0;5:9', 'a=8.99%', 'a=0;5:9'],
    ['in scientific notation', 'a=0;1e4 b=0;5:9 c=0;5:9', 'a=1 b=6.0e+00s c=.08E2', 'b=0;5:9 c=0;5:9'],
    ['with a unit that begins with e', 'a=0;5:9 b=0;5:9', 'a=6e b=7eggs', 'a=0;5:9 b=0;5:9'],
    ['that are negative', 'a=0;-9:-5', 'a=-6.5', 'a=0;-9:-5'],
    ['beside other text', 'a=0;5:9', 'OK - 3 of 4 a=6ms;;; Total time', 'a=0;5:9'],
  ])('%s', (_, rule, actual, applied) => {
    expect(judged(rule, actual)).toEqual({ status: 'WARNING', originalStatus: 'OK', rule: applied });
  });

  it.each(['', 'a', 'a=', 'a=x', '=6', 'b=6', 'A=6', 'a6', 'a =6', 'a=6e-05s;;;0.000000', 'a=6,5s', 'a=66,5'])(
    'give no verdict: %j',
    (actual) => expect(judged('a=0;5:9', actual)).toBeUndefined(),
  );

  it('are parsed in time linear in the length of the text', () => {
    const long = 200_000;
    for (const text of [
      ' '.repeat(long),
      ';'.repeat(long),
      'a=1'.repeat(long),
      'a='.repeat(long),
      '1'.repeat(long),
      `a=${'1'.repeat(long)}x`,
    ]) {
      expect(judged('b=0;5:9', text)).toBeUndefined();
    }
  });
});

describe('ranges (results contract 4)', () => {
  it.each([
    ['10', [0.1, 9.9], [-1, 0, 10, 11]],
    ['10:', [10.1, 1e300], [-1, 0, 10]],
    ['~:10', [-1e300, 0, 9.9], [10, 11]],
    ['5:10', [5.5, 9.9], [5, 10, 0, 11]],
    ['-3:-1.5', [-2, -1.6], [-3, -1.5, 0]],
    ['@5:10', [5, 10, 0, 11], [5.5, 9.9]],
    ['@10', [0, 10, -1], [1, 9.9]],
    ['', [], [0, 1, -1]],
  ])('%j', (range, inside, outside) => {
    const statusAt = (value: number) => judged(`a=0;${range}`, `a=${value.toLocaleString('en-US', { useGrouping: false })}`)?.status;
    for (const value of inside) expect([value, statusAt(value)]).toEqual([value, 'WARNING']);
    for (const value of outside) expect([value, statusAt(value)]).toEqual([value, undefined]);
  });

  it('compare 64-bit numbers', () => expect(judged('a=0;16777216:', 'a=16777216.5')?.status).toBe('WARNING'));
});

describe('verdicts (results contract 4)', () => {
  it('are WARNING in the warning range, even if the critical range covers it', () =>
    expect(judged('a=0;5:9;5:20', 'a=6')?.status).toBe('WARNING'));
  it('are CRITICAL in the critical range alone', () => expect(judged('a=0;5:9;5:20', 'a=10')?.status).toBe('CRITICAL'));
  it('are CRITICAL without a warning range', () => expect(judged('a=0;;5:20', 'a=10')?.status).toBe('CRITICAL'));
  it('change nothing outside both ranges', () => expect(judged('a=0;5:9;5:20;0;100', 'a=30')).toBeUndefined());

  it('of several labels are combined by AND', () => {
    expect(judged('a=0;5:9 b=0;;5:9', 'a=6 b=6')).toEqual({ status: 'CRITICAL', originalStatus: 'OK', rule: 'a=0;5:9 b=0;;5:9' });
  });

  it('are unknown if several labels have no operation AND', () => {
    const profile = { ...PROFILE_V, operations: [] };
    expect(judged('a=0;5:9 b=0;;5:9', 'a=6 b=6', 'OK', profile)?.status).toBe('UNKNOWN');
    expect(judged('a=0;5:9 b=0;5:9', 'a=6 b=6', 'OK', profile)?.status).toBe('WARNING');
  });

  it('do not change a point that already has the status', () => expect(judged('a=0;5:9', 'a=6', 'WARNING')).toBeUndefined());
  it('can change a critical point to a warning', () => {
    expect(judged('a=0;5:9', 'a=6', 'CRITICAL')).toEqual({ status: 'WARNING', originalStatus: 'CRITICAL', rule: 'a=0;5:9' });
  });

  it('of many points share the texts of long items', () => {
    const items = ['aa', 'bb'].map((label) => `${label}=${'0'.repeat(1024 * 1024)};1:9`);
    const rules = new Thresholds([{ metric: 'm', thresholds: items.join(' ') }], and);
    const judge = rules.judging(rules.rangesFor('site', 'h1', 'm')!);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const verdicts = Array.from({ length: 50 }, (_, n) => judge({ status: 'OK', actualData: `aa=3 bb=3 n=${n}` }));
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024);
    expect(verdicts.at(-1)?.rule).toBe(items.join(' '));
  });
});
