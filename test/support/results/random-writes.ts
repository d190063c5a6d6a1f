import fc from 'fast-check';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { ProfileType, Write } from './naive-world.js';
import { aggregation, exclusions, second, sentPoint, thresholds } from './random-days.js';

const STATES = ['OK', 'WARNING', 'UNKNOWN', 'MISSING', 'CRITICAL', 'DOWNTIME'];
const [GROUPS, SERVICES, HOSTS, METRICS] = [
  ['g1', 'g2'],
  ['s1', 's2', 's3'],
  ['h1', 'h2'],
  ['m1', 'm2'],
];

const status = fc.constantFrom(...STATES);
const oneOf = (names: readonly string[]) => fc.constantFrom(...names);

/** A row for each pair, as validation wants it, in either direction, and some rows more. */
const table = fc
  .tuple(
    fc.array(fc.record({ x: status, turned: fc.boolean() }), { minLength: 21, maxLength: 21 }),
    fc.array(fc.record({ a: status, b: status, x: status }), { maxLength: 4 }),
  )
  .map(([rows, more]) => {
    const pairs = STATES.flatMap((a, index) => STATES.slice(index).map((b) => [a, b] as const));
    return [
      ...pairs.map(([a, b], index) => (rows[index]!.turned ? { a: b, b: a, x: rows[index]!.x } : { a, b, x: rows[index]!.x })),
      ...more,
    ];
  });

const operations: fc.Arbitrary<OperationsProfile> = fc
  .record({ and: table, or: table, down: status, missing: status, unknown: status })
  .map(({ and, or, ...defaults }) => ({
    name: 'operations',
    available_states: STATES,
    defaults,
    operations: [
      { name: 'AND', truth_table: and },
      { name: 'OR', truth_table: or },
    ],
  }));

const metric = fc
  .array(fc.record({ service: oneOf(SERVICES), metrics: fc.subarray(METRICS) }), { minLength: 2, maxLength: 4, size: 'max' })
  .map((services) => ({ name: 'metric', services }));

const weights = fc.subarray(GROUPS).chain((names) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: names.length, maxLength: names.length }).map((values) => ({
    name: 'weights',
    weight_type: 'hepspec',
    group_type: 'SITES',
    groups: names.map((name, index) => ({ name, value: values[index]! })),
  })),
);

const BODIES: Readonly<Record<ProfileType, fc.Arbitrary<unknown>>> = {
  operations,
  metric,
  aggregation: aggregation.map((one) => ({ ...one, name: 'aggregation' })),
  thresholds: thresholds.map((rules) => ({ name: 'thresholds', rules })),
  weights,
};

/** Three days, the last of which is today. */
export type Days = readonly [string, string, string];

const profileWrite = (type: ProfileType, day: fc.Arbitrary<string>) =>
  fc.record({ kind: fc.constant('profile'), type: fc.constant(type), day, body: BODIES[type] }) as fc.Arbitrary<Write>;

const instantOf = (day: fc.Arbitrary<string>) =>
  fc.record({ day, at: second }).map((one) => new Date(Date.parse(one.day) + one.at * 1000).toISOString().replace('.000', ''));

const groups = (day: fc.Arbitrary<string>): fc.Arbitrary<Write> =>
  fc.record({
    kind: fc.constant('groups'),
    day,
    items: fc.array(fc.record({ group: oneOf(['n1', 'n2']), type: oneOf(['NGI', 'NGI', 'NGI', 'OTHER']), subgroup: oneOf(GROUPS) }), {
      minLength: 1,
      maxLength: 4,
      size: 'max',
    }),
  });

const endpoints = (day: fc.Arbitrary<string>): fc.Arbitrary<Write> =>
  fc.record({
    kind: fc.constant('endpoints'),
    day,
    items: fc
      .array(
        fc.record({
          group: oneOf(GROUPS),
          type: oneOf(['SITES', 'SITES', 'SITES', 'OTHER']),
          service: oneOf(SERVICES),
          hostname: oneOf(HOSTS),
        }),
        {
          minLength: 2,
          maxLength: 8,
          size: 'max',
        },
      )
      .map((items) => items.map((item) => ({ ...item, tags: { info_ID: `id-${item.hostname}`, info_empty: '', scope: 'x' } }))),
  });

const changes = (days: Days): fc.Arbitrary<Write> => {
  const day = oneOf(days);
  const instant = instantOf(day);
  const downtime = fc.record({ hostname: oneOf(HOSTS), service: oneOf(SERVICES), start_time: instant, end_time: instant });
  const request = fc
    .record({ start_time: instant, end_time: instant, approved: fc.boolean(), own: fc.constantFrom(true, true, false), lists: exclusions })
    .map(({ lists, ...rest }) => ({ ...rest, ...lists }));
  return fc.oneof(
    ...(Object.keys(BODIES) as ProfileType[]).map((type) => profileWrite(type, day)),
    groups(day),
    endpoints(day),
    fc.record({ kind: fc.constant('downtimes' as const), day, items: fc.array(downtime, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('recomputation' as const), request }),
    fc.constant<Write>({ kind: 'forget' }),
    fc.record({ kind: fc.constant('report' as const), thresholds: fc.boolean(), weights: fc.boolean() }),
  );
};

const points = (days: Days): fc.Arbitrary<Write> =>
  fc.record({ kind: fc.constant('points' as const), points: fc.array(sentPoint(days), { minLength: 1, maxLength: 25, size: 'max' }) });

/** What a report needs to have results, then anything, in any order. Profiles and topology of the first day are always there. */
export const writeLists = (days: Days): fc.Arbitrary<readonly Write[]> => {
  const first = fc.constant(days[0]);
  const base = fc.tuple(
    ...(Object.keys(BODIES) as ProfileType[]).map((type) => profileWrite(type, first)),
    groups(first),
    endpoints(first),
  );
  const rest = fc.array(fc.oneof({ weight: 2, arbitrary: points(days) }, { weight: 3, arbitrary: changes(days) }), {
    minLength: 6,
    maxLength: 14,
    size: 'max',
  });
  return fc.tuple(base, rest).map(([one, other]) => [...one, ...other]);
};
