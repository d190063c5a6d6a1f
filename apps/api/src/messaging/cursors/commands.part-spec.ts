import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { PublishMessages } from '#api/messaging/messages/publish-messages.js';
import { CreateSubscription } from '#api/messaging/resources/subscription-commands.js';
import { CreateTopic, DeleteTopic } from '#api/messaging/resources/topic-commands.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { COUNTERS, OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { countedCalls } from '#test/support/event-stores/counted-calls.js';
import { eventually, until } from '#test/support/eventually.js';
import { messageSample } from '#test/support/messaging/delivery-samples.js';
import { heldBack } from '#test/support/projections/held-back.js';
import { AcknowledgeMessages, ModifyOffset } from './commands.js';
import { PullMessages, type PullOptions, type ReadableSubscription } from './pull-messages.js';
import { SubscriptionLookup } from './subscription-lookup.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
  await addProject(application);
});
afterAll(() => application?.close());

const project = { projectId: 'p', name: 'p' };
const context = () => contextFor('messaging');

/** The subscription with its current topic. */
const lookUp = async (name: string): Promise<ReadableSubscription> => {
  const { ref } = await application.get(SubscriptionLookup).byName(project, name);
  return { ...ref, topicId: ref.topicId ?? 'deleted' };
};

/** Creates a topic and a subscription to it, of the same name. */
const subscribe = async (name: string): Promise<ReadableSubscription> => {
  await application.execute(new CreateTopic(context(), { projectId: 'p', name, schema: null }));
  await application.execute(
    new CreateSubscription(context(), { projectId: 'p', name, settings: { topic: name, ackDeadlineSeconds: 10, push: null } }),
  );
  return lookUp(name);
};

const publish = ({ topicId }: ReadableSubscription, count: number) => {
  const messages = Array.from({ length: count }, () => ({ data: 'YQ==' }));
  return application.execute(new PublishMessages(context(), { topic: { projectId: 'p', topicId, schemaId: null }, messages, bytes: 0 }));
};

const pull = async (subscription: ReadableSubscription, options: Partial<PullOptions<StoredMessage>> = {}, by = context()) => {
  const wanted = { source: application.get(MessageLog), limit: 10, wait: false, ...options };
  const pulled = await application.execute(new PullMessages(by, { subscription, options: wanted }));
  return pulled?.messages.map(({ offset }) => offset);
};

const acknowledge = (subscription: ReadableSubscription, highest: number, deadline = 10) =>
  application.execute(new AcknowledgeMessages(context(), { subscription, highest, ackDeadlineSeconds: deadline }));
const modifyOffset = (subscription: ReadableSubscription, offset: number) =>
  application.execute(new ModifyOffset(context(), { subscription, offset }));
/** Acts while nobody may read the counters, and nothing new is shown in them. */
const whileFilled = async (act: () => Promise<void>): Promise<void> => {
  const readModels = application.get(ReadModels);
  const counters = heldBack(readModels, [COUNTERS]);
  counters.hold();
  await act().finally(() => counters.letGo());
  await until(() => !readModels.isOwing());
};
const cursorOf = (subscription: ReadableSubscription) => application.get(OffsetQueries).cursor(subscription);

describe('Pulling messages', () => {
  it('records nothing if its signal comes while it waits', async () => {
    const subscription = await subscribe('gone');
    await publish(subscription, 1);
    const gone = new AbortController();
    let read = 0;
    const log = application.get(MessageLog);
    const source: PullOptions<StoredMessage>['source'] = {
      page: async (...args) => {
        const page = await log.page(...args);
        read++;
        return page;
      },
    };
    const waiting = pull(subscription, { source, limit: 2, wait: true, signal: gone.signal });
    while (read === 0) await new Promise(setImmediate); // it has found one message and waits for another
    gone.abort();
    expect(await waiting).toBeUndefined();
    expect(await cursorOf(subscription)).toMatchObject({ lastPull: null });
  });

  it('follows the cursor when that is moved while it looks for messages', async () => {
    const subscription = await subscribe('moved');
    await publish(subscription, 3);
    const log = application.get(MessageLog);
    let moved = false;
    const source: PullOptions<StoredMessage>['source'] = {
      page: async (...args) => {
        const page = await log.page(...args);
        if (!moved) {
          moved = true;
          await modifyOffset(subscription, 2);
        }
        return page;
      },
    };
    expect(await pull(subscription, { source })).toEqual([2]);
  });

  it.each([true, false])('keeps no messages while they are read again, because of more of them: %s', async (wait) => {
    const subscription = await subscribe(`kept-${wait}`);
    await publish(subscription, wait ? 1 : 2);
    const read: WeakRef<StoredMessage>[] = [];
    const memory = new AbortController();
    let looks = 0;
    const page = async () => {
      if (++looks > 1) await once(memory.signal, 'abort');
      else if (!wait) await modifyOffset(subscription, 1);
      const message = messageSample(looks - 1);
      read.push(new WeakRef(message));
      return [message];
    };
    const pulling = pull(subscription, { source: { page }, limit: 2, wait });
    await until(() => read.length === 1);
    await publish(subscription, 1);
    await until(() => looks === 2);
    collectGarbage();
    expect(read.map((message) => message.deref())).toEqual([undefined]);
    memory.abort();
    expect(await pulling).toEqual([1]);
  });

  it('stays in a topic that was created anew, whatever callers do that still have the earlier one', async () => {
    const earlier = await subscribe('earlier');
    await publish(earlier, 3);
    await application.execute(new DeleteTopic(context(), { projectId: 'p', name: 'earlier' }));
    await application.execute(new CreateTopic(context(), { projectId: 'p', name: 'earlier', schema: null }));
    const renewed = await lookUp('earlier');
    await publish(renewed, 2);
    expect(await pull(renewed)).toEqual([0, 1]);
    expect(await pull(earlier)).toEqual([]);
    await expect(modifyOffset(earlier, 0)).rejects.toMatchObject({ code: 'TOPIC_REPLACED' });
    await acknowledge(renewed, 1);
    expect(await cursorOf(renewed)).toMatchObject({ topicId: renewed.topicId, offset: 2 });
  });

  it('repeated under its key returns no messages of a topic that was created anew', async () => {
    const keyed = () => ({ ...context(), idempotency: { key: 'repeated', body: '' } });
    const earlier = await subscribe('repeated');
    await publish(earlier, 2);
    expect(await pull(earlier, {}, keyed())).toEqual([0, 1]);
    await application.execute(new DeleteTopic(context(), { projectId: 'p', name: 'repeated' }));
    await application.execute(new CreateTopic(context(), { projectId: 'p', name: 'repeated', schema: null }));
    const renewed = await lookUp('repeated');
    await publish(renewed, 2);
    const topics: string[] = [];
    const log = application.get(MessageLog);
    const source: PullOptions<StoredMessage>['source'] = {
      page: (topicId, ...args) => {
        topics.push(topicId);
        return log.page(topicId, ...args);
      },
    };
    await pull(renewed, { source }, keyed());
    expect(topics.at(-1)).toBe(earlier.topicId);
  });
});

describe('A pull without messages', () => {
  it('makes no call of the log while the counters show all of it, nor does one that waits until a message comes', async () => {
    const [subscription, other] = [await subscribe('empty'), await subscribe('other')];
    await publish(subscription, 1);
    await pull(subscription);
    await acknowledge(subscription, 0);
    await publish(other, 1);
    const calls = countedCalls(application.get(EVENT_STORE));
    const looked = async () => {
      calls.length = 0;
      return [await pull(subscription), ...calls];
    };
    expect(await eventually(looked).until(({ length }) => length === 1)).toEqual([[]]);
    calls.length = 0;
    const waiting = pull(subscription, { wait: true, limit: 1 });
    await publish(other, 1);
    await publish(subscription, 1);
    expect(await waiting).toEqual([1]);
    const stream = messagesStream(subscription.topicId);
    expect(calls.flatMap(([method, of]) => (of === stream ? [method] : []))).toEqual(['append', 'readStream']);
  });
});

describe('While the counters are filled', () => {
  it('pulls, acknowledgements and moves go by the log', async () => {
    const subscription = await subscribe('filled');
    await publish(subscription, 3);
    await whileFilled(async () => {
      expect(await pull(subscription, { limit: 2 })).toEqual([0, 1]);
      await acknowledge(subscription, 1);
      expect(await pull(subscription)).toEqual([2]);
      await expect(modifyOffset(subscription, 4)).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_BOUNDS' });
      await modifyOffset(subscription, 1);
      expect(await pull(subscription)).toEqual([1, 2]);
      await acknowledge(subscription, 2);
      expect(await pull(subscription)).toEqual([]);
    });
    await publish(subscription, 1);
    expect(await pull(subscription)).toEqual([3]);
  });

  it('a pull waits for a message', async () => {
    const subscription = await subscribe('filled-waiting');
    await whileFilled(async () => {
      const waiting = pull(subscription, { wait: true, limit: 1 });
      await publish(subscription, 1);
      expect(await waiting).toEqual([0]);
    });
  });

  it('the offsets of a topic without messages are not known, and a pull from it leaves the cursor where it is', async () => {
    const subscription = await subscribe('filled-empty');
    await publish(subscription, 2);
    await application.get<EventStore>(EVENT_STORE).truncate(messagesStream(subscription.topicId), 2n);
    await whileFilled(async () => {
      await expect(modifyOffset(subscription, 0)).rejects.toThrow(ReadModelsUnavailable);
      expect(await pull(subscription)).toEqual([]);
    });
    expect(await cursorOf(subscription)).toMatchObject({ offset: 0 });
    expect(await pull(subscription)).toEqual([]);
    expect(await cursorOf(subscription)).toMatchObject({ offset: 2 });
  });

  it('the cursor of a topic that was created anew is at its beginning', async () => {
    const subscription = await subscribe('filled-anew');
    await publish(subscription, 1);
    await pull(subscription);
    await acknowledge(subscription, 0);
    await application.execute(new DeleteTopic(context(), { projectId: 'p', name: 'filled-anew' }));
    await application.execute(new CreateTopic(context(), { projectId: 'p', name: 'filled-anew', schema: null }));
    const renewed = await lookUp('filled-anew');
    await publish(renewed, 1);
    await whileFilled(async () => expect(await pull(renewed)).toEqual([0]));
  });
});
