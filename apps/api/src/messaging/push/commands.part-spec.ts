import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { CreateProject, DeleteProject } from '#api/messaging/accounts/project-commands.js';
import { ModifyOffset } from '#api/messaging/cursors/commands.js';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { PublishMessages } from '#api/messaging/messages/publish-messages.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { CreateSubscription } from '#api/messaging/resources/subscription-commands.js';
import { CreateTopic } from '#api/messaging/resources/topic-commands.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import { resourcesStream } from '#domain/messaging/resources/resources.js';
import type { SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import { DomainError } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { PushTarget } from '#infra/edges/push/worker.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { type PushReceiver, startPushReceiver } from '#test/support/messaging/push-receiver.js';
import { ReplacePushConfiguration, VerifyPushEndpoint } from './push-commands.js';
import { PushService } from './push-service.js';
import { PushedSubscriptions } from './push-source.js';

let application: Application;
let receiver: PushReceiver;
let projectId: string;
beforeAll(async () => {
  receiver = await startPushReceiver();
  application = await openApplication({ LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' });
  const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'p', description: '' }));
  projectId = project.projectId;
  await application.execute(new CreateTopic(context(), { projectId, name: 't', schema: null }));
});
afterAll(async () => {
  await application?.close();
  await receiver?.close();
});

const context = () => contextFor('messaging');
const requestTo = (pushEndpoint: string): PushRequest => ({
  type: '',
  pushEndpoint,
  maxMessages: 0,
  authorizationType: '',
  retryPolicyType: '',
  retryPeriod: 0,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: undefined,
});

const subscribe = (name: string, push: PushRequest | null, options: SubscriptionOptions = {}) =>
  application.execute(
    new CreateSubscription(context(), { projectId, name, settings: { topic: 't', ackDeadlineSeconds: 10, push, options } }),
  );
const verify = (name: string) => application.execute(new VerifyPushEndpoint(context(), { projectId, subscription: name }));
const pushOf = async (name: string) => (await application.get(ResourceQueries).subscription(projectId, name))?.push;

it('Push settings of a project that was deleted before are refused with N01, and their key is destroyed', async () => {
  const late = { projectId: 'late' };
  await addProject(application, 'late');
  await application.execute(new CreateTopic(context(), { ...late, name: 't', schema: null }));
  const settings = { topic: 't', ackDeadlineSeconds: 10, push: null };
  await application.execute(new CreateSubscription(context(), { ...late, name: 's', settings }));
  const subscription = await application.get(ResourceQueries).subscription('late', 's');
  await application.execute(new DeleteProject(context(), late));
  jest.spyOn(ResourceQueries.prototype, 'subscription').mockResolvedValue(subscription);
  const replacement = new ReplacePushConfiguration(context(), { ...late, subscription: 's', push: requestTo(receiver.url) });
  await expect(application.execute(replacement)).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  jest.restoreAllMocks();
  const events = await application.get<EventStore>(EVENT_STORE).readStream(resourcesStream('late'), { limit: 100 });
  expect(events.at(-1)).toMatchObject({ type: 'SubscriptionDeleted', data: { pushed: true } }); // `pushed` destroys the key
});

/** A verified subscription with its target. */
const pushedBy = async (name: string, push: PushRequest, options?: SubscriptionOptions) => {
  await subscribe(name, push, options);
  receiver.hash.current = (await pushOf(name))?.verificationHash ?? '';
  await verify(name);
  const { ref } = await application.get(SubscriptionLookup).byName({ projectId, name: 'p' }, name);
  const targets = await application.get(PushedSubscriptions).targets();
  const target = targets.find(({ subscriptionId }) => subscriptionId === ref.subscriptionId);
  if (!target) throw new Error('the subscription is not pushed');
  return { ref, target };
};

const publish = (topicId: string | null, messages: readonly Message[]) =>
  application.execute(new PublishMessages(context(), { topic: { projectId, topicId: topicId ?? '', schemaId: null }, messages, bytes: 0 }));

/** The next messages, whose memory is returned. */
const pull = async (target: PushTarget) => {
  const pulled = await application.get(PushedSubscriptions).pull(target, new AbortController().signal);
  if (!pulled || typeof pulled === 'function') throw new Error('there are no messages');
  pulled.release();
  return pulled;
};

describe('Messages for push', () => {
  it('are the same ones at a retry and after the deadline, also where a filter passes over others', async () => {
    const { ref, target } = await pushedBy('s-6', { ...requestTo(receiver.url), maxMessages: 2 }, { filter: 'attributes:wanted' });
    const from = ref.start.startOffset;
    const wanted = { attributes: { wanted: '' } };
    await publish(
      ref.topicId,
      [wanted, {}, wanted, {}, wanted, {}].map((one) => ({ data: 'YQ==', ...one })),
    );
    const [pushed, { signal }] = [application.get(PushedSubscriptions), new AbortController()];
    const batch = await pull(target);
    expect(batch).toMatchObject({ from, lastOffset: from + 2 });
    const again = await pushed.again(target, batch, signal);
    again?.release();
    expect(again?.messages).toEqual(batch.messages);
    const late = jest.spyOn(application.get(CommandBus), 'execute').mockRejectedValueOnce(new DomainError('ACK_TIMEOUT'));
    await pushed.acknowledge(target, batch);
    late.mockRestore();
    expect(await pull(target)).toMatchObject({ from: from + 4, lastOffset: from + 4 });
  });

  it('are those from the new place on when the cursor is moved meanwhile, however large they are', async () => {
    const large = 10 * 1024 * 1024;
    const { ref, target } = await pushedBy('s-5', requestTo(receiver.url));
    const from = ref.start.startOffset;
    await publish(ref.topicId, [{ data: 'YQ==' }, { data: 'YQ==' }]);
    const log = application.get(SubscribedMessages).stored(ref);
    let moved = false;
    const page: typeof log.page = async (...wanted) => {
      const read = (await log.page(...wanted)).map((message) => ({ ...message, bytes: large }));
      if (!moved) await application.execute(new ModifyOffset(context(), { subscription: ref, offset: from + 1 }));
      moved = true;
      return read;
    };
    const stored = jest.spyOn(application.get(SubscribedMessages), 'stored').mockReturnValue({ page });
    const batch = await pull(target);
    stored.mockRestore();
    expect(batch).toMatchObject({ from: from + 1, lastOffset: from + 1 });
  });
});

describe('The status of push', () => {
  it('is the same before and after a first node begins to push', async () => {
    const [service, availability] = [application.get(PushService), application.get(PushAvailability)];
    const serving = { status: 'ok', push_servers: [{ endpoint: '127.0.0.1:1', status: 'SERVING' }] };
    const starting = service.start('127.0.0.1:1');
    expect(await availability.health()).toEqual(serving);
    await starting;
    expect(await availability.health()).toEqual(serving);
  });
});
