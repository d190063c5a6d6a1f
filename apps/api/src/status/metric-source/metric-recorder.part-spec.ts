import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { streamOfHost } from '#domain/status/metric-data/earlier-releases.js';
import { streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { metricBatches, streamOfMetricBatches } from '#domain/status/metric-source/metric-batches.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { type Application, openApplication } from '#test/support/application.js';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { avroReadersOf, readMetricMessage } from './metric-message.js';
import { MetricRecorder } from './metric-recorder.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const minute = (index: number): string => `2024-01-01T00:${String(index % 60).padStart(2, '0')}:00Z`;
const pointOf = (index: number) => ({ timestamp: minute(index), service: 's', host: `h${index % 3}`, metric: 'm', status: 'OK' });
const message = (offset: number): Promise<Awaited<ReturnType<typeof readMetricMessage>>> => {
  const data = Buffer.from(JSON.stringify(pointOf(offset))).toString('base64');
  return readMetricMessage(messageSample(offset, { bytes: data.length, data }), avroReadersOf(undefined));
};

describe('the points of a batch', () => {
  it('are found behind many later ones of their tenant, however the log dates them', async () => {
    const gateway = application.get(CommandGateway);
    const events = application.get<EventStore>(EVENT_STORE);
    const wrong: Pick<EventStore, 'readStream'> = {
      readStream: async (stream, options) =>
        (await events.readStream(stream, options)).map((event) => ({ ...event, recordedAt: event.recordedAt - 3_600_000 })),
    };
    const [tenantId, range] = ['dated', { topicId: 'topic', from: 0, to: 1 }];
    const take = { type: 'TakeMessages', tenantId, seen: 0, range } as const;
    const context = systemContext('metric-source', 'status', Date.now(), messageSample(0).cause);
    await gateway.execute({ stream: streamOfMetricBatches(tenantId), decider: metricBatches, context, command: take });
    const recorder = new MetricRecorder(gateway, wrong, Date.now);
    const messages = [await message(0)];
    await recorder.record({ tenantId, range, sequence: 1 }, messages);
    const later = Array.from({ length: 205 }, async (_, from) => {
      const other = { tenantId, range: { topicId: 'other', from, to: from + 1 }, sequence: 1 };
      await recorder.record(other, [await message(3 * from)]);
    });
    await Promise.all(later);
    await recorder.record({ tenantId, range, sequence: 1, resumed: true }, messages);
    expect(await events.readStream(streamOfMetricData(tenantId), { limit: 1_000 })).toHaveLength(206);
  });

  const resultsIn = async (stream: string) =>
    (await application.get<EventStore>(EVENT_STORE).readStream(stream, { limit: 1_000 })).map(
      ({ data }) => data.results as readonly object[],
    );

  it('are recorded once in one append, however often recording them was interrupted', async () => {
    const gateway = application.get(CommandGateway);
    const events = application.get<EventStore>(EVENT_STORE);
    const messages = await Promise.all(Array.from({ length: 1_200 }, (_, offset) => message(offset)));
    const batch = { tenantId: 't', range: { topicId: 'topic', from: 0, to: 1_200 }, sequence: 1 };
    const broken: Pick<CommandGateway, 'execute'> = {
      execute: async (...given) => {
        await gateway.execute(...given);
        throw new Error('the process ends here');
      },
    };
    const interrupted = new MetricRecorder(broken as CommandGateway, events, Date.now);
    await expect(interrupted.record(batch, messages)).rejects.toThrow('the process ends here');
    const next = new MetricRecorder(gateway, events, Date.now);
    const resumed = { ...batch, resumed: true } as const;
    await next.record(resumed, messages);
    await next.record(resumed, messages);
    expect((await resultsIn(streamOfMetricData('t'))).map((results) => results.length)).toEqual([999, 201]);
  });

  it('are recorded once if release 1.0.0 has recorded a part of them, in streams of hosts', async () => {
    const gateway = application.get(CommandGateway);
    const events = application.get<EventStore>(EVENT_STORE);
    const messages = await Promise.all(Array.from({ length: 9 }, (_, offset) => message(offset)));
    const tenantId = 'upgraded';
    const batch = { tenantId, range: { topicId: 'topic', from: 0, to: 9 }, sequence: 1, resumed: true } as const;
    const results = messages.flatMap(({ points }) => points.events.flatMap((event) => event.results));
    for (const [number, host] of ['h0', 'h1'].entries()) {
      const context = systemContext(
        'metric-source',
        'status',
        Date.now(),
        messageSample(0).cause,
        derivedId(`${tenantId}/topic/0-9/${number}`),
      );
      const own = results.filter((result) => result.host === host).map(({ host: _, ...result }) => result);
      const data = JSON.parse(JSON.stringify({ tenantId, host, results: own }));
      const event = {
        id: crypto.randomUUID(),
        type: 'MetricResultsRecorded',
        data,
        metadata: { ...context, correlationId: 'planted', schemaVersion: 1 },
      };
      await events.append(streamOfHost(tenantId, host), [event], 'no-stream');
    }
    for (const _ of [1, 2]) await new MetricRecorder(gateway, events, Date.now).record(batch, messages);
    expect(await resultsIn(streamOfMetricData(tenantId))).toEqual([results.filter(({ host }) => host === 'h2')]);
  });
});
