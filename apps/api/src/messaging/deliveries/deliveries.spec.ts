import { expect, it, jest } from '@jest/globals';
import { fastify } from 'fastify';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { noDeliveries, SOME_CONTEXT, subscriptionSample, unwanted } from '#test/support/messaging/delivery-samples.js';
import { Deliveries } from './deliveries.js';
import type { SubscriptionServer } from './delivery-gateway.js';
import type { PullDeliveries } from './pull-deliveries.js';
import { SharedSubscriptions } from './shared-subscriptions.js';

const found = (topicId: string, ackMode: 'message' | 'cursor' = 'message') => subscriptionSample({ topicId }, { options: { ackMode } });

/** `topic`: current topic of the subscription. `begun`: topics in whose logs it has been served. */
const serving = () => {
  const now = { topic: 'old' };
  const begun: (string | null)[] = [];
  const gateway = {
    serve: async ({ subscription, server }: SubscriptionServer) => {
      begun.push(subscription.topicId);
      return noDeliveries(server);
    },
    ...{ record: unwanted, now: () => '', ownContext: () => SOME_CONTEXT },
  };
  const nodes = { take: async () => undefined, answerOfOther: async () => undefined };
  const lookup = {
    byId: async (projectId: string, subscriptionId: string) => subscriptionSample({ projectId, subscriptionId, topicId: now.topic }),
  };
  const [letters, arrivals, log] = [{ send: unwanted }, { wait: unwanted }, { warn: () => undefined }];
  const deliveries = new Deliveries(gateway, nodes, letters, lookup, arrivals, new Telemetry(), log, true);
  return { now, begun, nodes, deliveries };
};

it('A subscription is served in the log of the topic that it has now, whichever was found', async () => {
  const { now, begun, deliveries } = serving();
  const first = await deliveries.of(found('old'));
  now.topic = 'new';
  const second = await deliveries.of(found('new'));
  expect(first.ended.aborted).toBe(true);
  expect(await deliveries.of(found('old'))).toBe(second);
  await second.stop();
  expect((await deliveries.of(found('old'))).by.subscription.topicId).toBe('new');
  expect(begun).toEqual(['old', 'new', 'new']);
  await deliveries.onApplicationShutdown();
});

it('A node that serves as many subscriptions of a project as it can serves those of others', async () => {
  const { deliveries } = serving();
  const of = (projectId: string, subscriptionId: string) =>
    deliveries.of(subscriptionSample({ projectId, subscriptionId, topicId: 'old' }));
  const use = async (projectId: string, subscriptionId: string) => {
    const { leases } = await of(projectId, subscriptionId);
    leases.comeUp([{ offset: 0 }], 1);
    leases.lease(1, performance.now(), 600_000);
  };
  const first = await of('p', 'idle');
  for (let count = 1; count < 5_000; count++) await use('p', `s${count}`);
  await use('p', 'in its place');
  expect(first.ended.aborted).toBe(true);
  const idle = await of('q', 'idle');
  await expect(of('p', 'one more')).rejects.toMatchObject({ statusCode: 503 });
  expect(idle.ended.aborted).toBe(false);
  await (await of('p', 's1')).stop();
  await use('p', 's1');
  await deliveries.onApplicationShutdown();
});

/** Topics that a waiting pull asks for. Each wait ends with the news that the subscription has changed; the third is the last. */
const askedFor = async (now: FoundSubscription): Promise<readonly unknown[]> => {
  const { nodes, deliveries } = serving();
  const asked: unknown[] = [];
  const pull: PullDeliveries['pull'] = async (_served, { ref }, { since = 0 }) => {
    asked.push(ref.topicId);
    if (asked.length === 3) jest.spyOn(performance, 'now').mockReturnValueOnce(since + 30_001);
    return null;
  };
  const source = { page: async () => [] };
  const messages = { wire: () => source, stored: () => source };
  const [log, ends, redriving] = [{ bounds: unwanted }, { shown: undefined }, { inOrder: unwanted, shared: unwanted }];
  const access = { renamed: async (project: ProjectReference) => project };
  const shared = new SharedSubscriptions(deliveries, { pull }, nodes, messages, log, ends, redriving, access);
  const { signal } = new AbortController();
  const reservation = new AnswerRoom().open('p', signal);
  const asking = { limit: 1, wait: true, signal, reservation, requireThere: async () => now };
  const server = fastify();
  server.get('/', async (request, reply) => {
    const project = { projectId: 'p', name: 'P' };
    await shared.pull({ request, reply, context: SOME_CONTEXT, project, found: found('old') }, asking);
    return '';
  });
  expect((await server.inject('/')).statusCode).toBe(200);
  jest.restoreAllMocks();
  await deliveries.onApplicationShutdown();
  return asked;
};

it('A pull that waits goes on with the subscription as it is now, and not for ever', async () =>
  expect(await askedFor(found('new'))).toEqual(['old', 'new', 'new']));

it('A pull that waits does not go on with one that has a cursor now', async () =>
  expect(await askedFor(found('new', 'cursor'))).toEqual(['old']));
