import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { streamOfHost, streamOfSubmission } from '#domain/status/metric-data/earlier-releases.js';
import { EventsOfResults, type MetricResult, streamOfKeyedCall, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { RecordMetricResults } from './commands.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const at = (second: number, host = 'a'): MetricResult => ({
  host,
  timestamp: `2024-01-01T00:00:${String(second).padStart(2, '0')}Z`,
  endpoint_group: 'SITE',
  service: 'CE',
  metric: 'ping',
  status: 'OK',
  summary: '',
  message: '',
});
const submitted = (...results: readonly MetricResult[]) => {
  const events = new EventsOfResults();
  for (const result of results) events.add([result], 100);
  return { count: results.length, events: events.all() };
};
const eventsOf = (stream: string) => application.get<EventStore>(EVENT_STORE).readStream(stream, { limit: 100 });
const keyed = (key: string, body: string) => ({ ...contextFor('status'), idempotency: { key, body } });
const secondsOf = async (tenantId: string, host: string): Promise<readonly string[]> => {
  const pages = application.get(MetricDataQueries).ofDay(tenantId, host, '2024-01-01', () => true, new TimeSlice());
  const seconds: string[] = [];
  for await (const page of pages) seconds.push(...page.map(({ timestamp }) => timestamp.slice(17, 19)));
  return seconds;
};

describe('Recording metric results', () => {
  it('stores the results of every host in one event, which reads show then', async () => {
    const results = [at(1), at(2), at(3, 'b'), at(4)];
    expect(
      await application.execute(new RecordMetricResults(contextFor('status'), { tenantId: 't-1', submitted: submitted(...results) })),
    ).toEqual({ readable: true });
    expect([await secondsOf('t-1', 'a'), await secondsOf('t-1', 'b')]).toEqual([['01', '02', '04'], ['03']]);
    expect(await eventsOf(streamOfMetricData('t-1'))).toMatchObject([
      { type: 'MetricResultsRecorded', metadata: { schemaVersion: 2 }, data: { tenantId: 't-1', results } },
    ]);
  });

  it('stores a large call in several events of one append', async () => {
    const results = Array.from({ length: 2_500 }, (_, n) => at(n % 60, `h${n}`));
    await application.execute(new RecordMetricResults(contextFor('status'), { tenantId: 't-large', submitted: submitted(...results) }));
    const events = await eventsOf(streamOfMetricData('t-large'));
    expect(events.map(({ data }) => (data.results as readonly unknown[]).length)).toEqual([999, 999, 502]);
    expect(new Set(events.map(({ recordedAt }) => recordedAt)).size).toBe(1);
    expect(events.flatMap(({ data }) => data.results)).toEqual(results);
    expect(await secondsOf('t-large', 'h2499')).toEqual(['39']);
  });

  it('stores nothing for a call without results', async () => {
    for (const context of [contextFor('status'), keyed(randomUUID(), 'none')])
      expect(await application.execute(new RecordMetricResults(context, { tenantId: 't-none', submitted: submitted() }))).toEqual({
        readable: true,
      });
    expect(await eventsOf(streamOfMetricData('t-none'))).toEqual([]);
  });

  it('stores each of many simultaneous calls of a tenant once', async () => {
    const calls = Array.from({ length: 16 * 8 }, (_, call) => submitted(at(call % 60, `h${call}`), at(call % 60, 'shared')));
    await Promise.all(
      calls.map((call) => application.execute(new RecordMetricResults(contextFor('status'), { tenantId: 't-16', submitted: call }))),
    );
    const stored = await application.get<EventStore>(EVENT_STORE).readStream(streamOfMetricData('t-16'), { limit: 1_000 });
    expect(stored.map(({ data }) => data.results)).toEqual(calls.flatMap(({ events }) => events.map(({ results }) => results)));
  });

  it('stores nothing once more when the call is repeated with its idempotency key', async () => {
    const context = keyed(randomUUID(), 'one');
    const call = submitted(at(1), at(2));
    await Promise.all([1, 2, 3].map(() => application.execute(new RecordMetricResults(context, { tenantId: 't-2', submitted: call }))));
    await application.execute(new RecordMetricResults(context, { tenantId: 't-2', submitted: call }));
    expect(await secondsOf('t-2', 'a')).toEqual(['01', '02']);
    expect(await eventsOf(streamOfKeyedCall('t-2', context.idempotency.key))).toHaveLength(1);
    expect(await eventsOf(streamOfMetricData('t-2'))).toEqual([]);
  });
});

describe('A call with an idempotency key that release 1.0.0 has accepted', () => {
  /** Appends the events of release 1.0.0: the call, and those of its parts that were recorded before it was interrupted. */
  const recordAsBefore = async (tenantId: string, key: string, parts: readonly (readonly MetricResult[])[]): Promise<void> => {
    const event = (type: string, data: JsonObject, name: string): NewEvent => {
      const { onExecuted: _, ...metadata } = keyed(name, 'one');
      return { id: randomUUID(), type, data, metadata: { ...metadata, correlationId: 'planted', schemaVersion: 1 } };
    };
    const log = application.get<EventStore>(EVENT_STORE);
    await log.append(streamOfSubmission(key), [event('MetricDataSubmitted', { tenantId, results: 9 }, key)], 'no-stream');
    for (const [number, [first, ...others]] of parts.entries()) {
      if (!first) continue;
      const { host } = first;
      const results = [first, ...others].map(({ host: _, ...result }) => result);
      await log.append(
        streamOfHost(tenantId, host),
        [event('MetricResultsRecorded', { tenantId, host, results }, `${key}.${number}`)],
        'any',
      );
    }
  };
  const call = submitted(at(1), at(1), at(2, 'b'), at(3), at(4, 'b'));

  it('is not recorded again', async () => {
    const key = randomUUID();
    await recordAsBefore('t-4', key, [
      [at(1), at(1), at(3)],
      [at(2, 'b'), at(4, 'b')],
    ]);
    for (const _ of [1, 2])
      expect(await application.execute(new RecordMetricResults(keyed(key, 'one'), { tenantId: 't-4', submitted: call }))).toEqual({
        readable: true,
      });
    expect([await secondsOf('t-4', 'a'), await secondsOf('t-4', 'b')]).toEqual([
      ['01', '01', '03'],
      ['02', '04'],
    ]);
    expect(await eventsOf(streamOfKeyedCall('t-4', key))).toEqual([]);
  });

  it('is completed once if it was interrupted', async () => {
    const key = randomUUID();
    await recordAsBefore('t-5', key, [[at(1)], [at(2, 'b')]]);
    await recordAsBefore('t-5', randomUUID(), [[at(3)]]);
    for (const _ of [1, 2]) await application.execute(new RecordMetricResults(keyed(key, 'one'), { tenantId: 't-5', submitted: call }));
    const stored = await eventsOf(streamOfKeyedCall('t-5', key));
    expect(stored.map(({ data }) => data.results)).toEqual([[at(1), at(3), at(4, 'b')]]);
  });

  it('is refused with another body', async () => {
    const key = randomUUID();
    await recordAsBefore('t-6', key, []);
    const other = new RecordMetricResults(keyed(key, 'other'), { tenantId: 't-6', submitted: call });
    await expect(application.execute(other)).rejects.toThrow(IdempotencyKeyReused);
    expect(await secondsOf('t-6', 'a')).toEqual([]);
  });
});
