import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, servingAlone } from '#test/e2e/serving.js';
import { conflict, messageOf } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { at, newReport, type Point, point, unprocessable } from '#test/e2e/status/metric-data/metric-points.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { PublishedMessages } from '#test/support/events/published-messages.js';
import { eventually } from '#test/support/eventually.js';
import { datum, ORDER_NAMES, type Order, RECORDED, type Values } from '#test/support/status/publishers.js';

const base64 = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
const json = (...points: readonly Point[]) => ({ data: base64(points) });

/** One datum of host `h1`, service `CE`. */
const datumOf = (order: Order, changes: Values): string =>
  datum(order, { timestamp: at('12:00:00'), service: 'CE', hostname: 'h1', metric: 'avro', status: 'OK', ...changes }).toString('base64');

describe('a metric source', () => {
  const scene = servingAlone(embedded, { ...WITH_TOKEN, LOGBOOK_METRIC_SOURCES: 'configured=monitoring/configured_sub/dead' });
  let tenant: TestTenant;
  let report: string;
  let project: ProjectCalls;
  beforeAll(async () => {
    tenant = await newTenant(scene.status);
    report = await newReport(tenant, 'Critical');
    project = await createProject(scene, 'monitoring');
    for (const topic of ['metric_data', 'dead']) await project.topic(topic);
    await project.subscription('logbook', 'metric_data');
    await project.subscription('aside', 'dead');
  });

  const path = (id = tenant.id) => `/admin/tenants/${id}/metric-source`;
  const put = (body: unknown, id?: string) => scene.status.put(path(id), { key: ADMIN, body });
  const show = (id?: string) => scene.status.get(path(id), { key: ADMIN });
  const shown = async (id?: string) => (((await show(id)).json as { data: readonly Record<string, unknown>[] }).data ?? [])[0] ?? {};
  const publish = (...messages: readonly object[]) => project.post('/topics/metric_data:publish', { messages });
  const until = (wanted: (source: Record<string, unknown>) => boolean, id?: string) => eventually(() => shown(id)).until(wanted);
  const SOURCE = { project: 'monitoring', subscription: 'logbook', dead_letter_topic: 'dead' };
  const resultsOf = async (metric: string) =>
    (await tenant.get(`/metric_result/h1/${metric}?exec_time=${at('12:00:00')}&report=Critical`)).text;

  it('is of a tenant that exists, and a subscription that can be pulled', async () => {
    expectError(await show(), 'not found');
    expectError(await put(SOURCE, 'nobody'), 'not found');
    expectError(await put('{'), 'malformed');
    expectJson(await put({ ...SOURCE, project: 'none' }), 422, unprocessable('Project none does not exist'));
    expectJson(await put({ ...SOURCE, subscription: 'x' }), 422, unprocessable('Subscription x does not exist in project monitoring'));
    expectJson(await put({ ...SOURCE, dead_letter_topic: 'x' }), 422, unprocessable('Topic x does not exist in project monitoring'));
    await project.put('/subscriptions/shared', { topic: 'projects/monitoring/topics/metric_data', ackMode: 'message' });
    const shared = unprocessable('Subscription shared acknowledges messages one by one');
    expectJson(await put({ ...SOURCE, subscription: 'shared' }), 422, shared);
    const loop = unprocessable('Topic metric_data is the one that the subscription reads');
    expectJson(await put({ ...SOURCE, dead_letter_topic: 'metric_data' }), 422, loop);
  });

  it('takes up what is published, JSON and Avro, and puts aside with the reason what is no metric data', async () => {
    expectJson(await put(SOURCE), 200, messageOf('Metric source successfully updated'));
    const other = await newTenant(scene.status);
    expectJson(await put(SOURCE, other.id), 409, conflict('Subscription logbook is the metric source of another tenant'));
    const late = { monitoring_host: 'engine', summary: 's'.repeat(300), actual_data: 'load=1', tags: { site: 'SITE-A', roc: null } };
    await publish(
      { ...json(point(report), point(report, { timestamp: at('13:00:00') })), attributes: { partition_date: '2015-05-01' } },
      { data: base64(point(report, { timestamp: at('14:00:00'), unknown: { nested: [] } })) },
      ...ORDER_NAMES.flatMap((order, hour) => [
        { data: datumOf(order, { ...late, timestamp: at(`0${hour}:00:00`) }) },
        { data: RECORDED[order].full },
      ]),
      { ...json(point(report, { timestamp: 'yesterday' })), attributes: { keep: 'me' } },
      { data: base64('{"half":') },
      { data: base64('\u0002\u0002') },
      { data: base64(`[${JSON.stringify(point(report))}`) },
      { attributes: { only: 'attributes' } },
    );
    const { last_ingested, ...source } = await until(({ received, lag }) => received === 13 && lag === 0); // acknowledged after it was counted
    expect(source).toEqual({
      ...SOURCE,
      received: 13,
      ingested: 8,
      points: 9,
      dead_lettered: 5,
      discarded: 0,
      dropped: 0,
      lag: 0,
      last_error: { message_id: '12', reason: 'the message has no data', timestamp: last_ingested },
      retry: null,
      problem: '',
    });
    const pulled = await project.post('/subscriptions/aside:pull', { maxMessages: '9' });
    const received = (pulled.json as { receivedMessages: readonly { message: { attributes: Record<string, string>; data: string } }[] })
      .receivedMessages;
    const described = new PublishedMessages();
    for (const { message } of received) expect(described.flawOf('deadLetter', message.attributes, message.data)).toBeNull();
    expect(received.map(({ message }) => [message.attributes['logbook-message-id'], message.attributes['logbook-reason']])).toEqual([
      ['8', 'point 1: timestamp is not in the form YYYY-MM-DDTHH:MM:SSZ'],
      ['9', expect.stringMatching(/^not valid JSON/)],
      ['10', expect.stringMatching(/^neither JSON nor an Avro datum of metric data: /)],
      ['11', expect.stringMatching(/^not valid JSON/)],
      ['12', 'the message has no data'],
    ]);
    expect(received[0]?.message.attributes.keep).toBe('me');
    expect(received[0]?.message.data).toBe(json(point(report, { timestamp: 'yesterday' })).data);
    const metrics = await scene.root.get('/metrics');
    expect(metrics.text).toMatch(/logbook_metric_source_messages\{outcome="dead_lettered"\} 5/);
    expect(await resultsOf('ping')).toContain(at('12:00:00'));
  });

  it('takes up hundreds of messages of one publish, Avro in every order and JSON as publishers send it', async () => {
    const before = await shown();
    const stamp = (index: number) => at(`05:${`${Math.floor(index / 60)}`.padStart(2, '0')}:${`${index % 60}`.padStart(2, '0')}`);
    const attributes = { partition_date: '2015-05-01', type: 'metric_data' };
    const values = (index: number) => ({ timestamp: stamp(index), metric: `many-${index % 4}`, tags: { roc: null }, summary: `${index}` });
    const messages = Array.from({ length: 800 }, (_, index) => {
      const order = ORDER_NAMES[index % 4];
      const sent = { ...values(index), service: 'CE', hostname: 'h1', status: 'OK', monitoring_host: null };
      return { data: order ? datumOf(order, values(index)) : base64(sent), attributes };
    });
    await publish(...messages);
    const after = await until(({ received, lag }) => received === Number(before.received) + 800 && lag === 0);
    expect([after.ingested, after.points]).toEqual([Number(before.ingested) + 800, Number(before.points) + 800]);
    for (const [metric, index] of [0, 1, 2, 3].map((each) => [`many-${each}`, 400 + each] as const)) {
      const result = await tenant.get(`/metric_result/h1/${metric}?exec_time=${stamp(index)}&report=Critical`);
      expect(result.text).toContain(`"Summary": "${index}"`);
    }
  });

  it('takes up every message once: after a crash, and when it is delivered again', async () => {
    const before = await shown();
    const stamp = (index: number) => at(`${`${Math.floor(index / 60)}`.padStart(2, '0')}:${`${index % 60}`.padStart(2, '0')}:00`);
    const messages = Array.from({ length: 600 }, (_, index) => json(point(report, { metric: 'once', timestamp: stamp(index) })));
    await publish(...messages);
    await scene.crash();
    const after = await until(({ received, lag }) => received === Number(before.received) + 600 && lag === 0);
    expect(after.points).toBe(Number(before.points) + 600);
    await project.post('/subscriptions/logbook:modifyOffset', { offset: 0 });
    await publish(json(point(report, { metric: 'once', timestamp: at('20:00:00') })));
    const last = await until(({ received, lag }) => received === Number(before.received) + 601 && lag === 0);
    expect(last.points).toBe(Number(before.points) + 601);
    const { key } = await issueKey(scene.root, 'ops', 'auditor');
    const events = await scene.root.get(`/audit/events?stream=status.metric_data-${tenant.id}&limit=1000`, { key });
    const recorded = (events.json as { items: readonly { data: { results: readonly Point[] } }[] }).items.flatMap(
      ({ data }) => data.results,
    );
    const once = recorded.filter(({ metric }) => metric === 'once').map(({ timestamp }) => String(timestamp));
    expect([once.length, new Set(once).size]).toEqual([601, 601]);
  });

  it('goes on with a subscription that was created anew, and says what is wrong meanwhile', async () => {
    await project.delete('/subscriptions/logbook');
    await until(({ problem }) => problem === 'Subscription logbook does not exist');
    await project.put('/subscriptions/logbook', { topic: 'projects/monitoring/topics/metric_data', ackMode: 'message' });
    await until(({ problem }) => problem === 'Subscription logbook acknowledges messages one by one');
    await project.delete('/subscriptions/logbook');
    await project.subscription('logbook', 'metric_data');
    const { points } = await until(({ problem }) => problem === '');
    await publish(json(point(report, { metric: 'anew' })));
    await until((source) => source.points === Number(points) + 1);
    expectJson(await scene.status.delete(path(), { key: ADMIN }), 200, messageOf('Metric source successfully deleted'));
    expectError(await scene.status.delete(path(), { key: ADMIN }), 'not found');
    expectError(await show(), 'not found');
  });

  it('is connected by configuration, once tenant and subscription are there', async () => {
    await project.subscription('configured_sub', 'metric_data');
    const created = await scene.status.post('/admin/tenants', { key: ADMIN, body: { info: { name: 'configured' }, users: [] } });
    const { id } = (created.json as { data: { id: string } }).data;
    await publish(json(point(report)));
    await until(({ received }) => received === 1, id);
    expect((await scene.status.delete(`/admin/tenants/${id}`, { key: ADMIN })).status).toBe(200);
    await publish(json(point(report)));
    expectError(await show(id), 'not found');
  });
});
