import type { Random } from '#test/faults/random.js';
import { accountingStep, accountingWorld } from './accounting.js';
import { type Address, Client, pause, type Recorder } from './client.js';
import { readerOf } from './ending.js';
import { messagingStep, subscriptionOf, TOPICS } from './messaging.js';
import { metricDataStep } from './metric-data.js';
import { statusStep } from './status.js';

const CLIENTS_PER_SERVICE = 4;
/** Share of metric data in the steps of the status service. */
const METRIC_DATA = 0.25;

const messagingClient = (index: number): string => `messaging-${index}`;
const topicOf = (index: number): string => TOPICS[index % TOPICS.length] as string;

/** Subscriptions that the clients, and the reader in the end, consume. */
export const consumers = () => [
  ...TOPICS.map((topic) => ({ subscription: readerOf(topic), topic })),
  ...Array.from({ length: CLIENTS_PER_SERVICE }, (_, index) => ({
    subscription: subscriptionOf(messagingClient(index)),
    topic: topicOf(index),
  })),
];

/** All clients at work; resolves when they have stopped. */
export const work = async (addresses: readonly Address[], recorder: Recorder, random: Random, isOver: () => boolean): Promise<void> => {
  const world = accountingWorld();
  const loop = async (client: Client, step: (client: Client) => Promise<void>): Promise<void> => {
    while (!isOver()) {
      await step(client);
      await pause(client.random.between(0, 40));
    }
  };
  const made = Array.from({ length: CLIENTS_PER_SERVICE }, (_, index) => {
    const client = (name: string) => new Client(name, random.fork(), addresses, recorder);
    return [
      loop(client(`status-${index}`), (one) => (one.random.chance(METRIC_DATA) ? metricDataStep(one) : statusStep(one))),
      loop(client(messagingClient(index)), (one) => messagingStep(one, topicOf(index))),
      loop(client(`accounting-${index}`), (one) => accountingStep(one, world)),
    ];
  });
  await Promise.all(made.flat());
};
