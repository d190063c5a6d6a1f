import fc from 'fast-check';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { type DayWindow, endpointKey, type Plan, type PlannedEndpoint, type PlannedRecomputation } from '#domain/status/results/plan.js';
import type { SentPoint } from './naive.js';
import { DAY, DAY_BEFORE } from './plans.js';

const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const [GROUPS, SERVICES, HOSTS, METRICS] = [
  ['g1', 'g2'],
  ['s1', 's2', 's3'],
  ['h1', 'h2'],
  ['m1', 'm2'],
];
const OPERATIONS = ['AND', 'OR', 'NONE'];
const REPORT = 'report-1';

const status = fc.constantFrom(...STATES);
const oneOf = (names: readonly string[]) => fc.constantFrom(...names);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const maybeOf = (names: readonly string[]) => maybe(oneOf(names));
/** Mostly few instants, so that points and windows meet; the first and the last of the day among them. */
export const second = fc.oneof(fc.constantFrom(0, 21_600, 43_200, 43_201, 86_399), fc.integer({ min: 0, max: 86_399 }));

/** Without members that are not given. */
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

const table = fc.array(fc.record({ a: status, b: status, x: status }), { maxLength: 30 });
export const operations: fc.Arbitrary<OperationsProfile> = fc
  .record({ and: table, or: table, down: status, missing: status, unknown: status })
  .map(({ and, or, ...defaults }) => ({
    name: 'ops',
    available_states: STATES,
    defaults,
    operations: [
      { name: 'AND', truth_table: and },
      { name: 'OR', truth_table: or },
    ],
  }));

export const aggregation: fc.Arbitrary<AggregationProfile> = fc
  .record({
    metric_operation: oneOf(OPERATIONS),
    profile_operation: oneOf(OPERATIONS),
    // several of one name, too
    functions: fc.array(
      fc.record({
        name: oneOf(['f1', 'f2', 'f3', 'rest']),
        operation: oneOf(OPERATIONS),
        services: fc.array(fc.record({ name: oneOf(SERVICES), operation: oneOf(OPERATIONS) }), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ functions, ...operation }) => ({
    name: 'aggregation',
    namespace: '',
    endpoint_group: 'SITES',
    metric_profile: { name: 'metrics', id: 'metrics' },
    ...operation,
    // every service is in one function at least, as only such are expected
    groups: [...functions, { name: 'rest', operation: 'AND', services: SERVICES.map((name) => ({ name, operation: 'OR' })) }],
  }));

const range = fc.constantFrom('', '10', '5:', '~:10', '5:20', '@5:10', '-5:5');
const item = fc.record({ label: oneOf(['load', 'time']), warning: range, critical: range });
export const thresholds = fc.array(
  fc
    .record({
      endpoint_group: maybeOf(GROUPS),
      host: maybeOf(HOSTS),
      metric: oneOf(METRICS),
      items: fc.array(item, { minLength: 1, maxLength: 3 }),
      separator: fc.constantFrom(' ', ';'),
    })
    .map(({ items, separator, ...rule }) =>
      given({ ...rule, thresholds: items.map(({ label, warning, critical }) => `${label}=0s;${warning};${critical}`).join(separator) }),
    ),
  { maxLength: 4 },
);

const whole = fc.integer({ min: -10, max: 30 });
const scientific = fc.tuple(whole, fc.constantFrom('e-05', 'E1', 'e+0')).map(([mantissa, exponent]) => `${mantissa}.5${exponent}`);
const value = fc.oneof(whole.map(String), scientific, fc.constantFrom('7,5', '7e'));

const actualData = fc
  .record({
    data: fc.array(fc.record({ label: oneOf(['load', 'time', 'size']), value }), { minLength: 1, maxLength: 3 }),
    separator: fc.constantFrom(' ', ';', '; '),
  })
  .map(({ data, separator }) => data.map(({ label, value: number }) => `${label}=${number}%`).join(separator));

export const sentPoint = (days: readonly string[]): fc.Arbitrary<SentPoint> =>
  fc
    .record({
      day: oneOf(days),
      at: second,
      service: oneOf(SERVICES),
      host: oneOf(HOSTS),
      metric: oneOf(METRICS),
      status: fc.oneof({ weight: 9, arbitrary: status }, { weight: 1, arbitrary: oneOf(['ODD', 'EXCLUDED']) }),
      report: fc.constantFrom(undefined, undefined, undefined, REPORT, 'other'),
      group: fc.constantFrom(undefined, undefined, undefined, ...GROUPS),
      monitoringHost: fc.constantFrom(undefined, 'mon1', 'mon2'),
      actualData: maybe(actualData),
    })
    .map(given);

const instant = fc
  .record({ day: oneOf([DAY_BEFORE, DAY]), at: second })
  .map(({ day, at }) => new Date(Date.parse(day) + at * 1000).toISOString().replace('.000', ''));

/** Places and states of the lists of a recomputation. */
export const exclusions = fc.record({
  exclude: fc.subarray(GROUPS),
  exclude_metrics: fc.array(
    fc.record({ metric: maybeOf(METRICS), hostname: maybeOf(HOSTS), service: maybeOf(SERVICES), group: maybeOf(GROUPS) }).map(given),
    { maxLength: 2 },
  ),
  exclude_monitoring_source: fc.array(fc.record({ host: oneOf(['mon1', 'mon2']), start_time: instant, end_time: instant }), {
    maxLength: 1,
  }),
  applied_status_changes: fc.array(
    fc
      .record({
        metric: maybeOf(METRICS),
        hostname: maybeOf(HOSTS),
        service: maybeOf(SERVICES),
        group: maybeOf(GROUPS),
        state: maybeOf([...STATES, 'EXCLUDED', 'ODD']),
      })
      .map(given),
    { maxLength: 3 },
  ),
});

const window: fc.Arbitrary<DayWindow> = fc.record({ from: second, to: fc.oneof(second, fc.constant(86_400)) });

const recomputations: fc.Arbitrary<readonly PlannedRecomputation[]> = fc.array(
  fc.record({ window, lists: exclusions }).map(({ window: of, lists }) => ({ id: 'r', window: of, ...lists })),
  { maxLength: 3 },
);

const endpointsOf = fc
  .uniqueArray(fc.record({ service: oneOf(SERVICES), host: oneOf(HOSTS), metrics: fc.subarray(METRICS, { minLength: 1 }) }), {
    minLength: 1,
    maxLength: 5,
    selector: ({ service, host }) => endpointKey(service, host),
  })
  .map((endpoints): readonly PlannedEndpoint[] =>
    endpoints.toSorted((one, other) => (endpointKey(one.service, one.host) < endpointKey(other.service, other.host) ? -1 : 1)),
  );

const downtimes = fc.array(fc.record({ service: oneOf(SERVICES), host: oneOf(HOSTS), window }), { maxLength: 3 }).map((list) => {
  const windows = new Map<string, DayWindow[]>();
  for (const { service, host, window: one } of list) {
    if (one.from >= one.to) continue;
    const key = endpointKey(service, host);
    windows.set(key, [...(windows.get(key) ?? []), one]);
  }
  return windows;
});

/** Plans of {@link DAY} with up to two groups. */
export const plans: fc.Arbitrary<Plan> = fc
  .record({
    operations,
    aggregation,
    thresholds,
    groups: fc.tuple(endpointsOf, maybe(endpointsOf)),
    downtimes,
    weights: fc.array(fc.tuple(oneOf(GROUPS), fc.integer({ min: 0, max: 9 })), { maxLength: 2 }),
    recomputations,
  })
  .map(({ groups: [first, second_], weights, ...rest }) => {
    const groups = [first, second_].flatMap((endpoints, index) => (endpoints ? [{ name: GROUPS[index]!, endpoints }] : []));
    return {
      report: REPORT,
      day: DAY,
      ...rest,
      groups: new Map(groups.map((group) => [group.name, group])),
      supergroups: new Map([['ngi', groups.map(({ name }) => name)]]),
      weights: new Map(weights),
    };
  });

/** Points of the day, and of the day before, in the order of the log. */
export const pointLists = fc.array(sentPoint([DAY, DAY, DAY, DAY_BEFORE]), { maxLength: 60, size: 'max' });

/** The seconds of a day that have passed. */
export const nows = fc.oneof(fc.constant(86_400), second);
