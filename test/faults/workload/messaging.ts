import type { Delivered } from '#test/faults/history.js';
import { SERVICE_TOKEN } from '#test/support/deployments.js';
import type { Client, Task } from './client.js';
import { contendedName } from './pool.js';

/** Topics with publishers, and subscriptions that have one consumer each. */

export const PROJECT = 'faults';
export const TOPICS = ['t0', 't1'] as const;
export const TOPIC_NAMES = 'topics';
const HEADERS = { 'x-api-key': SERVICE_TOKEN };
const BASE = `/v1/projects/${PROJECT}`;

type Received = Readonly<{ message: Readonly<{ messageId: string; data: string }> }>;

export const ackIdOf = (subscription: string, offset: number): string => `projects/${PROJECT}/subscriptions/${subscription}:${offset}`;

const messagesIn = (json: unknown): readonly Delivered[] =>
  (json as { receivedMessages: readonly Received[] }).receivedMessages.map(({ message }) => ({
    offset: Number(message.messageId),
    text: Buffer.from(message.data, 'base64').toString(),
  }));

const publish = (topic: string, texts: readonly string[]): Task => ({
  operation: { kind: 'publish', topic, texts },
  request: {
    method: 'POST',
    path: `${BASE}/topics/${topic}:publish`,
    headers: HEADERS,
    body: { messages: texts.map((text) => ({ data: Buffer.from(text).toString('base64') })) },
  },
  read: (json) => ({ offsets: (json as { messageIds: readonly string[] }).messageIds.map(Number) }),
});

export const pull = (subscription: string, topic: string, atMost: number): Task => ({
  operation: { kind: 'pull', subscription, topic, atMost },
  request: { method: 'POST', path: `${BASE}/subscriptions/${subscription}:pull`, headers: HEADERS, body: { maxMessages: `${atMost}` } },
  read: (json) => ({ messages: messagesIn(json) }),
});

export const acknowledge = (subscription: string, offset: number): Task => ({
  operation: { kind: 'acknowledge', subscription, offset },
  request: {
    method: 'POST',
    path: `${BASE}/subscriptions/${subscription}:acknowledge`,
    headers: HEADERS,
    body: { ackIds: [ackIdOf(subscription, offset)] },
  },
});

export const offsets = (subscription: string, topic: string): Task => ({
  operation: { kind: 'offsets', subscription, topic },
  request: { method: 'GET', path: `${BASE}/subscriptions/${subscription}:offsets`, headers: HEADERS },
  read: (json) => {
    const { max, current } = json as { max: number; current: number };
    return { max, current };
  },
});

const createTopic = (name: string): Task => ({
  operation: { kind: 'create', scope: TOPIC_NAMES, name, refersTo: [] },
  request: { method: 'PUT', path: `${BASE}/topics/${name}`, headers: HEADERS },
  read: () => ({ record: `topic:${name}` }),
});

const lookTopic = (name: string): Task => ({
  operation: { kind: 'look', record: `topic:${name}` },
  request: { method: 'GET', path: `${BASE}/topics/${name}`, headers: HEADERS },
});

const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Those that clients made. */
export const listTopics: Task = {
  operation: { kind: 'list', scope: TOPIC_NAMES },
  request: { method: 'GET', path: `${BASE}/topics?pageSize=10000`, headers: HEADERS },
  read: (json) => ({
    entries: (json as { topics: readonly Readonly<{ name: string }>[] }).topics
      .map(({ name }) => nameIn(name))
      .filter((name) => !TOPICS.some((topic) => topic === name))
      .map((name) => ({ record: `topic:${name}`, name })),
  }),
};

export const subscriptionOf = (client: string): string => `of-${client}`;

/** The next thing that a client of the messaging service does. It consumes `topic` through a subscription of its own. */
export const messagingStep = async (client: Client, topic: string): Promise<void> => {
  const { random, recorder, name } = client;
  const subscription = subscriptionOf(name);
  await random.weighted<() => Promise<unknown>>([
    [
      6,
      async () => {
        const texts = Array.from({ length: random.between(1, 4) }, () => `message ${recorder.number()} of ${name}`);
        const task = publish(random.pick(TOPICS), texts);
        await (random.chance(0.7) ? client.keyed(task) : client.once(task));
      },
    ],
    [
      6,
      async () => {
        const { told } = await client.once(pull(subscription, topic, random.pick([1, 10, 200])));
        const last = told.messages?.at(-1);
        if (last && random.chance(0.85)) await client.once(acknowledge(subscription, last.offset));
      },
    ],
    [2, () => client.once(offsets(subscription, topic))],
    [
      1,
      async () => {
        const wanted = contendedName('x', 1_500);
        const { outcome } = await client.once(createTopic(wanted));
        if (outcome === 'done') await client.once(lookTopic(wanted));
      },
    ],
    [0.5, () => client.once(listTopics)],
  ])();
};
