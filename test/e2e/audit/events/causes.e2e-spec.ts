import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { deliveriesOf, idsOf } from '#test/e2e/messaging/deliveries/deliveries.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { ADMIN, bothDeployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Answer, idOf } from '#test/support/status-client.js';

type Event = Readonly<{
  id: string;
  index: number;
  type: string;
  actor: Readonly<{ id: string }>;
  requestId: string;
  correlationId: string;
  causationId: string;
  data: Readonly<Record<string, unknown>>;
}>;

const requestOf = ({ headers }: Answer): string => headers.get('x-request-id') ?? '';

describe.each(bothDeployments)('the causes of events on %s', (_, open) => {
  const scene = serving(open, WITH_TOKEN);
  let project: ProjectCalls;
  let tenant: TestTenant;
  const { publish, offsets } = trafficOf(() => project);
  const { share, take, extend } = deliveriesOf(() => project);

  const events = async (query: Readonly<Record<string, string>>): Promise<readonly Event[]> => {
    const { status, json } = await scene.root.get(`/audit/events?${new URLSearchParams({ limit: '1000', ...query })}`, { key: OPERATOR });
    expect(status).toBe(200);
    return (json as { items: readonly Event[] }).items;
  };
  /** The events of a conversation, once those of these types are there. */
  const conversation = (correlation: string, ...types: readonly string[]): Promise<readonly Event[]> =>
    eventually(() => events({ correlation })).until((found) =>
      types.every((type) => found.filter((one) => one.type === type).length >= types.filter((one) => one === type).length),
    );
  /** Type of each event, and that of its cause, or `call`. */
  const chainOf = (all: readonly Event[], request: string): readonly string[] =>
    all.map(({ type, causationId }) => `${type} < ${causationId === request ? 'call' : all.find(({ id }) => id === causationId)?.type}`);

  beforeAll(async () => {
    project = await createProject(scene, 'p');
    tenant = await newTenant(scene.status);
    await smallReport(tenant, 'Small');
  });

  it('are the message of a dead letter, and the call that sends dead letters back, with one conversation for all of them', async () => {
    await project.topic('lost');
    await project.put('/subscriptions/lost', { topic: 'projects/p/topics/lost', ackMode: 'message' });
    await share('source', { deadLetterPolicy: { deadLetterTopic: 'projects/p/topics/lost', maxDeliveryAttempts: 5 } });
    await publish('source', [...texts('a'), ...texts('b'), ...texts('c')]);
    for (let attempt = 0; attempt < 5; attempt++)
      for (let given = 0; given < 3; ) {
        const delivered = await take('source', { maxMessages: '3', returnImmediately: 'false' });
        await extend('source', idsOf(delivered), 0);
        given += delivered.length;
      }
    await eventually(() => offsets('lost')).until(({ max }) => max === 3);
    const [first, ...others] = (await events({ type: 'MessagePublished' })).slice(0, 3);
    const published = [first, ...others].flatMap((one) => one ?? []);
    const letters = await Promise.all(published.map(({ id }) => events({ causation: id, type: 'MessagePublished' })));
    expect(letters.map((found) => found.map(({ correlationId }) => correlationId))).toEqual(
      published.map(({ correlationId }) => [correlationId]),
    );

    const answer = await project.post('/subscriptions/lost:redrive', {}, { 'x-correlation-id': 'back to work' });
    expect([answer.json, answer.headers.get('x-correlation-id')]).toEqual([{ redriven: 3 }, 'back to work']);
    const redriven = await conversation('back to work', 'MessagePublished', 'MessagePublished', 'MessagePublished', 'DeadLettersRedriven');
    expect(redriven.filter(({ type }) => type === 'MessagePublished')).toHaveLength(3);
    expect(new Set(redriven.map(({ causationId }) => causationId))).toEqual(new Set([requestOf(answer)]));
    expect(await events({ causation: requestOf(answer) })).toEqual(redriven);
  });

  it('are the approval of a recomputation, and its run', async () => {
    const id = idOf(
      await tenant.post('/recomputations', {
        ...{ requester_name: 'Ann', requester_email: 'ann@example.org', reason: 'power cut', report: 'Small' },
        ...{ start_time: '2015-01-10T06:00:00Z', end_time: '2015-01-10T06:59:59Z' },
      }),
    );
    const headers = { 'x-correlation-id': 'approval' };
    const answer = await tenant.post(`/recomputations/${id}/status`, { status: 'approved' }, { headers });
    expect(answer.status).toBe(200);
    const all = await conversation('approval', ...Array.from({ length: 3 }, () => 'RecomputationStatusChanged'));
    expect(all.map(({ data }) => data.status)).toEqual(['approved', 'running', 'done']);
    expect(all.map(({ causationId }) => causationId)).toEqual([requestOf(answer), all[0]?.id, all[1]?.id]);
    expect(await events({ causation: all[0]?.id ?? '' })).toEqual([all[1]]);
    const { json } = await scene.root.get('/audit/changes?correlation=approval', { key: OPERATOR });
    const { items } = json as { items: readonly Readonly<{ id: string; sentence: string }>[] };
    expect(items.map((one) => one.id)).toEqual(all.map((one) => one.id).reverse());
    expect(items.map(({ sentence }) => sentence.split(' recomputation')[0])).toEqual([
      'The server completed the',
      'The server began the',
      expect.stringMatching(/ approved the$/),
    ]);
  });

  it('are the message of metric results, the results of a status, and the status of a notification', async () => {
    for (const topic of ['metric_data', 'changes']) await project.topic(topic);
    await project.subscription('logbook', 'metric_data');
    const asAdmin = (path: string, body: object) => scene.status.put(`/admin/tenants/${tenant.id}${path}`, { key: ADMIN, body });
    expect((await asAdmin('/metric-source', { project: 'p', subscription: 'logbook' })).status).toBe(200);
    expect((await asAdmin('/status-notifications', { project: 'p', topic: 'changes', levels: ['group'] })).status).toBe(200);
    const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
    const send = (correlation: string, at: string, status: string) => {
      const data = Buffer.from(JSON.stringify(pointsOf(at.slice(0, 10), [at.slice(11, 19), status]))).toString('base64');
      return project.post('/topics/metric_data:publish', { messages: [{ data }] }, { 'x-correlation-id': correlation });
    };
    expect((await send('first', secondsAgo(900), 'OK')).status).toBe(200);
    await eventually(() => events({ type: 'StatusChangesFound' })).until(({ length }) => length > 0);
    const answer = await send('outage', secondsAgo(1), 'CRITICAL');
    const all = await conversation(
      'outage',
      'MessagePublished',
      'MessagePublished',
      'StatusNoticesPublished',
      'MetricMessagesIngested',
      'BatchAcknowledged',
    );
    expect([...chainOf(all, requestOf(answer))].sort()).toEqual([
      'BatchAcknowledged < MessagePublished',
      'BatchDelivered < MessagePublished',
      'MessagePublished < StatusChangesFound',
      'MessagePublished < call',
      'MetricMessagesIngested < MetricMessagesTaken',
      'MetricMessagesTaken < MessagePublished',
      'MetricResultsRecorded < MessagePublished',
      'StatusChangesFound < MetricResultsRecorded',
      'StatusNoticesPublished < StatusChangesFound',
    ]);
  });

  it.each([
    ['is absent', undefined],
    ['is too long', 'x'.repeat(129)],
    ['has other characters than visible ASCII', 'tä'],
  ])('are calls in a conversation of their own where the correlation id %s', async (_what, given) => {
    const answer = await project.post(
      '/topics/lost:publish',
      { messages: texts('x') },
      given === undefined ? {} : { 'x-correlation-id': given },
    );
    const request = requestOf(answer);
    expect([answer.status, answer.headers.get('x-correlation-id')]).toEqual([200, request]);
    expect(await events({ causation: request })).toMatchObject([{ requestId: request, correlationId: request }]);
  });

  it('are named by the longest acceptable correlation id', async () => {
    const given = `${'a '.repeat(63)}bc`;
    const answer = await project.post('/topics/lost:publish', { messages: texts('x') }, { 'x-correlation-id': given });
    expect(answer.headers.get('x-correlation-id')).toBe(given);
    expect(await events({ correlation: given })).toMatchObject([{ causationId: requestOf(answer) }]);
  });
});
