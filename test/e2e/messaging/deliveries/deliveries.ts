import { j3, type ProjectCalls, succeed } from '#test/e2e/messaging/calls.js';
import type { WireMessage } from '#test/e2e/messaging/traffic/traffic.js';
import type { Answer } from '#test/support/status-client.js';

/** Subscriptions whose messages are acknowledged one by one, as clients see them (messaging contract 7.1, 7.2). */

export type Delivered = Readonly<{ ackId: string; message: WireMessage; deliveryAttempt: number }>;

export const AT_ONCE = { maxMessages: '100' };

export const textOf = ({ message }: Pick<Delivered, 'message'>): string => Buffer.from(message.data, 'base64').toString();
/** Text and attempt of each. */
export const told = (delivered: readonly Delivered[]): readonly string[] => delivered.map((one) => `${textOf(one)} ${one.deliveryAttempt}`);
export const idsOf = (delivered: readonly Delivered[]): readonly string[] => delivered.map(({ ackId }) => ackId);

/** What tests do with such subscriptions of a project. */
export const deliveriesOf = (project: () => ProjectCalls) => ({
  /** A topic and a subscription to it, both of this name. Leases last longer than any test, unless `more` says otherwise. */
  share: async (name: string, more: object = {}): Promise<void> => {
    await project().topic(name);
    await project().subscription(name, name, { ackMode: 'message', ackDeadlineSeconds: 600, ...more });
  },
  take: async (subscription: string, body: object = AT_ONCE): Promise<readonly Delivered[]> =>
    (succeed(await project().post(`/subscriptions/${subscription}:pull`, body)).json as { receivedMessages: readonly Delivered[] })
      .receivedMessages,
  ack: (subscription: string, ackIds: readonly string[]): Promise<Answer> =>
    project().post(`/subscriptions/${subscription}:acknowledge`, { ackIds }),
  extend: (subscription: string, ackIds: readonly string[], ackDeadlineSeconds: number): Promise<Answer> =>
    project().post(`/subscriptions/${subscription}:modifyAckDeadline`, { ackIds, ackDeadlineSeconds }),
});

/** The answer I02 that names deliveries. */
export const lateAnswer = (ackIds: readonly string[]): string =>
  j3({ error: { code: 409, message: 'wrong ack', status: 'CONFLICT', details: ackIds } });
