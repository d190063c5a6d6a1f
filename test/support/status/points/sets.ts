import { inKeyOrder } from '#domain/shared/text/text-order.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import type { Random } from '#test/faults/random.js';
import type { Step } from './lab.js';

/** The steps that fill a log, in order. `size`: 1 for a short run. */
export type PointsSet = (random: Random, size: number) => readonly Step[];

export const TENANT = 'tenant-1';
/** Reports and endpoint groups that points of any set may contain, and that are expected. */
export const REPORTS = ['7d1ab0f2-report', 'report-2', 'r/3%'] as const;
export const GROUPS = ['SITE-A', 'SITE-B', 'SITE/C', 'a%2Fb', '__proto__'] as const;

const STATUSES = ['OK', 'OK', 'OK', 'OK', 'OK', 'CRITICAL', 'WARNING', 'UNKNOWN', 'MISSING'];
const DAY = Date.UTC(2026, 2, 29);
const DAY_MS = 86_400_000;

const times = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => one(index));
const instant = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
/** An instant of the day, in whole seconds. */
const at = (day: number, second: number): string => instant(DAY + day * DAY_MS + second * 1_000);
const call = (points: readonly MetricResult[], tenantId = TENANT): Step => ({ tenantId, points });

const point = (host: string, timestamp: string, members: Partial<MetricResult> = {}): MetricResult => ({
  ...{ host, timestamp, service: 'web', metric: 'http', status: 'OK', endpoint_group: '', summary: '', message: '' },
  ...members,
});

const letters = (random: Random, length: number): string => times(length, () => String.fromCharCode(random.between(97, 122))).join('');
/** Text of its own. */
const words = (random: Random, count: number): string => times(count, () => letters(random, random.between(2, 9))).join(' ');

const varied = (random: Random): Partial<MetricResult> => ({
  service: random.pick(['web', 'ssh', 'org.egi.Cloud']),
  metric: `org.nagios.${random.pick(['Ping', 'Cert', 'Load'])}`,
  status: random.pick(STATUSES),
  summary: words(random, random.between(1, 12)),
  message: random.chance(0.5) ? '' : words(random, random.between(1, 30)),
  ...(random.chance(0.2) && { actual_data: `time=${random.fraction()}s;${random.between(0, 9)}` }),
  ...(random.chance(0.3) && { monitoring_host: `mon-${random.between(1, 2)}` }),
});

const named = (random: Random): Partial<MetricResult> => ({ report: random.pick(REPORTS), endpoint_group: random.pick(GROUPS) });

/** Calls of 100 points of one second: 20 hosts with 5 metrics, few texts. */
const even: PointsSet = (random, size) =>
  times(15 * size, (number) => {
    const timestamp = at(0, number * 300);
    const texts = { summary: 'OK - everything is fine', message: 'no details' };
    const of = (index: number) => ({ metric: `metric-${index % 5}`, status: random.pick(STATUSES), ...texts });
    return call(times(100, (index) => point(`host-${Math.floor(index / 5)}.example.org`, timestamp, of(index))));
  });

/** Calls of 100 points of some 90 hosts, varied texts. `memberOf`: further members. */
const mixedWith = (random: Random, calls: number, memberOf: () => Partial<MetricResult>): readonly Step[] =>
  times(calls, (number) => {
    const timestamp = () => at(Math.floor(number / 8), ((number % 8) * 600 + random.between(0, 900)) % 86_400);
    return call(times(100, () => point(`host-${random.between(1, 400)}.example.org`, timestamp(), { ...varied(random), ...memberOf() })));
  });

const mixed: PointsSet = (random, size) =>
  mixedWith(random, 10 * size, () => {
    const { report, endpoint_group } = named(random);
    return { ...(random.chance(0.2) && { report }), ...(random.chance(0.3) && { endpoint_group }) };
  });

const reports: PointsSet = (random, size) => mixedWith(random, 8 * size, () => named(random));

/** Days of 40 hosts, each with late points for earlier days. */
const month: PointsSet = (random, size) =>
  times(16 * size, (number) => {
    const day = Math.floor(number / 2);
    const some = times(80, (index) => {
      const isLate = random.chance(0.06);
      const timestamp = at(isLate ? random.between(0, day) : day, random.between(0, 86_399));
      const inReport = random.chance(0.5) && { report: REPORTS[index % 2], endpoint_group: ['', ...GROUPS][index % 3] };
      return point(`host-${index % 40}`, timestamp, { ...varied(random), ...inReport });
    });
    return call(some);
  });

const NAMES = ['a/b', '__proto__', 'constructor', 'a%2Fb', '%', '%-', 'ß – é 😀', 'toString', '0', 'l'.repeat(250)] as const;
const STRANGE_TEXTS = ['\ud800', 'a\udfff\n<b> & \u2028', '"\\\t\u0000', '😀', '__proto__', '0', ' '];
const INFO = ['__proto__', '10', '9', 'URL', 'ID', 'a/b', '<&>'];

const info = (random: Random): MetricResult['info'] =>
  inKeyOrder(
    JSON.parse(`{${times(random.between(1, 4), () => `${JSON.stringify(random.pick(INFO))}:${JSON.stringify(words(random, 2))}`)}}`),
  );

/** Mostly the first one, so that points meet. */
const mostly = <T>(random: Random, items: readonly [T, ...T[]]): T => (random.chance(0.5) ? items[0] : random.pick(items));

const strange = (random: Random): Partial<MetricResult> => {
  const filled = () => mostly(random, NAMES);
  return {
    ...{ service: random.chance(0.1) ? '' : filled(), metric: filled(), status: mostly(random, ['OK', ...STATUSES, ...NAMES]) },
    ...{
      endpoint_group: mostly(random, ['', ...GROUPS]),
      summary: random.pick(STRANGE_TEXTS),
      message: random.pick(['', ...STRANGE_TEXTS]),
    },
    ...(random.chance(0.4) && { report: random.pick(REPORTS) }),
    ...(random.chance(0.3) && { monitoring_host: filled() }),
    ...(random.chance(0.3) && { previous_timestamp: at(-1, 5), previous_state: random.pick(STATUSES) }),
    ...(random.chance(0.6) && { info: info(random) }),
    ...(random.chance(0.3) && { actual_data: random.pick(STRANGE_TEXTS) }),
    ...(random.chance(0.2) && { threshold_rule_applied: 'a=0;1:2', original_status: random.pick(STATUSES) }),
  };
};

/** Days years apart. */
const FAR = ['2026-03-29', '0001-01-01', '1970-01-01', '2024-02-29', '9999-12-31'] as const;
const hostile: PointsSet = (random, size) => {
  const other = 'tenant-1.b';
  const [deleted, silent] = ['tenant-deleted', 'tenant-silent'];
  const time = () => random.pick(['00:00:00', '12:00:00', '12:00:01', '23:59:59']);
  const anywhere = () => point(mostly(random, NAMES), `${mostly(random, FAR)}T${time()}Z`, strange(random));
  const some = (tenantId: string, count: number): Step => call(times(count, anywhere), tenantId);
  const burst = (count: number, members: () => Partial<MetricResult>, host = 'burst'): Step =>
    call(times(count, () => point(host, at(0, random.between(43_200, 43_201)), members())));
  return [
    some(TENANT, 60),
    some(deleted, 40),
    some(silent, 40),
    ...times(4 * size, () => burst(250, () => ({ status: random.pick(STATUSES) }))),
    some(other, 60),
    ...times(3, () =>
      burst(150, () => ({
        ...named(random),
        ...(random.chance(0.2) && { endpoint_group: '' }),
        status: `STATUS-${random.between(1, 30)}`,
        metric: random.pick(['a', 'b']),
      })),
    ),
    { deleted },
    call(times(1_000, (index) => point('many', at(0, 60), { metric: `metric-${index}`, status: random.pick(STATUSES) }))),
    ...times(3, () => call(times(30, () => point('many', at(0, random.between(50, 70)), { metric: `metric-${random.between(0, 999)}` })))),
    ...times(12, () =>
      call([point('long', at(0, random.between(0, 5)), { ...varied(random), message: letters(random, 4).repeat(25_000) })]),
    ),
    call([point('long', at(0, 3), { summary: '😀<\udead'.repeat(10_000), message: 'x'.repeat(1_000_000) })]),
    ...times(6 * size, () => some(random.pick([TENANT, other]), random.between(1, 90))),
    // More than the few thousand series for which summaries are kept
    ...times(size > 1 ? 18 : 0, (number) => call(times(999, (index) => point('wide', at(1, 60), { metric: `m-${number}-${index}` })))),
    { deleted: silent },
  ];
};

/** One point a call. */
const single: PointsSet = (random, size) =>
  times(150 * size, (number) =>
    call([
      point(`host-${random.between(1, 9)}`, at(0, number * 60 - random.between(0, 90)), {
        ...varied(random),
        ...(random.chance(0.3) && named(random)),
      }),
    ]),
  );

/** Sets by name. */
export const POINTS_SETS = { even, mixed, reports, month, hostile, single } as const satisfies Readonly<Record<string, PointsSet>>;
