import { expect } from '@jest/globals';
import { j3, type ProjectCalls, succeed } from '#test/e2e/messaging/calls.js';
import type { Answer } from '#test/support/status-client.js';

/** Messages and subscriptions as clients of the messaging service see them. */

export type WireMessage = Readonly<{ messageId: string; attributes?: Readonly<Record<string, string>>; data: string; publishTime: string }>;
export type Received = Readonly<{ ackId: string; message: WireMessage }>;
export type Offsets = Readonly<{ max: number; min: number; current: number }>;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Messages with these texts as their data. */
export const texts = (...all: readonly string[]) => all.map((text) => ({ data: base64(text) }));

/** An answer 413 (messaging contract 4.3). */
export const expectTooLarge = (answer: Answer): void =>
  expect([answer.status, answer.text]).toEqual([
    413,
    j3({ error: { code: 413, message: 'Message size is too large', status: 'INVALID_ARGUMENT' } }),
  ]);

/** What tests do with the messages of a project. Each throws unless the call succeeds. */
export const trafficOf = (project: () => ProjectCalls) => {
  const pull = async (subscription: string, body: object = { maxMessages: '1000' }): Promise<readonly Received[]> =>
    (succeed(await project().post(`/subscriptions/${subscription}:pull`, body)).json as { receivedMessages: readonly Received[] })
      .receivedMessages;
  return {
    /** A topic and a subscription to it, both of this name. */
    prepare: async (name: string): Promise<void> => {
      await project().topic(name);
      await project().subscription(name, name);
    },
    /** Returns the ids. */
    publish: async (topic: string, messages: readonly object[]): Promise<readonly string[]> =>
      (succeed(await project().post(`/topics/${topic}:publish`, { messages })).json as { messageIds: readonly string[] }).messageIds,
    pull,
    /** The texts of the messages that a pull brings. */
    pullTexts: async (subscription: string, body?: object): Promise<readonly string[]> =>
      (await pull(subscription, body)).map(({ message }) => Buffer.from(message.data, 'base64').toString()),
    acknowledge: (subscription: string, ...offsets: readonly (number | string)[]): Promise<Answer> =>
      project().call('POST', `/subscriptions/${subscription}:acknowledge`, {
        ackIds: offsets.map((offset) => ackId(subscription, offset)),
      }),
    offsets: async (subscription: string): Promise<Offsets> =>
      succeed(await project().get(`/subscriptions/${subscription}:offsets`)).json as Offsets,
    modifyOffset: (subscription: string, offset: number): Promise<Answer> =>
      project().post(`/subscriptions/${subscription}:modifyOffset`, { offset }),
  };
};

/** In the project `p`. */
export const ackId = (subscription: string, offset: number | string): string => `projects/p/subscriptions/${subscription}:${offset}`;
