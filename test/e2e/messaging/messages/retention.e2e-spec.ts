import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { TrafficRecorded } from '#domain/messaging/traffic/traffic.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { createProject, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { openLogOf } from '#test/support/plant.js';

type MetricList = Readonly<{
  metrics: readonly Readonly<{ metric: string; timeseries: readonly Readonly<{ timestamp: string; value: number }>[] }>[];
}>;

describe('Messages that expire', () => {
  const scene = serving(embedded, { ...WITH_TOKEN, LOGBOOK_MESSAGING_RETENTION: '1s' });
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, acknowledge, offsets, modifyOffset } = trafficOf(() => p);
  const patch = async (name: string, topic: object): Promise<void> =>
    expect((await p.call('PATCH', `/topics/${name}`, { topic, updateMask: 'messageRetentionDuration' })).status).toBe(200);
  /** Longer than any test takes. */
  const keep = (name: string) => patch(name, { messageRetentionDuration: '600s' });
  const keepNoLonger = (name: string) => patch(name, {});
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    for (const name of ['expired', 'mixed', 'waiting', 'deleted']) await prepare(name);
    await p.topic('day');
    await p.put('/topics/kept', { messageRetentionDuration: '600s' });
    await p.subscription('kept', 'kept');
    await publish('kept', texts('a'));
    for (const name of ['expired', 'mixed']) await keep(name);
    await publish('expired', texts('a', 'b', 'c'));
    await publish('mixed', texts('a', 'b'));
    await publish('mixed', texts('c'));
    await publish('deleted', texts('a', 'b'));
    await p.delete('/topics/deleted');
    await pull('expired');
    await pull('mixed', { maxMessages: '1' });
    for (const name of ['expired', 'mixed']) await keepNoLonger(name);
    await eventually(() => offsets('mixed')).until(({ min }) => min === 3);
    await keep('mixed');
    await publish('mixed', texts('d'));
  });

  /** Every value of the metrics, by the name of the metric. */
  const metricsOf = async (path: string) => {
    const { metrics } = (await p.get(`${path}:metrics`)).json as MetricList;
    return Object.fromEntries(metrics.map(({ metric, timeseries }) => [metric, timeseries.map(({ value }) => value)]));
  };
  /** Messages of all topics that the log counts, so that they can be rebuilt once they have left it. A record has the sum up to it. */
  const recorded = async (): Promise<number> => {
    const log = await openLogOf(scene.deployment);
    const { events } = await log.readAll({ categories: ['messaging.traffic'], limit: 1_000 });
    await log.close();
    const records = events.filter(({ type }) => type === 'TrafficRecorded').map(({ data }) => data as TrafficRecorded['data']);
    return [...new Map(records.map(({ topicId, totals }) => [topicId, totals.messages])).values()].reduce((sum, one) => sum + one, 0);
  };
  const counters = () => Promise.all(['', '/topics/expired', '/topics/mixed', '/subscriptions/mixed'].map(metricsOf));

  it('are no longer delivered, nor is an outstanding batch with them; ids count on', async () => {
    expect(await offsets('expired')).toEqual({ max: 3, min: 3, current: 3 });
    expectError(await acknowledge('expired', 2), 'CONFLICT: no ack pending');
    expect(await pullTexts('expired')).toEqual([]);
    expectError(await modifyOffset('expired', 2), 'INVALID_ARGUMENT: Offset out of bounds');
    const since = '/subscriptions/expired:timeToOffset?time=1970-01-01T00:00:00.000Z';
    expectError(await p.get(since), "CONFLICT: Timestamp is out of bounds for the subscription's topic/partition");
    await p.subscription('late', 'expired');
    expect(await offsets('late')).toMatchObject({ current: 3 });
  });

  it('are those of topics that do not keep them for longer; they are gone at once when their topic does not do so any more', async () => {
    expect(await offsets('kept')).toEqual({ max: 1, min: 0, current: 0 });
    expect(await pullTexts('kept')).toEqual(['a']);
    await keepNoLonger('kept');
    expect(await offsets('kept')).toEqual({ max: 1, min: 1, current: 1 });
    expect(await pullTexts('kept')).toEqual([]);
  });

  it('are skipped by a pull', async () => {
    const [received, ...others] = await pull('mixed');
    expect([received?.message.messageId, others]).toEqual(['3', []]);
    expect((await acknowledge('mixed', 3)).status).toBe(200);
    expect(await offsets('mixed')).toMatchObject({ max: 4, current: 4 });
  });

  it('stay counted, also when the read models are rebuilt', async () => {
    const before = await counters();
    expect(before[0]?.['project.number_of_daily_messages']?.reduce((sum, value) => sum + value, 0)).toBe(10);
    expect(before[1]).toMatchObject({ 'topic.number_of_messages': [3], 'topic.number_of_bytes': [12] });
    expect(before[2]).toMatchObject({ 'topic.number_of_messages': [4], 'topic.number_of_bytes': [16] });
    expect(before[3]).toMatchObject({ 'subscription.number_of_messages': [2], 'subscription.number_of_bytes': [8] });
    await keepNoLonger('mixed');
    await eventually(() => offsets('mixed')).until(({ min }) => min === 4);
    await eventually(recorded).until((messages) => messages === 10);
    await scene.server.stop();
    const log = openEmbeddedEventStore({ path: join(scene.deployment.dataDirectory, 'log') });
    await log.sweep(); // expired messages leave the disk now, not within a minute
    await log.close();
    await rm(join(scene.deployment.dataDirectory, 'documents'), { recursive: true });
    await scene.restart();
    await untilReady(scene.root);
    expect(await counters()).toEqual(before);
    expect(await offsets('expired')).toEqual({ max: 3, min: 3, current: 3 });
    await keep('expired');
    expect(await publish('expired', texts('next'))).toEqual(['3']);
    expect(await pullTexts('expired')).toEqual(['next']);
  });

  it('are discarded with their topic as soon as they are recorded, before they expire', async () => {
    const log = await openLogOf(scene.deployment);
    const [last] = (await log.readAll({ categories: ['messaging.traffic'], limit: 1_000 })).events.filter(
      ({ type }) => type === 'TopicLogDiscarded',
    );
    await log.close();
    expect(last).toBeDefined();
  });
});
