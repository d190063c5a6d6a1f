import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { type HostResults, RecordMetricResults } from './commands.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const at = (second: number, metric = 'ping'): MetricResult => ({
  timestamp: `2024-01-01T00:00:${String(second).padStart(2, '0')}Z`,
  endpoint_group: 'SITE',
  service: 'CE',
  metric,
  status: 'OK',
  summary: '',
  message: '',
});
const submitted = (...groups: readonly HostResults[]) => ({
  count: groups.reduce((sum, { results }) => sum + results.length, 0),
  groups: () => groups,
});
const secondsOf = async (tenantId: string, host: string): Promise<readonly string[]> => {
  const pages = application.get(MetricDataQueries).ofDay(tenantId, host, '2024-01-01', () => true, new TimeSlice());
  const seconds: string[] = [];
  for await (const page of pages) seconds.push(...page.map(({ timestamp }) => timestamp.slice(17, 19)));
  return seconds;
};

describe('Recording metric results', () => {
  it('stores the results of every host, which reads show then', async () => {
    const call = submitted({ host: 'a', results: [at(1), at(2)] }, { host: 'b', results: [at(3)] }, { host: 'a', results: [at(4)] });
    expect(await application.execute(new RecordMetricResults(contextFor('status'), { tenantId: 't-1', submitted: call }))).toEqual({
      readable: true,
    });
    expect([await secondsOf('t-1', 'a'), await secondsOf('t-1', 'b')]).toEqual([['01', '02', '04'], ['03']]);
  });

  it('stores nothing once more when the call is repeated with its idempotency key', async () => {
    const context = { ...contextFor('status'), idempotency: { key: randomUUID(), body: 'one' } };
    const call = submitted({ host: 'a', results: [at(1)] }, { host: 'a', results: [at(2)] });
    for (const _ of [1, 2]) await application.execute(new RecordMetricResults(context, { tenantId: 't-2', submitted: call }));
    expect(await secondsOf('t-2', 'a')).toEqual(['01', '02']);
  });

  it('refuses the key with another body before it touches any host', async () => {
    const key = randomUUID();
    const keyed = (body: string) => ({ ...contextFor('status'), idempotency: { key, body } });
    await application.execute(
      new RecordMetricResults(keyed('one'), { tenantId: 't-3', submitted: submitted({ host: 'a', results: [at(1)] }) }),
    );
    const other = new RecordMetricResults(keyed('other'), { tenantId: 't-3', submitted: submitted({ host: 'b', results: [at(2)] }) });
    await expect(application.execute(other)).rejects.toThrow(IdempotencyKeyReused);
    expect(await secondsOf('t-3', 'b')).toEqual([]);
  });
});
