import { expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import { streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import type { FoundChange } from '#domain/status/notifications/status-changes.js';
import { streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import { causeOfChanges } from './cause-of-changes.js';

const AT = '2024-01-01T12:00:00Z';
const change = (members: Partial<FoundChange>): FoundChange => ({
  ...{ level: 'endpoint', service: 's', hostname: 'h', metric: '', status: 'CRITICAL', since: AT, previous: 'OK', previousSince: AT },
  cause: { type: 'day' },
  ...members,
});
const ofMetric = change({ source: { service: 's', hostname: 'h', metric: 'm' } });

const stored = (id: string, data: object): RecordedEvent =>
  ({ id, type: 'MetricResultsRecorded', data, metadata: { correlationId: `conversation of ${id}` } }) as RecordedEvent;
const results = (id: string, metric: string, timestamp = AT) => stored(id, { results: [{ service: 's', metric, timestamp }] });
const streams: Readonly<Record<string, readonly RecordedEvent[]>> = {
  [streamOfMetricData('t', 'h')]: [results('other metric', 'n'), results('result', 'm'), results('earlier', 'm', '2024-01-01T11:00:00Z')],
  [streamOfRecomputation('r')]: [stored('approval', {}), stored('request', {})],
};
const log = { readStream: async (stream: string) => streams[stream] ?? [] };
const causeOf = async (...changes: readonly FoundChange[]) => (await causeOfChanges(log, { tenantId: 't', changes }))?.id;

it('The cause of found changes is the event with the metric result, or the newest one of the recomputation, of the first that has one', async () => {
  expect(await causeOf(change({}), ofMetric)).toBe('result');
  expect(await causeOf(change({ cause: { type: 'recomputation', id: 'r' } }), ofMetric)).toBe('approval');
  const within = { type: 'endpoint', service: 's', hostname: 'h', cause: { type: 'recomputation', id: 'r' } } as const;
  expect(await causeOf(change({ level: 'group', cause: within }))).toBe('approval');
});

it('Changes by time, and results that have not been found among the newest, have no event as their cause', async () => {
  expect(await causeOf(change({}))).toBeUndefined();
  expect(await causeOf({ ...ofMetric, since: '2024-01-01T13:00:00Z' })).toBeUndefined();
});
