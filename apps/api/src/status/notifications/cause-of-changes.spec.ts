import { expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { FoundChange } from '#domain/status/notifications/status-changes.js';
import { streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import type { EndpointPoints, PointOrigin } from '#domain/status/results/plan.js';
import { planOf, recomputation } from '#test/support/results/plans.js';
import { causeOfChanges } from './cause-of-changes.js';

const AT = '2024-01-01T12:00:00Z';
const change = (members: Partial<FoundChange>): FoundChange => ({
  ...{ level: 'endpoint', service: 's', hostname: 'h', metric: '', status: 'CRITICAL', since: AT, previous: 'OK', previousSince: AT },
  cause: { type: 'day' },
  ...members,
});
const ofMetric = change({ source: { service: 's', hostname: 'h', metric: 'm' } });

const stored = (id: string, position = 0n): RecordedEvent =>
  ({ id, position, metadata: { correlationId: `conversation of ${id}` } }) as RecordedEvent;
const calls = [stored('first', 10n), stored('result', 20n), stored('that does not count', 30n), stored('later', 40n)];
const log = {
  readStream: async (stream: string) => (stream === streamOfRecomputation('r') ? [stored('approval'), stored('request')] : []),
  readAll: async ({ after = 0n, limit }: Readonly<{ after?: bigint; limit: number }>) => {
    const events = calls.filter(({ position }) => position > after).slice(0, limit);
    return { events, position: after, caughtUp: false };
  },
};
const point = (position: bigint, at: number, origin: PointOrigin = {}) => ({
  at,
  status: 'OK',
  position: Number(position),
  index: 7,
  origin,
});
const noon = 43_200;
const known: EndpointPoints = new Map([
  [
    'm',
    [
      ...[point(10n, noon), point(20n, noon, { report: 'r', group: 'g', monitoringHost: 'mon' })],
      ...[{ report: 'other' }, { group: 'other' }, { monitoringHost: 'excluded' }].map((origin) => point(30n, noon, origin)),
      point(40n, noon + 1),
    ],
  ],
  ['gone', [point(15n, noon)]],
]);
const points = {
  ofEndpoint: async (tenantId: string, day: string, host: string, service: string) =>
    [tenantId, day, host, service].join() === 't,2024-01-01,h,s' ? known : new Map(),
};
const day = '2024-01-01';
const exclude_monitoring_source = [{ host: 'excluded', start_time: `${day}T00:00:00Z`, end_time: `${day}T23:59:59Z` }];
const recomputations = [recomputation('00:00', '24:00', { exclude_monitoring_source })];
const plan = async (on: string) => (on === day ? planOf({ report: 'r', day, recomputations }) : undefined);
const causeOf = async (...changes: readonly FoundChange[]) =>
  (await causeOfChanges({ log, points, plan }, { tenantId: 't', reportId: 'r', group: 'g', changes }))?.id;

it('The cause of found changes is the event with the metric result that counts, or the newest one of the recomputation, of the first that has one', async () => {
  expect(await causeOf(change({}), ofMetric)).toBe('result');
  expect(await causeOf(change({ cause: { type: 'recomputation', id: 'r' } }), ofMetric)).toBe('approval');
  const within = { type: 'endpoint', service: 's', hostname: 'h', cause: { type: 'recomputation', id: 'r' } } as const;
  expect(await causeOf(change({ level: 'group', cause: within }))).toBe('approval');
});

it('Changes by time, and results that are not known or not in the log, have no event as their cause', async () => {
  expect(await causeOf(change({}))).toBeUndefined();
  expect(await causeOf({ ...ofMetric, since: '2024-01-01T13:00:00Z' })).toBeUndefined();
  expect(await causeOf(change({ source: { service: 's', hostname: 'h', metric: 'gone' } }))).toBeUndefined();
});
