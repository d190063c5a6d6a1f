import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import type { LoggedOffsets } from '#api/messaging/messages/logged-offsets.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import { resourcesStream } from '#domain/messaging/resources/resources.js';
import { type EventStore, EventStoreUnavailable } from '#domain/shared/event-store.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { eventually } from '#test/support/eventually.js';
import { CreateSubscription } from './subscription-commands.js';
import { SubscriptionExpiry } from './subscription-expiry.js';
import { CreateTopic } from './topic-commands.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let application: Application;
beforeAll(async () => {
  application = await openApplication();
  await addProject(application);
});
afterAll(() => application?.close());

const context = () => contextFor('messaging');
const subscribe = (name: string, expiresAfterSeconds?: number) =>
  application.execute(
    new CreateSubscription(context(), {
      projectId: 'p',
      name,
      settings: {
        topic: 't',
        ackDeadlineSeconds: 10,
        push: null,
        ...(expiresAfterSeconds !== undefined && { options: { expiresAfterSeconds } }),
      },
    }),
  );

/** Counters that stand still since before all pulls. */
const stale = (): LoggedOffsets => {
  const offsets = application.get(OffsetQueries) as LoggedOffsets;
  return Object.assign(Object.create(offsets), {
    cursor: async (ref: SubscriptionRef) => ({ ...(await offsets.cursor(ref)), lastPull: null }),
  });
};

/**
 * Several nodes that have run for `uptimeMs` by clocks that are ahead by `aheadMs`; the first pass of each comes soon. The log is away during the
 * first `failures` passes.
 */
const nodes = (
  count: number,
  aheadMs: number,
  { uptimeMs = aheadMs, failures = 0, offsets = application.get(OffsetQueries) as LoggedOffsets } = {},
): readonly SubscriptionExpiry[] =>
  Array.from({ length: count }, () => {
    let now = () => Date.now() + aheadMs - uptimeMs;
    let left = failures;
    const expiry = new SubscriptionExpiry(
      application.get(CommandBus),
      application.get(ResourceQueries),
      application.get(SubscriptionLookup),
      offsets,
      () => now(),
      { warn: () => {} },
      true,
      {
        trouble: async () => {
          if (left-- > 0) throw new EventStoreUnavailable('the log is away');
          return null;
        },
      },
    );
    expiry.onApplicationBootstrap();
    now = () => Date.now() + aheadMs;
    return expiry;
  });

const deletions = async () => {
  const events = await application.get<EventStore>(EVENT_STORE).readStream(resourcesStream('p'), { limit: 100 });
  return events.filter(({ type }) => type === 'SubscriptionDeleted');
};

it('Subscriptions that nobody pulls from for their time while a node runs and the log answers are deleted, once, by the system', async () => {
  await application.execute(new CreateTopic(context(), { projectId: 'p', name: 't', schema: null }));
  await subscribe('unused', DAY_MS / 1_000);
  await subscribe('longer', (2 * DAY_MS) / 1_000);
  await subscribe('for-ever');
  await subscribe('used', DAY_MS / 1_000);
  const { ref } = await application.get(SubscriptionLookup).byName({ projectId: 'p', name: 'p' }, 'used');
  const subscription = { ...ref, topicId: ref.topicId ?? '' };
  await application.execute(
    new PullMessages(context(), { subscription, options: { source: application.get(MessageLog), limit: 1, wait: false } }),
  );
  const passes = jest.spyOn(application.get(ResourceQueries), 'expiring');
  const waiting = [...nodes(1, DAY_MS + HOUR_MS, { uptimeMs: 0 }), ...nodes(1, DAY_MS + HOUR_MS, { failures: 1 })];
  await eventually(async () => passes.mock.calls.length).until((count) => count > 1);
  await Promise.all(waiting.map((node) => node.onModuleDestroy()));
  expect(await deletions()).toEqual([]);
  const forgotten = jest.spyOn(application.get(StreamProcessor), 'forget');
  const running = nodes(3, DAY_MS + HOUR_MS, { offsets: stale() });
  await eventually(deletions).until((events) => events.length > 0);
  await Promise.all(running.map((node) => node.onModuleDestroy()));
  const [deleted, ...others] = await deletions();
  expect([deleted?.data.name, deleted?.metadata.actor, others]).toEqual(['unused', { kind: 'system', id: 'subscription-expiry' }, []]);
  expect(forgotten.mock.calls).toEqual([
    [cursorStream(`${deleted?.data.subscriptionId}`), deliveriesStream(`${deleted?.data.subscriptionId}`)],
  ]);
  const names = async () => (await application.get(ResourceQueries).subscriptions('p', { size: 0 })).items.map(({ name }) => name);
  expect(await names()).toEqual(['used', 'for-ever', 'longer']);
  const [later] = nodes(1, DAY_MS + 3 * HOUR_MS);
  await eventually(names).until(({ length }) => length < 3);
  await later?.onModuleDestroy();
  expect(await names()).toEqual(['for-ever', 'longer']);
});
