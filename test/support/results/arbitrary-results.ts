import fc from 'fast-check';
import type { EndpointDay, Figures, GroupDay, ResultsDay, ServiceDay } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';

const name = fc.oneof(fc.constantFrom('SITE-A', 'SITE-B', 'CE', 'h1', 'h2'), fc.string({ minLength: 1, maxLength: 12 }));
const status = fc.oneof(fc.constantFrom('OK', 'WARNING', 'CRITICAL', 'EXCLUDED'), fc.string({ maxLength: 8 }));

export const timelines: fc.Arbitrary<Timeline> = fc
  .tuple(status, fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 86_399 }), status), { selector: ([at]) => at, maxLength: 12 }))
  .map(([first, steps]) => [{ at: 0, status: first }, ...steps.sort(([a], [b]) => a - b).map(([at, status]) => ({ at, status }))]);

const percent = fc.oneof(
  fc.constant(-1),
  fc.integer({ min: 0, max: 10_000_000 }).map((value) => value / 100_000),
);
const part = fc.integer({ min: 0, max: 100_000 }).map((value) => value / 100_000);
const figures: fc.Arbitrary<Figures> = fc.record({
  availability: percent,
  reliability: percent,
  unknown: part,
  uptime: part,
  downtime: part,
});
const row = { timeline: timelines, flagged: fc.boolean(), figures };

const endpoint: fc.Arbitrary<EndpointDay> = fc.record(
  {
    ...row,
    host: name,
    info: fc.dictionary(fc.constantFrom('ID', 'URL'), fc.string(), { noNullPrototype: true }),
    metrics: fc.array(
      fc.record({
        metric: name,
        flapping: fc.nat(100),
        events: fc.dictionary(fc.constantFrom('OK', 'CRITICAL'), fc.nat(1_000), { noNullPrototype: true }),
      }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['timeline', 'flagged', 'figures', 'host', 'metrics'] },
);

const service: fc.Arbitrary<ServiceDay> = fc.record({ ...row, service: name, endpoints: fc.array(endpoint, { maxLength: 3 }) });

export const groupDays: fc.Arbitrary<GroupDay> = fc.record({ ...row, name, services: fc.array(service, { maxLength: 3 }) });

export const resultsDays: fc.Arbitrary<ResultsDay<GroupDay>> = fc
  .record({
    day: fc.constantFrom('2024-01-01', '2024-01-02', '2024-02-29'),
    seconds: fc.integer({ min: 1, max: 86_400 }),
    groups: fc.uniqueArray(groupDays, { selector: ({ name }) => name, maxLength: 5 }),
  })
  .chain((day) =>
    fc
      .array(
        fc.record({
          name,
          groups: fc.subarray(day.groups.map((group) => group.name)),
          availability: percent,
          reliability: percent,
        }),
        { maxLength: 3 },
      )
      .map((supergroups) => ({ ...day, supergroups })),
  );
